/** An upload that has not ended. All of it is data, so that it outlives the page; the file itself is kept beside it. */
export type Kept = {
  id: string
  userId: string
  businessId: string
  fileName: string
  mimeType: string
  size: number
  askedAt: number
  /** Idempotency-Key of the file in the library. Another one whenever it has to be made anew. */
  key: string
  /** When the file was first asked for with this key. */
  keyAt?: number | undefined
  sha256?: string | undefined
  /** The file in the library, once its answer is known. */
  mediaId?: string | undefined
  /** Why it cannot go on by itself. Kept until a person has seen it. */
  failed?: Failure | undefined
}

/** `code`: what the service said, a `problem` of the file, or a word of `Trouble`. `message`: the service's own. */
export type Failure = { code: string; message?: string | undefined }

const NAME = 'kontor-uploads'
const UPLOADS = 'uploads'
const FILES = 'files'

let opened: Promise<IDBDatabase> | undefined

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1)
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore(UPLOADS, { keyPath: 'id' })
      request.result.createObjectStore(FILES)
    })
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB cannot be opened.')))
  })
  return opened
}

async function run<Result>(
  mode: IDBTransactionMode,
  work: (transaction: IDBTransaction) => IDBRequest<Result>,
): Promise<Result> {
  const database = await open()
  return new Promise((resolve, reject) => {
    const transaction = database.transaction([UPLOADS, FILES], mode, { durability: 'strict' })
    const request = work(transaction)
    transaction.addEventListener('complete', () => resolve(request.result))
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('IndexedDB refused.')))
  })
}

/** With its bytes: the first time only, as they are many. */
export const keepNew = (upload: Kept, file: Blob) =>
  run('readwrite', (transaction) => {
    transaction.objectStore(FILES).put(file, upload.id)
    return transaction.objectStore(UPLOADS).put(upload)
  })

export const keep = (upload: Kept) => run('readwrite', (transaction) => transaction.objectStore(UPLOADS).put(upload))

export const forget = (id: string) =>
  run('readwrite', (transaction) => {
    transaction.objectStore(FILES).delete(id)
    return transaction.objectStore(UPLOADS).delete(id)
  })

export const readKept = (): Promise<Kept[]> =>
  run('readonly', (transaction) => transaction.objectStore(UPLOADS).getAll() as IDBRequest<Kept[]>)

export const readOne = (id: string): Promise<Kept | undefined> =>
  run('readonly', (transaction) => transaction.objectStore(UPLOADS).get(id) as IDBRequest<Kept | undefined>)

export const readFile = (id: string): Promise<Blob | undefined> =>
  run('readonly', (transaction) => transaction.objectStore(FILES).get(id) as IDBRequest<Blob | undefined>)
