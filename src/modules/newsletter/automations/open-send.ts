import { sql } from 'kysely'
import { type Entry, findEntry } from '#modules/content/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { newId } from '#vocabulary/ids.ts'
import { sendStarted } from '../events.ts'
import type { SendRow } from '../sending/send.ts'
import type { Letter } from '../sending/start-send.ts'
import type { AutomationRow } from './automation.ts'
import { closeSends } from './change-automation.ts'

/** A send takes in whoever becomes due for this long: prices that the letter shows are not older. */
const OPEN_MS = 3_600_000

type OpenSend = Pick<SendRow, 'id' | 'status' | 'automationId' | 'startedAt' | 'takesUntil'>

/** The live send of its letter, whoever has planned it: an entry has one at most. */
export async function findOpenSend(db: Db, { businessId, entryId }: AutomationRow): Promise<OpenSend | undefined> {
  const { rows } = await openSends(db, businessId, entryId, sql``)
  return rows[0]
}

const openSends = (db: Db, businessId: string, entryId: string, lock: ReturnType<typeof sql>) =>
  sql<OpenSend>`
  select id, status, automation_id, started_at, takes_until
    from newsletter.sends
   where business_id = ${businessId} and entry_id = ${entryId} and status in ('SCHEDULED', 'RUNNING', 'PAUSED')
   ${lock}`.execute(db)

/** Whether it is still open, and its letter is the one of today. */
export const isFresh = ({ takesUntil, startedAt }: OpenSend, { updatedAt }: Pick<Entry, 'updatedAt'>) =>
  takesUntil !== null && takesUntil > now() && startedAt !== null && startedAt >= updatedAt

type Joining = {
  subscriptionIds: readonly string[]
  /** They have waited for so long that an older letter is better than none. */
  isPressing: boolean
}

/**
 * The send that these readers join, and who of them is in it already: nobody gets it twice by one send. Undefined if
 * there is none now, because another send of the letter is under way, or this one is closed or paused.
 */
export async function joinSend(
  tx: Tx,
  automation: AutomationRow,
  letter: Letter | null,
  { subscriptionIds, isPressing }: Joining,
): Promise<{ sendId: string; has: ReadonlySet<string> } | undefined> {
  const { businessId, entryId } = automation
  const { rows } = await openSends(tx, businessId, entryId, sql`for update`)
  const [live] = rows
  if (!live) {
    const sendId = letter && (await openSend(tx, automation, letter))
    return sendId ? { sendId, has: new Set() } : undefined
  }
  if (live.automationId !== automation.id || live.status !== 'RUNNING') return undefined
  const entry = await findEntry(tx, businessId, entryId)
  if (!entry) return undefined
  if (!isFresh(live, entry) && !isPressing) {
    await closeSends(tx, automation) // it ends with those it has, and the next begins with the letter as it is
    return undefined
  }
  const { rows: known } = await sql<{ subscriptionId: string }>`
    select subscription_id
      from newsletter.recipients
     where business_id = ${businessId} and send_id = ${live.id} and subscription_id = any (${subscriptionIds}::text[])`.execute(
    tx,
  )
  return { sendId: live.id, has: new Set(known.map(({ subscriptionId }) => subscriptionId)) }
}

/** Undefined: the letter was changed while it was composed, or another send of it was faster. */
async function openSend(tx: Tx, automation: AutomationRow, letter: Letter): Promise<string | undefined> {
  const { businessId, id: automationId, entryId, collectionId } = automation
  const { entryVersion, ...content } = letter
  if ((await findEntry(tx, businessId, entryId))?.version !== entryVersion) return undefined
  const at = now()
  const made = await tx
    .insertInto('newsletter.sends')
    .values({
      businessId,
      id: newId('snd'),
      entryId,
      collectionId,
      automationId,
      ...content,
      status: 'RUNNING',
      onUncertain: 'SKIP',
      scheduledAt: at,
      startedAt: at,
      takesUntil: new Date(nowMs() + OPEN_MS),
      isPlanned: true,
      createdAt: at,
      updatedAt: at,
    })
    .onConflict((known) =>
      known.columns(['businessId', 'entryId']).where('status', 'in', ['SCHEDULED', 'RUNNING', 'PAUSED']).doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  if (made) await record(tx, sendStarted({ businessId, subject: made.id, data: { entryId } }))
  return made?.id
}
