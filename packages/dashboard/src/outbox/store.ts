import type { OperationId } from '@kontor/sdk'

export type Words = { field: string; add: string[]; remove: string[] }

/** A write whose answer is not known yet. All of it is data, so that it outlives the page. */
export type Entry = {
  /** Its Idempotency-Key. */
  id: string
  userId: string
  businessId: string
  operation: OperationId
  input: { path?: Record<string, string>; query?: object; body?: unknown }
  ifMatch?: string | undefined
  /** Words that are added to a list of the record, or taken from it, whatever others do to the rest of the list. */
  words?: Words | undefined
  /** Ids of the records that it is about: their screens say that something was asked. */
  about: string[]
  /** What was asked, in the words of the person who asked. */
  label: string
  askedAt: number
  /** An attempt was made and its answer was lost. */
  isLost: boolean
  /** The service said no when nobody waited for it any more: kept with its input until a person has seen it. */
  refused?: { status: number; code: string; message: string; requestId?: string | undefined } | undefined
}

const NAME = 'kontor-outbox'
const STORE = 'entries'

let opened: Promise<IDBDatabase> | undefined

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE, { keyPath: 'id' }))
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB cannot be opened.')))
  })
  return opened
}

async function run<Result>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const database = await open()
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, mode, { durability: 'strict' })
    const request = work(transaction.objectStore(STORE))
    transaction.addEventListener('complete', () => resolve(request.result))
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('IndexedDB refused.')))
  })
}

export const writeEntry = (entry: Entry) => run('readwrite', (store) => store.put(entry))
export const deleteEntry = (id: string) => run('readwrite', (store) => store.delete(id))
export const readEntry = (id: string): Promise<Entry | undefined> =>
  run('readonly', (store) => store.get(id) as IDBRequest<Entry | undefined>)
export const readEntries = (): Promise<Entry[]> => run('readonly', (store) => store.getAll() as IDBRequest<Entry[]>)
