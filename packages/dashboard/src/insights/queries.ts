import { pages, query } from '../api/query.ts'
import type { Period } from './period.ts'

type Narrowed = { market?: string | undefined; currency?: string | undefined }

const asked = ({ from, to }: Period, narrowed: object) => ({
  from,
  to,
  compare: 'previous' as const,
  ...Object.fromEntries(Object.entries(narrowed).filter(([, value]) => value !== undefined)),
})

export const salesQuery = (businessId: string, period: Period, { market }: Narrowed) =>
  query(businessId, 'readSalesReport', { query: { ...asked(period, { market }), interval: period.interval } })

export const customersQuery = (businessId: string, period: Period, { market }: Narrowed) =>
  query(businessId, 'readCustomersReport', { query: { ...asked(period, { market }), interval: period.interval } })

const PAGE = 50

export const productPages = (
  businessId: string,
  period: Period,
  { market, currency, sort }: Narrowed & { sort?: '-units' | undefined },
) => pages(businessId, 'readProductsReport', { query: { ...asked(period, { market, currency, sort }), limit: PAGE } })

export const promoPages = (businessId: string, period: Period, { market, currency }: Narrowed) =>
  pages(businessId, 'readPromoCodesReport', { query: { ...asked(period, { market, currency }), limit: PAGE } })

export const readersQuery = (businessId: string, period: Period) =>
  query(businessId, 'readSubscribersReport', { query: { ...asked(period, {}), interval: period.interval } })
