import { sql } from 'kysely'
import { findEntry, lockCollection } from '#modules/content/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { readLastNumber } from '#platform/events/feed.ts'
import { record } from '#platform/events/record.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { collectionNotFound, letterGone, letterTaken, notANewsletter, triggerTaken } from '../errors.ts'
import { automationCreated, automationDeleted, automationUpdated } from '../events.ts'
import type { AutomationRow, Sendings } from './automation.ts'
import { lockAutomation } from './queries.ts'
import type { AutomationChanges, NewAutomation } from './schemas.ts'

type Editor = { businessId: string; actor: Actor }
type Place = { collectionId: string; id: string }

const ONCE_A_MONTH = { times: 1, days: 30 }

export async function createAutomation(
  tx: Tx,
  { businessId, actor }: Editor,
  collectionId: string,
  { trigger, entryId, delayMinutes = 0, limit = ONCE_A_MONTH, isEnabled = true }: NewAutomation,
): Promise<AutomationRow> {
  const collection = await lockCollection(tx, businessId, collectionId, 'share')
  if (!collection) throw collectionNotFound()
  if (collection.type !== 'NEWSLETTER') throw notANewsletter({ field: 'collectionId' })
  await checkLetter(tx, businessId, collectionId, entryId)
  const at = now()
  const row: AutomationRow = {
    businessId,
    id: newId('aut'),
    collectionId,
    entryId,
    trigger,
    delayMinutes,
    ...limit,
    isEnabled,
    enabledAt: at,
    problem: null,
    problemAt: null,
    version: 1,
    createdAt: at,
    updatedAt: at,
  }
  if (isEnabled) await followFromNow(tx, businessId)
  await saying(() => tx.insertInto('newsletter.automations').values(row).execute())
  await record(tx, automationCreated({ businessId, subject: row.id, actor, data: { collectionId, trigger } }))
  return row
}

export async function updateAutomation(
  tx: Tx,
  { businessId, actor }: Editor,
  { collectionId, id }: Place,
  expected: Expected,
  sent: AutomationChanges,
): Promise<AutomationRow> {
  const before = await lockAutomation(tx, businessId, collectionId, id)
  checkVersion(expected, before)
  const { limit, ...fields } = sent
  if (fields.entryId !== undefined) await checkLetter(tx, businessId, collectionId, fields.entryId)
  const turnsOn = fields.isEnabled === true && !before.isEnabled
  const after: AutomationRow = {
    ...before,
    ...fields,
    ...limit,
    enabledAt: turnsOn ? now() : before.enabledAt,
    problem: null,
    problemAt: null,
    version: before.version + 1,
    updatedAt: now(),
  }
  if (turnsOn) await followFromNow(tx, businessId)
  await saying(() =>
    tx
      .updateTable('newsletter.automations')
      .set(after)
      .where((automation) => automation.and({ businessId, id }))
      .execute(),
  )
  if (after.entryId !== before.entryId || !after.isEnabled) await closeSends(tx, before)
  const data = { collectionId, trigger: before.trigger, fields: Object.keys(sent) }
  await record(tx, automationUpdated({ businessId, subject: id, actor, data }))
  return after
}

/** Whom it was due to and who got it stays known; whoever waits gets nothing. */
export async function deleteAutomation(
  tx: Tx,
  { businessId, actor }: Editor,
  { collectionId, id }: Place,
  expected: Expected,
): Promise<void> {
  const before = await lockAutomation(tx, businessId, collectionId, id)
  checkVersion(expected, before)
  await sql`
    delete from newsletter.due_letters
     where business_id = ${businessId} and automation_id = ${id} and state = 'WAITING'`.execute(tx)
  await closeSends(tx, before)
  await sql`delete from newsletter.automations where business_id = ${businessId} and id = ${id}`.execute(tx)
  const data = { collectionId, trigger: before.trigger }
  await record(tx, automationDeleted({ businessId, subject: id, actor, data }))
}

/** Includes what went out, because the response shows it; that does not make an edit stale. */
export const etagOfAutomation = ({ version, sentLately, latestSendId, problem }: AutomationRow & Sendings) =>
  etagOf(`${version}.${sentLately}.${latestSendId ?? ''}.${problem === null ? '' : 'p'}`)

const checkVersion = (expected: Expected, { version }: AutomationRow) =>
  checkExpected(
    expected?.map((tag) => tag.replace(/\..*"$/, '"')),
    etagOf(version),
  )

/** It takes in nobody else, and is done with those it has. */
export const closeSends = (tx: Tx, { businessId, id }: Pick<AutomationRow, 'businessId' | 'id'>) =>
  sql`
    update newsletter.sends set takes_until = ${now()}
     where business_id = ${businessId} and automation_id = ${id} and takes_until > ${now()}
       and status in ('RUNNING', 'PAUSED')`.execute(tx)

async function checkLetter(tx: Tx, businessId: string, collectionId: string, entryId: string): Promise<void> {
  const entry = await findEntry(tx, businessId, entryId)
  if (entry?.collectionId !== collectionId) throw letterGone()
}

async function saying(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    const constraint = violatedConstraint(error)
    if (constraint === 'automations_trigger_key') throw triggerTaken()
    throw constraint === 'automations_entry_key' ? letterTaken() : error
  }
}

/** The feed is followed from its end on, unless it is followed already. */
async function followFromNow(tx: Tx, businessId: string): Promise<void> {
  await sql`insert into newsletter.feed_positions (business_id, number) values (${businessId}, 0) on conflict do nothing`.execute(
    tx,
  )
  // Locked before it is asked who else follows: two that are turned on at once come one after the other.
  await sql`select from newsletter.feed_positions where business_id = ${businessId} for update`.execute(tx)
  const last = await readLastNumber(tx, businessId)
  await sql`
    update newsletter.feed_positions set number = ${last}
     where business_id = ${businessId}
       and not exists (select from newsletter.automations where business_id = ${businessId} and is_enabled)`.execute(tx)
}
