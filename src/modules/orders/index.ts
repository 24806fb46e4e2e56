export { FINAL, move } from './change-status.ts'
export { marketNotFound, outOfStock, wrongCurrency } from './errors.ts'
export { createOrder, toLine } from './manual.ts'
export { newOrderNumber, type OrderRow, stockOf, withHistories } from './order.ts'
export {
  countFreeBefore,
  countUnpaid,
  findOrder,
  findOrderIds,
  findRequested,
  lockOrder,
  newOrders,
  takeExpired,
} from './queries.ts'
export { orderRoutes } from './routes.ts'
