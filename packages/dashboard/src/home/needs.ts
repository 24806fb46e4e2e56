import {
  type BusinessEvent,
  type Entry,
  KontorError,
  type Order,
  paymentStatusOf,
  type Send,
  statusOf,
} from '@kontor/sdk'
import { queryOptions } from '@tanstack/react-query'
import { kontor } from '../api/client.ts'
import { keyOf } from '../api/query.ts'
import type { Permission } from '../session/permissions.ts'

type Of<Type extends BusinessEvent['type']> = Extract<BusinessEvent, { type: Type }>

/** Something that went wrong and that nobody has mended yet, with the record in which it is mended. */
export type Need =
  | { kind: 'mismatch'; event: Of<'payment.mismatch'>; order: Order | undefined }
  | { kind: 'unexpected'; event: Of<'payment.unexpected'> }
  | { kind: 'refund'; event: Of<'order.refund_failed'>; order: Order }
  | { kind: 'publishing'; event: Of<'entry.publish_failed'>; entry: Entry }
  | { kind: 'sending'; event: Of<'newsletter.send_failed'>; send: Send; entry: Entry | undefined }

type Find = (businessId: string, signal: AbortSignal) => Promise<(Need | undefined)[]>

/** Older than this it is history. */
const DAYS = 30
/** Of each kind; each is looked at by itself, whether it still stands. */
const MOST = 10

const FINDERS: { needs: Permission[]; find: Find }[] = [
  { needs: ['ORDERS_READ'], find: findMismatches },
  { needs: ['ORDERS_READ'], find: findUnexpected },
  { needs: ['ORDERS_READ'], find: findRefunds },
  { needs: ['CONTENT_READ_DRAFTS'], find: findPublishing },
  { needs: ['SUBSCRIBERS_READ', 'NEWSLETTER_SEND', 'CONTENT_READ_DRAFTS'], find: findSending },
]

type May = (permission: Permission) => boolean

/** Whether this person may know of any of them. */
export const mayKnowNeeds = (may: May) => FINDERS.some(({ needs }) => needs.every(may))

/** From the feed, by type; then each record is asked whether it was mended since. */
export function needsQuery(businessId: string, may: May) {
  const finders = FINDERS.filter(({ needs }) => needs.every(may))
  return queryOptions({
    queryKey: [...keyOf(businessId, 'listEvents', { needs: finders.flatMap(({ needs }) => needs) })],
    queryFn: async ({ signal }) => {
      const found = await Promise.all(finders.map(({ find }) => find(businessId, signal)))
      return found
        .flat()
        .filter((need) => need !== undefined)
        .toSorted((a, b) => b.event.number - a.event.number)
    },
  })
}

/** The newest of each record. */
async function eventsOf<Type extends BusinessEvent['type']>(
  businessId: string,
  type: Type,
  signal: AbortSignal,
): Promise<Of<Type>[]> {
  const { items } = await kontor.operations.listEvents({ path: { businessId }, query: { type, limit: 50 } }, { signal })
  const since = Date.now() / 1_000 - DAYS * 86_400
  const recent = items.filter(({ timestamp }) => timestamp > since)
  const newest = new Map(recent.toReversed().map((event) => [event.subject, event]))
  return [...newest.values()].slice(-MOST) as Of<Type>[]
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
const orderOf = (businessId: string, id: string, signal: AbortSignal) =>
  unlessGone(kontor.operations.getOrder({ path: { businessId, id } }, { signal }))
const entryOf = (businessId: string, id: string, signal: AbortSignal) =>
  unlessGone(kontor.operations.getEntry({ path: { businessId, id } }, { signal }))

/** Mended once the order is paid, or over. */
async function findMismatches(businessId: string, signal: AbortSignal): Promise<(Need | undefined)[]> {
  const events = await eventsOf(businessId, 'payment.mismatch', signal)
  return Promise.all(
    events.map(async (event): Promise<Need | undefined> => {
      if (!isOrder(event.subject)) return { kind: 'mismatch', event, order: undefined }
      const order = await orderOf(businessId, event.subject, signal)
      const isOpen = order && statusOf(order) !== 'CANCELLED' && ['PENDING', 'FAILED'].includes(paymentStatusOf(order))
      return isOpen ? { kind: 'mismatch', event, order } : undefined
    }),
  )
}

async function findUnexpected(businessId: string, signal: AbortSignal): Promise<Need[]> {
  const events = await eventsOf(businessId, 'payment.unexpected', signal)
  return events.map((event) => ({ kind: 'unexpected', event }))
}

/** Mended once another refund of the order was asked for. */
async function findRefunds(businessId: string, signal: AbortSignal): Promise<(Need | undefined)[]> {
  const events = await eventsOf(businessId, 'order.refund_failed', signal)
  return Promise.all(
    events.map(async (event): Promise<Need | undefined> => {
      const { subject, data } = event
      const [order, refunds] = await Promise.all([
        orderOf(businessId, subject, signal),
        unlessGone(
          kontor.operations.listRefunds({ path: { businessId, id: subject }, query: { limit: 100 } }, { signal }),
        ),
      ])
      const failed = refunds?.items.find(({ id }) => id === data.refundId)
      const later = refunds?.items.some(
        ({ status, createdAt }) => status !== 'FAILED' && failed !== undefined && createdAt >= failed.createdAt,
      )
      return order && !later ? { kind: 'refund', event, order } : undefined
    }),
  )
}

/** Mended once it is published, or planned again. */
async function findPublishing(businessId: string, signal: AbortSignal): Promise<(Need | undefined)[]> {
  const events = await eventsOf(businessId, 'entry.publish_failed', signal)
  return Promise.all(
    events.map(async (event): Promise<Need | undefined> => {
      const entry = await entryOf(businessId, event.subject, signal)
      return entry && statusOf(entry) === 'DRAFT' && !entry.publishAt ? { kind: 'publishing', event, entry } : undefined
    }),
  )
}

/** Mended once it goes on, or the letter was sent another time. */
async function findSending(businessId: string, signal: AbortSignal): Promise<(Need | undefined)[]> {
  const events = await eventsOf(businessId, 'newsletter.send_failed', signal)
  return Promise.all(
    events.map(async (event): Promise<Need | undefined> => {
      const { entryId } = event.data
      const [sends, entry] = await Promise.all([
        unlessGone(kontor.operations.listSends({ path: { businessId, entryId }, query: { limit: 1 } }, { signal })),
        entryOf(businessId, entryId, signal),
      ])
      const newest = sends?.items[0]
      const isOpen = newest?.id === event.subject && newest.problem && ['PAUSED', 'CANCELLED'].includes(newest.status)
      return isOpen ? { kind: 'sending', event, send: newest, entry } : undefined
    }),
  )
}
