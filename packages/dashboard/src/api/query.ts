import type { Answer, Input, OperationId } from '@kontor/sdk'
import { infiniteQueryOptions, type Query, type QueryKey, queryOptions, replaceEqualDeep } from '@tanstack/react-query'
import { kontor, queryClient } from './client.ts'

type Call = (input: unknown, options: { signal: AbortSignal }) => Promise<unknown>
type ListId = {
  [Id in OperationId]: Answer<Id> extends { items: unknown[]; cursor: string | null } ? Id : never
}[OperationId]

/** One scheme for all keys: the business (`-` outside of one), the operation, what it was asked. */
export type Key = readonly [businessId: string, operation: OperationId, input: object]
export const keyOf = (businessId: string, operation: OperationId, input: object = {}): Key => [
  businessId,
  operation,
  input,
]

const callOf = (
  businessId: string,
  operation: OperationId,
  input: { path?: object; query?: object },
  signal: AbortSignal,
) => {
  const path = businessId === '-' ? input.path : { businessId, ...input.path }
  return (kontor.operations[operation] as Call)({ ...input, path }, { signal })
}

const NO_FRAMES_MS = 100

/** What is known is shown first, and read again afterwards: whoever comes back to a page waits for nothing. */
function oncePainted(queryKey: QueryKey): Promise<void> | undefined {
  if (queryClient.getQueryData(queryKey) === undefined) return undefined
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, NO_FRAMES_MS) // a page that is not looked at has no frames
    requestAnimationFrame(() => {
      clearTimeout(timer)
      setTimeout(resolve)
    })
  })
}

/** What did not change stays the same object. A record's version is a symbol on it, which the library leaves out. */
function share(before: unknown, now: unknown): unknown {
  const shared: unknown = replaceEqualDeep(before, now)
  if (shared !== now && typeof shared === 'object' && shared !== null)
    for (const name of Object.getOwnPropertySymbols(now))
      Object.assign(shared, { [name]: Reflect.get(now as object, name) })
  return shared
}

/** What `useQuery` and `ensureQueryData` take: `query(business.id, 'getOrder', { path: { id } })`. */
export const query = <Id extends OperationId>(businessId: string, operation: Id, input: Partial<Input<Id>> = {}) =>
  queryOptions({
    queryKey: keyOf(businessId, operation, input),
    queryFn: async ({ signal, queryKey }) => {
      await oncePainted(queryKey)
      return callOf(businessId, operation, input, signal) as Promise<Answer<Id>>
    },
    structuralSharing: share,
  })

/** A list that was scrolled this far is not read again from its beginning while somebody is in the middle of it. */
const MOST_PAGES = 6

const isLong = ({ state }: { state: { data: unknown } }) =>
  ((state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) > MOST_PAGES

type Paged = { cursor: string | null }

/** A list, page after page by its cursor, for `useInfiniteQuery`. `keep`: what of each page is kept, else all of it. */
export const pages = <Id extends ListId, Kept extends Paged = Answer<Id>>(
  businessId: string,
  operation: Id,
  input: Partial<Input<Id>> = {},
  keep: (page: Answer<Id>) => Kept = (page) => page as unknown as Kept,
) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(businessId, operation, input), 'pages'] as const,
    queryFn: async ({ signal, pageParam, queryKey }) => {
      const asked = input as { path?: object; query?: object }
      const next = { ...asked, query: { ...asked.query, ...(pageParam && { cursor: pageParam }) } }
      if (!pageParam) await oncePainted(queryKey)
      return keep((await callOf(businessId, operation, next, signal)) as Answer<Id>)
    },
    // All of its pages would be read again, one after the other, before anybody sees them.
    refetchOnMount: (query) => !isLong(query),
    refetchOnWindowFocus: (query) => !isLong(query),
    refetchOnReconnect: (query) => !isLong(query),
    initialPageParam: '',
    getNextPageParam: (page) => page.cursor ?? undefined,
  })

/** Everything of a business that these operations answered is old. What is on the screen is read again. */
export async function invalidate(businessId: string, operations: RegExp | readonly OperationId[]): Promise<void> {
  const isMeant = (operation: OperationId) =>
    operations instanceof RegExp ? operations.test(operation) : operations.includes(operation)
  const isOld = ({ queryKey }: Query) => {
    const [owner, operation] = queryKey as unknown as Key
    return owner === businessId && isMeant(operation)
  }
  await Promise.all([
    queryClient.invalidateQueries({ predicate: (query) => isOld(query) && !isLong(query) }),
    queryClient.invalidateQueries({ predicate: (query) => isOld(query) && isLong(query), refetchType: 'none' }),
  ])
}
