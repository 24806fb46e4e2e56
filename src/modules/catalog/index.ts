import type { AnyJob } from '#platform/jobs/define.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as bulkEditErrors from './bulk-edits/errors.ts'
import { dropBulkEdit, tidyBulkEdits, workOffBulkEdit } from './bulk-edits/jobs.ts'
import * as categoryErrors from './categories/errors.ts'
import * as errors from './errors.ts'
import * as events from './events.ts'
import { countSold } from './listing/count-sold.ts'
import * as listingErrors from './listing/errors.ts'
import { refreshListedStock } from './listing/refresh-stock.ts'
import { forgetPastPrices, refreshPrices } from './products/refresh-prices.ts'
import * as promoErrors from './promos/errors.ts'
import { announceLowStock, mailLowStock } from './stock/announce-low-stock.ts'
import { importJobs } from './transfer/routes.ts'

export { bulkEditRoutes } from './bulk-edits/routes.ts'
export type { Category } from './categories/category.ts'
export { copyIntoCategories } from './categories/copy-media.ts'
export { createCategory } from './categories/create-category.ts'
export { listPublicCategories, PublicCategoryQuery } from './categories/public.ts'
export { categoryProductsSql, findCategoryIds, findDescendantSlugs, listCategories } from './categories/queries.ts'
export { categoryRoutes } from './categories/routes.ts'
export { Category as PublicCategory } from './categories/schemas.ts'
export { attributeFiltersOf, checkListing } from './listing/filters.ts'
export { refreshStock } from './listing/refresh-stock.ts'
export { Facets } from './listing/schemas.ts'
export { createProduct, updateProduct } from './products/change-product.ts'
export { copyIntoProducts } from './products/copy-media.ts'
export { priceAt } from './products/prices.ts'
export {
  createPublicProducts,
  PublicFacetQuery,
  PublicProduct,
  PublicProductQuery,
  PublicProductView,
} from './products/public.ts'
export { readProducts } from './products/queries.ts'
export { type Offer, readOffers } from './products/read-offers.ts'
export { rebuildProducts } from './products/rebuild.ts'
export { catalogResolvers, findProducts } from './products/resolvers.ts'
export { catalogRoutes } from './products/routes.ts'
export { createProductSearch } from './products/search-products.ts'
export { createPromo, findPromo } from './promos/change-promo-code.ts'
export { movePromoUses } from './promos/forget-promo-customer.ts'
export {
  foldCode,
  mergePromo,
  PROMO_REFUSALS,
  type Promo,
  type PromoRefusal,
  type Purchase,
  promoNotApplicable,
  promoRefusal,
  refusalsOf,
} from './promos/promo-code.ts'
export { type RedemptionOutcome, redeemPromo, releasePromo } from './promos/redeem-promo.ts'
export { promoRoutes } from './promos/routes.ts'
export { NewPromoCode } from './promos/schemas.ts'
export { lowStockMail } from './stock/announce-low-stock.ts'
export { changeStock, keyOf, type StockOutcome, stockChange, type VariantKey } from './stock/change-stock.ts'
export { findLowStock } from './stock/find-low-stock.ts'
export { forgetReasons } from './stock/forget-reasons.ts'
export { findGoods, type Goods, lockGoods, lockGoodsAndQuery } from './stock/goods.ts'
export { hasUnlisted, keepStockList, STOCK_LIST_TOPIC } from './stock/keep-stock-list.ts'
export { stockRoutes } from './stock/routes.ts'
export { toStockChanged } from './stock/stock-changed.ts'
export { catalogTables } from './tables.ts'
export { countIncompleteImports } from './transfer/count-incomplete.ts'
export { exportProducts } from './transfer/export-products.ts'
export { startPictures } from './transfer/fetch-pictures.ts'
export { productImport } from './transfer/import-products.ts'
export { transferRoutes } from './transfer/routes.ts'

export const catalogEvents = Object.values(events)
export const catalogRefusals: readonly AnyRefusal[] = Object.values(errors)
export const bulkEditRefusals: readonly AnyRefusal[] = Object.values(bulkEditErrors)
export const categoryRefusals: readonly AnyRefusal[] = Object.values(categoryErrors)
export const listingRefusals: readonly AnyRefusal[] = Object.values(listingErrors)
export const promoRefusals: readonly AnyRefusal[] = Object.values(promoErrors)

export const catalogJobs: readonly AnyJob[] = [
  announceLowStock,
  mailLowStock,
  refreshPrices,
  forgetPastPrices,
  refreshListedStock,
  countSold,
  workOffBulkEdit,
  dropBulkEdit,
  tidyBulkEdits,
  ...importJobs,
]
