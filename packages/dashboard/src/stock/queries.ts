import { pages, query } from '../api/query.ts'
import { askedOf, type StockSearch } from './search.ts'

export const stockQuery = (businessId: string, search: StockSearch) =>
  pages(businessId, 'listStock', { query: { limit: 100, ...askedOf(search) } })

/** One variant as it is now. */
export const levelQuery = (businessId: string, productId: string, variantId: string) =>
  query(businessId, 'listStock', { query: { productId: [productId], variantId: [variantId] } })

/** The variants of a product as they are now, the lowest first. */
export const levelsQuery = (businessId: string, productId: string) =>
  query(businessId, 'listStock', { query: { productId: [productId], limit: 100 } })

export const movementsQuery = (businessId: string, productId: string, variantId: string) =>
  pages(businessId, 'listStockMovements', { path: { id: productId, variantId }, query: { limit: 100 } })

/** The orders that movements name, for their numbers. */
export const ordersQuery = (businessId: string, ids: string[]) =>
  query(businessId, 'listOrders', { query: { id: ids, limit: 100 } })

export const stocktakesQuery = (businessId: string) => query(businessId, 'listStocktakes', { query: { limit: 5 } })
