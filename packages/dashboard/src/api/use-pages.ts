import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from '@tanstack/react-query'
import { useMemo, useSyncExternalStore } from 'react'
import { queryClient } from './client.ts'

type Page<Row> = { items: Row[]; cursor: string | null }
type Wanted<Row, Key extends QueryKey> = UseInfiniteQueryOptions<Page<Row>, Error, InfiniteData<Page<Row>>, Key, string>

/** A long list by its filters: what the cache has is shown at once, with the rows of the last filters until the new ones come. */
export function usePages<Row, Key extends QueryKey>(wanted: Wanted<Row, Key>) {
  const list = useInfiniteQuery({ ...wanted, placeholderData: keepPreviousData })
  const isOld = useIsOld(wanted.queryKey)
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const loadUpTo = async (most: number) => {
    let data = list.data
    while (data && data.pages.at(-1)?.cursor && data.pages.flatMap(({ items }) => items).length < most) {
      data = (await list.fetchNextPage()).data
    }
    return (data?.pages.flatMap(({ items }) => items) ?? []).slice(0, most)
  }
  return {
    rows,
    error: list.error,
    retry: () => void list.refetch(),
    isFirst: list.isPending,
    isEmpty: list.isSuccess && rows.length === 0 && !list.hasNextPage,
    hasMore: list.hasNextPage,
    isLoadingMore: list.isFetchingNextPage,
    loadMore: list.fetchNextPage,
    loadUpTo,
    hasNewer: isOld && !list.isFetching && !list.error,
    showNewer: () => {
      scrollTo({ top: 0 })
      void queryClient.resetQueries({ queryKey: wanted.queryKey, exact: true })
    },
  }
}

/** A list that was scrolled far is not read again under somebody's eyes: it is only marked. */
const useIsOld = (queryKey: QueryKey) =>
  useSyncExternalStore(
    (listener) => queryClient.getQueryCache().subscribe(listener),
    () => queryClient.getQueryState(queryKey)?.isInvalidated ?? false,
  )
