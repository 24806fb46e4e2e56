import type { AnyJob } from '#platform/jobs/define.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import * as events from './events.ts'
import { sendShipment } from './shipments/mails.ts'

export { applyChange, FINAL } from './change-status.ts'
export { commentRoutes } from './comments/routes.ts'
export { COMMITTED_TOPIC, committedSql, followCommitted, hasUncounted } from './committed/follow-committed.ts'
export { countToShip, TO_SHIP_QUERY } from './count-to-ship.ts'
export {
  eraseNextOrders,
  eraseOrders,
  eraseOrdersAgain,
  type KeptOrder,
  newPromoCustomer,
} from './erase-orders.ts'
export { lineNotFound, marketNotFound, wrongCurrency } from './errors.ts'
export { orderCreated, orderPaid, orderRefunded, orderRefundFailed, orderRefundRequested } from './events.ts'
export { exportOwnOrders } from './export-own.ts'
export { findUnpaid } from './find-unpaid.ts'
export { exportOrdersOf } from './finding/export-orders.ts'
export { hasUnindexed, indexOrders, ORDER_TOPIC } from './finding/index-orders.ts'
export { findingRoutes } from './finding/routes.ts'
export { searchOrders } from './finding/search-orders.ts'
export { draftOrder, fulfillmentOf, type OrderRow, stockOf } from './order.ts'
export { outOfStock } from './out-of-stock.ts'
export { packingSlipRoutes } from './packing-slips/routes.ts'
export { EVER_PAID, paidOrdersSql } from './paid-orders.ts'
export {
  claimExpired,
  countFreeOrdersBefore,
  countUnpaid,
  findOrder,
  findOrderIds,
  findRequested,
  hasExpired,
  isOrderOf,
  lockOrder,
  newOrders,
} from './queries.ts'
export {
  lastSoldSql,
  listOrdersAfter,
  type OrderContact,
  type OrderFigures,
  type OrderPlace,
  readContacts,
  readFigures,
  soldSql,
} from './read-for-customers.ts'
export { readSold, type SoldOrder } from './read-for-reports.ts'
export { readOrder } from './read-order.ts'
export { readUnfinished, type UnfinishedOrder } from './read-unfinished.ts'
export { recordMailSent } from './record-mail-sent.ts'
export {
  freeRefundLines,
  insertRefundLines,
  isCounted,
  listRefundLines,
  ORIGINS,
  type Origin,
  type RefundLine,
  SHIPPING_LINE,
} from './refund-lines.ts'
export { returnPieces } from './returns/return-pieces.ts'
export { returnRoutes } from './returns/routes.ts'
export { orderRoutes } from './routes.ts'
export {
  Fallbacks,
  LineId,
  MAX_LINE_QUANTITY,
  MAX_LINES,
  newContact,
  Quantity,
  shares,
  type TaxGroup,
  taxFigures,
} from './schemas.ts'
export { shipmentMail } from './shipments/mails.ts'
export { shipmentRoutes } from './shipments/routes.ts'
export { updateFulfillment } from './shipments/settle-fulfillment.ts'
export { shippedPieces } from './shipped-pieces.ts'
export { orderTables } from './tables.ts'
export { timelineRoutes } from './timeline/routes.ts'
export { createOrder, toLine } from './write-manual-order.ts'

export const orderEvents = Object.values(events)
export const orderRefusals: readonly AnyRefusal[] = Object.values(errors)

export const orderJobs: readonly AnyJob[] = [sendShipment]
