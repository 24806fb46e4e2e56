import { type BusinessEvent, type Entry, KontorError, statusOf } from '@kontor/sdk'
import { kontor } from '../api/client.ts'
import type { Permission } from '../session/permissions.ts'
import type { Asking } from './news.ts'

type Type = BusinessEvent['type']
type Of<One extends Type> = Extract<BusinessEvent, { type: One }>

/** What only the feed knows: something that went wrong and that nobody has mended yet. */
export type Need =
  | { kind: 'mismatch'; event: Of<'payment.mismatch'> }
  | { kind: 'unexpected'; event: Of<'payment.unexpected'> }
  | { kind: 'publishing'; event: Of<'entry.publish_failed'>; entry: Entry }

/** Older than this it is history. */
const DAYS = 30
/** Of each kind. */
const MOST = 10

const NEEDED = {
  'payment.mismatch': ['ORDERS_READ'],
  'payment.unexpected': ['ORDERS_READ'],
  'entry.publish_failed': ['CONTENT_READ_DRAFTS'],
} satisfies Partial<Record<Type, Permission[]>>

export type May = (permission: Permission) => boolean

export const typesOfNeeds = (may: May): string[] =>
  Object.entries(NEEDED).flatMap(([type, needed]) => (needed.every(may) ? [type] : []))

/** Each entry is asked whether it was mended since. Orders in trouble are in the report. */
export async function findNeeds(asking: Asking, events: readonly BusinessEvent[]): Promise<Need[]> {
  const since = Date.now() / 1_000 - DAYS * 86_400
  const recent = events.filter(({ timestamp }) => timestamp > since)
  const found = await Promise.all([
    ...newestOf(recent, 'payment.mismatch')
      .filter(({ subject }) => !isOrder(subject))
      .map(async (event): Promise<Need> => ({ kind: 'mismatch', event })),
    ...newestOf(recent, 'payment.unexpected').map(async (event): Promise<Need> => ({ kind: 'unexpected', event })),
    ...newestOf(recent, 'entry.publish_failed').map((event) => toPublishing(asking, event)),
  ])
  return found.filter((need) => need !== undefined).toSorted((a, b) => b.event.number - a.event.number)
}

/** The newest of each record. */
function newestOf<One extends keyof typeof NEEDED>(events: readonly BusinessEvent[], type: One): Of<One>[] {
  const ofType = events.filter((event) => event.type === type)
  const newest = new Map(ofType.toReversed().map((event) => [event.subject, event]))
  return [...newest.values()].slice(-MOST) as Of<One>[]
}

const isOrder = (id: string) => id.startsWith('ord_')

/** Mended once it is published, or planned again. */
async function toPublishing(asking: Asking, event: Of<'entry.publish_failed'>): Promise<Need | undefined> {
  const entry = await entryOf(asking, event.subject)
  return entry && statusOf(entry) === 'DRAFT' && !entry.publishAt ? { kind: 'publishing', event, entry } : undefined
}

/** Undefined if it is gone, or not for this person. */
async function entryOf({ businessId, signal }: Asking, id: string): Promise<Entry | undefined> {
  try {
    return await kontor.operations.getEntry({ path: { businessId, id } }, { signal })
  } catch (error) {
    if (error instanceof KontorError && [403, 404].includes(error.status)) return undefined
    throw error
  }
}
