import type { Input } from '@kontor/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { pages, query } from '../api/query.ts'
import type { Shown } from './search.ts'
import { type BulkEdit, type FieldChange, type Item, isRunning } from './types.ts'

const PAGE = 100
/** While a worker is at it. */
const LOOK_MS = 500

export const bulkEditsQuery = (businessId: string) => ({
  ...query(businessId, 'listBulkEdits', { query: { limit: 20 } }),
  refetchInterval: ({ state }: { state: { data: { items: BulkEdit[] } | undefined } }) =>
    state.data?.items.some(isRunning) ? LOOK_MS * 4 : (false as const),
})

export const bulkEditQuery = (businessId: string, id: string) => ({
  ...query(businessId, 'getBulkEdit', { path: { id } }),
  refetchInterval: ({ state }: { state: { data: BulkEdit | undefined } }) =>
    state.data && isRunning(state.data) ? LOOK_MS : (false as const),
})

/** A value that changes, or a product of which none does. */
export type Row = { key: string; item: Item; change: FieldChange | undefined }

type ItemFilter = NonNullable<Input<'listBulkEditItems'>['query']>

/** What is shown of it, the first of two lists first. */
function listsOf(show: Shown | undefined, { status, warned }: BulkEdit): [ItemFilter, ItemFilter?] {
  const isUndone = status === 'UNDONE' || status === 'UNDOING'
  if (show === 'changing') return [{ status: status === 'READY' ? 'PENDING' : isUndone ? 'UNDONE' : 'APPLIED' }]
  if (show === 'warned') return [{ warned: 'true' }]
  if (show === 'same') return [{ status: 'UNCHANGED' }]
  if (show === 'refused') return [{ status: 'REFUSED' }]
  if (show === 'skipped') return [{ status: 'SKIPPED' }]
  if (show === 'kept') return [{ status: 'KEPT' }]
  return warned > 0 ? [{ warned: 'true' }, { warned: 'false' }] : [{}]
}

/** Its values, those to look at first, page after page. */
export function useRows(businessId: string, edit: BulkEdit, show: Shown | undefined) {
  const [first, second] = listsOf(show, edit)
  const listOf = (filter: ItemFilter) =>
    pages(businessId, 'listBulkEditItems', { path: { id: edit.id }, query: { limit: PAGE, ...filter } })
  const one = useInfiniteQuery(listOf(first))
  const isOneOver = one.isSuccess && !one.hasNextPage
  const two = useInfiniteQuery({ ...listOf(second ?? first), enabled: second !== undefined && isOneOver })
  const rest = second ? two.data : undefined
  const rows = useMemo(() => {
    const items = [...(one.data?.pages ?? []), ...(rest?.pages ?? [])].flatMap((page) => page.items)
    return items.flatMap(rowsOf)
  }, [one.data, rest])
  const { fetchNextPage: moreOfOne } = one
  const { fetchNextPage: moreOfTwo } = two
  const current = isOneOver && second ? two : one
  const hasMore = current.hasNextPage && !current.isFetchingNextPage
  const more = useCallback(() => {
    if (hasMore) void (isOneOver && second ? moreOfTwo() : moreOfOne())
  }, [hasMore, isOneOver, second !== undefined, moreOfOne, moreOfTwo])
  return {
    rows,
    more,
    hasMore: current.hasNextPage,
    isPending: one.isPending,
    error: one.error ?? two.error,
    refetch: one.refetch,
  }
}

const rowsOf = (item: Item): Row[] =>
  item.changes.length === 0
    ? [{ key: item.productId, item, change: undefined }]
    : item.changes.map((change) => ({
        key: [item.productId, change.field, change.marketId, change.variantId].join(' '),
        item,
        change,
      }))
