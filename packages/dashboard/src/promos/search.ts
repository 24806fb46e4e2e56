import { oneOf, type Search, wordOf } from '../shell/search.ts'

export const STATUSES = ['ACTIVE', 'PLANNED', 'USED_UP', 'ENDED'] as const
export type PromoStatus = (typeof STATUSES)[number]

/** What the address of the list says. */
export type PromoSearch = {
  query?: string | undefined
  market?: string | undefined
  status?: PromoStatus | undefined
}

export const readPromoSearch = (search: Search): PromoSearch => ({
  query: wordOf(search.query),
  market: wordOf(search.market),
  status: oneOf(search.status, STATUSES),
})
