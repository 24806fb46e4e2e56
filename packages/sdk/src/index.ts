export { blockText, blockValue } from './blocks.ts'
export { type ErrorCode, type ErrorDetail, KontorError } from './errors.ts'
export type {
  AuditEntry,
  AuthResult,
  Block,
  Business,
  CheckoutResult,
  Collection,
  Entry,
  EntryVersion,
  EntryWithRelations,
  Event as BusinessEvent,
  Explanation,
  Import,
  Invitation,
  Market,
  Media,
  Order,
  Plan,
  Product,
  PromoCode,
  Quote,
  Refund,
  Relations,
  Role,
  Send,
  Session as LoginSession,
  StockMovement,
  Subscription,
  SubscriptionCheckout,
  Success,
  Suppression,
  User,
  Variant,
} from './generated/types.gen.ts'
export { createKontor, type Kontor, type KontorOptions } from './kontor.ts'
export type { Answer, Body, Input, OperationId, Operations, Query } from './operations.ts'
export type { ListOptions, Page, Pages } from './pages.ts'
export { formatPrice, type Price, priceOf } from './prices.ts'
export type { BlockFilter, CheckoutRequest, QuoteRequest, Resources, SubscribeRequest } from './resources.ts'
export { type CallOptions, etagOf } from './send.ts'
export type { Registration, Session } from './session.ts'
export type { KontorStorage } from './store.ts'
