import type { Answer, Input, OperationId } from '@kontor/sdk'
import { infiniteQueryOptions, type Query, queryOptions } from '@tanstack/react-query'
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

/** What `useQuery` and `ensureQueryData` take: `query(business.id, 'getOrder', { path: { id } })`. */
export const query = <Id extends OperationId>(businessId: string, operation: Id, input: Partial<Input<Id>> = {}) =>
  queryOptions({
    queryKey: keyOf(businessId, operation, input),
    queryFn: ({ signal }) => callOf(businessId, operation, input, signal) as Promise<Answer<Id>>,
  })

/** A list that was scrolled this far is not read again from its beginning while somebody is in the middle of it. */
const MOST_PAGES = 6

const isLong = ({ state }: { state: { data: unknown } }) =>
  ((state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) > MOST_PAGES

/** A list, page after page by its cursor, for `useInfiniteQuery`. */
export const pages = <Id extends ListId>(businessId: string, operation: Id, input: Partial<Input<Id>> = {}) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(businessId, operation, input), 'pages'] as const,
    queryFn: ({ signal, pageParam }) => {
      const asked = input as { path?: object; query?: object }
      const next = { ...asked, query: { ...asked.query, ...(pageParam && { cursor: pageParam }) } }
      return callOf(businessId, operation, next, signal) as Promise<Answer<Id>>
    },
    // All of its pages would be read again, one after the other, before anybody sees them.
    refetchOnMount: (query) => !isLong(query),
    refetchOnWindowFocus: (query) => !isLong(query),
    refetchOnReconnect: (query) => !isLong(query),
    initialPageParam: '',
    getNextPageParam: (page) => (page as { cursor: string | null }).cursor ?? undefined,
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
