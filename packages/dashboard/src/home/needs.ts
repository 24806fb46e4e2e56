import {
  type BusinessEvent,
  type Entry,
  KontorError,
  type Order,
  paymentStatusOf,
  type Send,
  statusOf,
} from '@kontor/sdk'
import { kontor } from '../api/client.ts'
import type { Permission } from '../session/permissions.ts'
import type { Asking } from './news.ts'

type Type = BusinessEvent['type']
type Of<One extends Type> = Extract<BusinessEvent, { type: One }>

/** Something that went wrong and that nobody has mended yet, with the record in which it is mended. */
export type Need =
  | { kind: 'mismatch'; event: Of<'payment.mismatch'>; order: Order | undefined }
  | { kind: 'unexpected'; event: Of<'payment.unexpected'> }
  | { kind: 'refund'; event: Of<'order.refund_failed'>; order: Order }
  | { kind: 'publishing'; event: Of<'entry.publish_failed'>; entry: Entry }
  | { kind: 'sending'; event: Of<'newsletter.send_failed'>; send: Send; entry: Entry | undefined }

/** Older than this it is history. */
const DAYS = 30
/** Of each kind. */
const MOST = 10

const NEEDED = {
  'payment.mismatch': ['ORDERS_READ'],
  'payment.unexpected': ['ORDERS_READ'],
  'order.refund_failed': ['ORDERS_READ'],
  'entry.publish_failed': ['CONTENT_READ_DRAFTS'],
  'newsletter.send_failed': ['SUBSCRIBERS_READ', 'NEWSLETTER_SEND', 'CONTENT_READ_DRAFTS'],
} satisfies Partial<Record<Type, Permission[]>>

export type May = (permission: Permission) => boolean

export const typesOfNeeds = (may: May): string[] =>
  Object.entries(NEEDED).flatMap(([type, needed]) => (needed.every(may) ? [type] : []))

/** Whether this person may know of any of them. */
export const mayKnowNeeds = (may: May) => typesOfNeeds(may).length > 0

/** Each record is asked whether it was mended since: all orders in one question, the others where there is such an event. */
export async function findNeeds(asking: Asking, events: readonly BusinessEvent[]): Promise<Need[]> {
  const since = Date.now() / 1_000 - DAYS * 86_400
  const recent = events.filter(({ timestamp }) => timestamp > since)
  const mismatches = newestOf(recent, 'payment.mismatch')
  const refunds = newestOf(recent, 'order.refund_failed')
  const orders = ordersOf(
    asking,
    [...mismatches, ...refunds].map(({ subject }) => subject),
  )
  const found = await Promise.all([
    ...mismatches.map((event) => toMismatch(event, orders)),
    ...newestOf(recent, 'payment.unexpected').map(async (event): Promise<Need> => ({ kind: 'unexpected', event })),
    ...refunds.map((event) => toRefund(asking, event, orders)),
    ...newestOf(recent, 'entry.publish_failed').map((event) => toPublishing(asking, event)),
    ...newestOf(recent, 'newsletter.send_failed').map((event) => toSending(asking, event)),
  ])
  return found.filter((need) => need !== undefined).toSorted((a, b) => b.event.number - a.event.number)
}

/** The newest of each record. */
function newestOf<One extends keyof typeof NEEDED>(events: readonly BusinessEvent[], type: One): Of<One>[] {
  const ofType = events.filter((event) => event.type === type)
  const newest = new Map(ofType.toReversed().map((event) => [event.subject, event]))
  return [...newest.values()].slice(-MOST) as Of<One>[]
}

/** Undefined if it is gone, or not for this person. */
async function unlessGone<Record>(reading: Promise<Record>): Promise<Record | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof KontorError && [403, 404].includes(error.status)) return undefined
    throw error
  }
}

const isOrder = (id: string) => id.startsWith('ord_')

type Orders = Promise<Map<string, Order>>

async function ordersOf({ businessId, signal }: Asking, subjects: readonly string[]): Orders {
  const id = [...new Set(subjects.filter(isOrder))]
  if (id.length === 0) return new Map()
  const asked = { path: { businessId }, query: { id, limit: id.length } }
  const { items } = await kontor.operations.listOrders(asked, { signal })
  return new Map(items.map((order) => [order.id, order]))
}

/** Mended once the order is paid, or over. */
async function toMismatch(event: Of<'payment.mismatch'>, orders: Orders): Promise<Need | undefined> {
  if (!isOrder(event.subject)) return { kind: 'mismatch', event, order: undefined }
  const order = (await orders).get(event.subject)
  const isOpen = order && statusOf(order) !== 'CANCELLED' && ['PENDING', 'FAILED'].includes(paymentStatusOf(order))
  return isOpen ? { kind: 'mismatch', event, order } : undefined
}

/** Mended once another refund of the order was asked for. */
async function toRefund(
  { businessId, signal }: Asking,
  event: Of<'order.refund_failed'>,
  orders: Orders,
): Promise<Need | undefined> {
  const { subject: id, data } = event
  const [known, refunds] = await Promise.all([
    orders,
    unlessGone(kontor.operations.listRefunds({ path: { businessId, id }, query: { limit: 100 } }, { signal })),
  ])
  const order = known.get(id)
  const failed = refunds?.items.find((refund) => refund.id === data.refundId)
  const later = refunds?.items.some(
    ({ status, createdAt }) => status !== 'FAILED' && failed !== undefined && createdAt >= failed.createdAt,
  )
  return order && !later ? { kind: 'refund', event, order } : undefined
}

const entryOf = ({ businessId, signal }: Asking, id: string) =>
  unlessGone(kontor.operations.getEntry({ path: { businessId, id } }, { signal }))

/** Mended once it is published, or planned again. */
async function toPublishing(asking: Asking, event: Of<'entry.publish_failed'>): Promise<Need | undefined> {
  const entry = await entryOf(asking, event.subject)
  return entry && statusOf(entry) === 'DRAFT' && !entry.publishAt ? { kind: 'publishing', event, entry } : undefined
}

/** Mended once it goes on, or the letter was sent another time. */
async function toSending(asking: Asking, event: Of<'newsletter.send_failed'>): Promise<Need | undefined> {
  const { businessId, signal } = asking
  const { entryId } = event.data
  const [sends, entry] = await Promise.all([
    unlessGone(kontor.operations.listSends({ path: { businessId, entryId }, query: { limit: 1 } }, { signal })),
    entryOf(asking, entryId),
  ])
  const newest = sends?.items[0]
  const isOpen = newest?.id === event.subject && newest.problem && ['PAUSED', 'CANCELLED'].includes(newest.status)
  return isOpen ? { kind: 'sending', event, send: newest, entry } : undefined
}
