import { misuse } from './errors.ts'
import { OPERATIONS, type OperationTypes } from './generated/operations.gen.ts'
import type { CallOptions, Outgoing } from './send.ts'

export type OperationId = keyof OperationTypes
export type Answer<Id extends OperationId> = OperationTypes[Id]['answer']
type Data<Id extends OperationId> = OperationTypes[Id]['data']

export type Body<Id extends OperationId> = NonNullable<Data<Id>['body']>
export type Query<Id extends OperationId> = NonNullable<Data<Id>['query']>

type Has<Value, Key extends string> = Value extends Record<Key, infer Part> ? Part : never
/** The client knows its business: naming another is possible, naming none is usual. */
type Path<Id extends OperationId> = Omit<Has<Data<Id>, 'path'>, 'businessId'> & { businessId?: string }
type PathPart<Id extends OperationId> = [Has<Data<Id>, 'path'>] extends [never]
  ? { path?: never }
  : Partial<Path<Id>> extends Path<Id>
    ? { path?: Path<Id> }
    : { path: Path<Id> }
type RestPart<Id extends OperationId> = Omit<Data<Id>, 'url' | 'path' | 'headers'>

/** `{ path, query, body }` of an operation, as docs/openapi.json has them. */
export type Input<Id extends OperationId> = PathPart<Id> & RestPart<Id>
type Arguments<Id extends OperationId> =
  Partial<Input<Id>> extends Input<Id>
    ? [input?: Input<Id>, options?: CallOptions]
    : [input: Input<Id>, options?: CallOptions]

/** Every operation of the service, by its `operationId`. */
export type Operations = { [Id in OperationId]: (...given: Arguments<Id>) => Promise<Answer<Id>> }

type Parts = { path?: Record<string, string>; query?: Record<string, unknown>; body?: unknown }
type Call = (needsToken: boolean, call: Outgoing, options: CallOptions) => Promise<unknown>

// POSTs that take no key, and change nothing or nothing more the second time.
const REPEATABLE = new Set<string>(['quote', 'tryPromoCode', 'refresh', 'logout', 'unsubscribe'])

export function createOperations(baseUrl: string, businessId: string | undefined, run: Call): Operations {
  const operations: Record<string, unknown> = {}
  for (const [id, words] of Object.entries(OPERATIONS)) {
    const [method = '', address = '', ...needs] = words.split(' ')
    operations[id] = async (input: Parts = {}, options: CallOptions = {}) => {
      const { body, query } = input
      checkMatch(options)
      const path = addressOf(id, address, { businessId, ...defined(input.path) })
      const key = needs.includes('key') ? (options.idempotencyKey ?? newKey()) : undefined
      const call: Outgoing = {
        operation: id,
        method,
        url: baseUrl + path + queryOf(query),
        headers: { ...typeOf(body), ...(key && { 'idempotency-key': key }), ...matchOf(options) },
        body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
        repeatable: isRepeatable(id, method, key, options),
        file: needs.includes('file'),
        stream: needs.includes('stream'),
      }
      return run(needs.includes('token'), call, options)
    }
  }
  return operations as Operations
}

/** With a condition the second attempt would meet what the first has changed, and say that it was somebody else. */
const isRepeatable = (id: string, method: string, key: string | undefined, { ifMatch, ifNoneMatch }: CallOptions) =>
  (ifMatch ?? ifNoneMatch) === undefined && (method !== 'POST' || key !== undefined || REPEATABLE.has(id))

export const defined = <Value>(values: Record<string, Value> = {}) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null))

function addressOf(id: string, address: string, values: Record<string, string | undefined>): string {
  return address.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    // These would be the address of something else, such as that of the list.
    if (value === undefined || ['', '.', '..'].includes(value)) throw misuse(missing(id, name))
    return encodeURIComponent(value)
  })
}

const missing = (id: string, name: string) =>
  name === 'businessId' ? `${id} needs a business: createKontor({ businessId }).` : `${id} needs path.${name}.`

function queryOf(query: Record<string, unknown> | undefined): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(defined(query))) {
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one))
  }
  const text = search.toString() // not `size`, which Safari has since 17
  return text && `?${text}`
}

const typeOf = (body: unknown): Record<string, string> =>
  body === undefined ? {} : { 'content-type': body instanceof Blob ? body.type : 'application/json' }

/** `{ ifMatch: record.etag }` of a record that has none would be a change without a condition. */
function checkMatch(options: CallOptions): void {
  if (!('ifMatch' in options) || (typeof options.ifMatch === 'string' && options.ifMatch !== '')) return
  throw misuse(
    `ifMatch is ${options.ifMatch === '' ? 'empty' : String(options.ifMatch)}, so nothing would be compared. ` +
      'Give it etagOf(record) of a record that you read with get(id), or leave ifMatch out.',
  )
}

const matchOf = ({ ifMatch, ifNoneMatch }: CallOptions): Record<string, string> => ({
  ...(ifMatch !== undefined && { 'if-match': ifMatch }),
  ...(ifNoneMatch && { 'if-none-match': ifNoneMatch }),
})

/** Not `randomUUID`: browsers have it on pages of https only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
