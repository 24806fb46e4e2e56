import type { Answer, Query } from '@kontor/sdk'
import { pages, query } from '../api/query.ts'
import type { PromoSearch } from './search.ts'

export type Promo = Answer<'getPromoCode'>

const filtersOf = ({ query: words, market }: PromoSearch) => ({
  ...(words ? { query: words } : {}),
  ...(market ? { market } : {}),
})

export function promosQuery(businessId: string, search: PromoSearch) {
  const { status } = search
  const asked: Query<'listPromoCodes'> = { limit: 100, ...filtersOf(search), ...(status ? { status: [status] } : {}) }
  return pages(businessId, 'listPromoCodes', { query: asked })
}

export const countsQuery = (businessId: string, search: PromoSearch) =>
  query(businessId, 'countPromoCodes', { query: filtersOf(search) })

export const promoQuery = (businessId: string, id: string) => query(businessId, 'getPromoCode', { path: { id } })

export const usesQuery = (businessId: string, code: string) =>
  query(businessId, 'listOrders', { query: { promoCode: [code], limit: 8 } })
