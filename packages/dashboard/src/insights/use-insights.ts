import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useBusiness } from '../session/use-business.ts'
import { periodOf } from './period.ts'
import type { InsightsSearch } from './search.ts'

export const route = getRouteApi('/signed-in/$business/insights')

const MINUTE_MS = 60_000
const DAY_SECONDS = 86_400

/** What the address asks for. */
export function useInsights() {
  const business = useBusiness()
  const { business: address } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { time, from, to, by } = search
  const { timeZone, markets } = business
  const minute = Math.trunc(Date.now() / MINUTE_MS)
  const period = useMemo(
    () => periodOf({ time, from, to, by }, timeZone, minute * MINUTE_MS),
    [time, from, to, by, timeZone, minute],
  )
  const own = [...new Set(markets.map(({ currency }) => currency))]
  const ofMarket = markets.find(({ id }) => id === search.market)?.currency
  const currency = search.currency ?? ofMarket ?? own[0] ?? 'USD'
  return {
    business,
    address,
    search,
    period,
    /** Unix seconds, to the minute. */
    now: minute * 60,
    /** A day that is not over is no match for a whole one. In more than two of them it counts for little. */
    isComparable: period.to <= minute * 60 || period.to - period.from > 2 * DAY_SECONDS,
    own,
    /** The one that is meant where none is chosen. */
    currency,
    /** Said where a currency is that of several markets. */
    inMarket: (id: string): string => {
      const isOnly = search.market !== undefined || markets.filter((one) => one.currency === currency).length < 2
      return isOnly ? '' : ` · ${markets.find((one) => one.id === id)?.name ?? id}`
    },
    change: (changes: InsightsSearch) =>
      void navigate({ search: (before) => ({ ...before, ...changes }), resetScroll: false }),
  }
}
