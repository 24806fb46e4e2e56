// What extensions may use, as the package's `kontor/extension`: the list is a contract.
import type { Static } from 'typebox'
import { brand, type EventHandler, type Extension, type FeedEvent } from '#platform/extensions/define.ts'
import type { EVENTS } from './events.ts'

export { sql } from 'kysely'
export { type Static, Type } from 'typebox'
export { readOrder } from '#modules/orders/index.ts'
export { now } from '#platform/clock.ts'
export type { Cell, Db, Tx } from '#platform/database/database.ts'
export { violatedConstraint } from '#platform/database/errors.ts'
export { transaction } from '#platform/database/transaction.ts'
export { type FeedEvent, type Route, type RouteServices, route } from '#platform/extensions/define.ts'
export { rawBodyOf } from '#platform/extensions/routes.ts'
export { createOnce } from '#platform/http/idempotency.ts'
export { operation } from '#platform/http/operation.ts'
export { sendPublic } from '#platform/http/public-answer.ts'
export { defineJob, enqueue, enqueueAll, type JobContext } from '#platform/jobs/define.ts'
export { isSignedWith } from '#platform/outgoing/verify-signature.ts'
export {
  badRequest,
  conflict,
  forbidden,
  invalid,
  notFound,
  unauthenticated,
  unavailable,
} from '#vocabulary/define-refusal.ts'
export { newId } from '#vocabulary/ids.ts'
export { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
export { PERMISSIONS, type Permission } from '#vocabulary/permissions.ts'
export {
  BasisPoints,
  BusinessId,
  BusinessParams,
  Currency,
  Email,
  Id,
  Money,
  Name,
  Nullable,
  OneOf,
  OrderId,
  PageOf,
  PageQuery,
  ProductId,
  RecordParams,
  Success,
  UnixSeconds,
  VariantId,
} from '#vocabulary/schemas.ts'
export { toSeconds } from '#vocabulary/time.ts'

type Kind = (typeof EVENTS)[number]

/** Every event by its type, as a handler gets it. */
export type Events = {
  [Name in Kind['type']]: FeedEvent<Name, Static<Extract<Kind, { type: Name }>['data']>>
}

type Given = Omit<Extension, 'on'> & { on?: { readonly [Name in keyof Events]?: EventHandler<Events[Name]> } }

/** What a file that KONTOR_EXTENSIONS names has to export. */
export const extension = (given: Given): Extension => brand(given)
