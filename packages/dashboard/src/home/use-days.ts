import { useQuery } from '@tanstack/react-query'
import { useBusiness } from '../session/use-business.ts'
import {
  countQuery,
  NEWEST,
  newestQuery,
  reachesBack,
  recentQuery,
  SOLD,
  soldIn,
  soldQuery,
  toPackCountQuery,
  toPackQuery,
  totalOf,
} from './queries.ts'
import { startOfToday, yesterday } from './today.ts'

/** To the quarter of an hour: otherwise each minute would be another question. */
const QUARTER = 900

/**
 * Today and yesterday, from one page of orders as far as it reaches; a busy business is asked for the rest. `orders` and
 * `paid` are how many there are today, `before` how many there were yesterday by now.
 */
export function useDays(now: number) {
  const { id, timeZone } = useBusiness()
  const today = startOfToday(now * 1_000, timeZone)
  const { from, to } = yesterday(now * 1_000, timeZone)
  const recent = useQuery(recentQuery(id, from))
  const page = recent.data
  const hasToday = page && reachesBack(page, today)
  const hasYesterday = page && reachesBack(page, from)
  const sold = useQuery({ ...soldQuery(id, today), enabled: hasToday === false })
  const count = useQuery({ ...countQuery(id, today), enabled: hasToday === false })
  const counted = useQuery({
    ...countQuery(id, from, Math.trunc(to / QUARTER) * QUARTER),
    enabled: hasYesterday === false,
  })
  const parts = [recent, sold, count]
  const error = parts.find((part) => part.error)?.error
  const retry = () => parts.filter((part) => part.error).forEach(({ refetch }) => void refetch())
  const isPaid = ({ value }: { value: string }) => SOLD.paymentStatus.some((status) => status === value)
  const soldToday = page && hasToday ? soldIn(page, today) : sold.data
  return {
    error,
    retry,
    sold: soldToday,
    orders: page && hasToday ? page.items.filter(({ createdAt }) => createdAt >= today).length : sumOf(count.data),
    paid: hasToday
      ? undefined
      : count.data && {
          count: totalOf({ ...count.data, items: count.data.items.filter(isPaid) }),
          isExact: count.data.isExact,
        },
    before:
      page && hasYesterday
        ? page.items.filter(({ createdAt }) => createdAt >= from && createdAt < to).length
        : sumOf(counted.data),
  }
}

const sumOf = (counts: Parameters<typeof totalOf>[0] | undefined) => counts && totalOf(counts)

/** The newest orders: of these two days, and where these have too few, of any. */
export function useNewest(now: number) {
  const { id, timeZone } = useBusiness()
  const recent = useQuery(recentQuery(id, yesterday(now * 1_000, timeZone).from))
  const isEnough = recent.data && recent.data.items.length >= NEWEST
  const newest = useQuery({ ...newestQuery(id), enabled: isEnough === false })
  return {
    orders: isEnough ? recent.data?.items.slice(0, NEWEST) : newest.data?.items,
    error: recent.error ?? newest.error,
    retry: () => void (recent.error ? recent : newest).refetch(),
  }
}

/** What waits to be packed, the oldest first. Those on the page are counted there; only where there are more is it asked. */
export function useToPack() {
  const { id } = useBusiness()
  const list = useQuery(toPackQuery(id))
  const isAll = list.data && list.data.cursor === null
  const counted = useQuery({ ...toPackCountQuery(id), enabled: isAll === false })
  return { list, count: isAll ? list.data?.items.length : sumOf(counted.data) }
}
