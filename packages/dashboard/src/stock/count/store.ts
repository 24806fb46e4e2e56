import type { Level } from '../level.ts'
import type { Count } from './count.ts'

/** What a person has released in a business is to be brought in as soon as there is a line. */
export type Due = { id: string; reason: string }
type Known = Level & { id: string; businessId: string; text: string }

const NAME = 'kontor-stocktake'
const STORES = ['counts', 'levels', 'due'] as const

let opened: Promise<IDBDatabase> | undefined

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1)
    request.addEventListener('upgradeneeded', () => {
      for (const store of STORES) request.result.createObjectStore(store, { keyPath: 'id' })
    })
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB cannot be opened.')))
  })
  return opened
}

async function run<Result>(
  name: (typeof STORES)[number],
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<Result> | undefined,
): Promise<Result | undefined> {
  const database = await open()
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(name, mode, { durability: 'strict' })
    const request = work(transaction.objectStore(name))
    transaction.addEventListener('complete', () => resolve(request?.result))
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('IndexedDB refused.')))
  })
}

const all = <Kept>(name: (typeof STORES)[number]) =>
  run(name, 'readonly', (store) => store.getAll() as IDBRequest<Kept[]>).then((kept) => kept ?? [])

export const readCounts = (): Promise<Count[]> => all<Count>('counts')
export const writeCount = (count: Count) => run('counts', 'readwrite', (store) => store.put(count))
export const deleteCount = (id: string) => run('counts', 'readwrite', (store) => store.delete(id))

export const readDue = (id: string) => run('due', 'readonly', (store) => store.get(id) as IDBRequest<Due | undefined>)
export const writeDue = (due: Due) => run('due', 'readwrite', (store) => store.put(due))
export const deleteDue = (id: string) => run('due', 'readwrite', (store) => store.delete(id))

const textOf = ({ sku, variantId }: Level) => (sku || variantId).toLowerCase()

/** What was read of the stock, so that an SKU is known without a line. */
export const keepLevels = (businessId: string, levels: readonly Level[]) =>
  run('levels', 'readwrite', (store) => {
    for (const level of levels) {
      const id = `${businessId}/${level.productId}/${level.variantId}`
      store.put({ ...level, id, businessId, text: textOf(level) })
    }
    return undefined
  })

export async function findKept(businessId: string, sku: string): Promise<Level[]> {
  const wanted = sku.toLowerCase()
  const kept = await all<Known>('levels')
  return kept.filter((level) => level.businessId === businessId && level.text === wanted)
}
