import { checkComplete, findEntry } from '#modules/content/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { type AppError } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import { fromSeconds, toSeconds } from '#vocabulary/time.ts'
import { alreadySent, entryNotFound, goesByItself, isUnderWay, notANewsletter } from '../errors.ts'
import { sendPlanned } from '../events.ts'
import type { NewSend } from '../schemas.ts'
import { readConditions } from '../segments/read-conditions.ts'
import { findNewsletter } from './newsletter.ts'
import { insertSend, isAutomated, listSendsOfEntry } from './queries.ts'
import type { SendRow } from './send.ts'

/** `problem`: why the entry cannot be rendered as a mail. */
type Planner = {
  business: Pick<Business, 'id' | 'markets'>
  actor: Actor
  permissions: readonly Permission[]
  problem: AppError | undefined
}

/** Plans to send an entry, now or later. Returns the existing send if one is open. */
export async function planSend(tx: Tx, planner: Planner, entryId: string, sent: NewSend): Promise<SendRow> {
  const { business, actor, permissions, problem } = planner
  const businessId = business.id
  const entry = await findEntry(tx, businessId, entryId)
  if (!entry) throw entryNotFound()
  const collection = await findNewsletter(tx, entry)
  if (!collection) throw notANewsletter({ field: 'entryId' })
  const conditions = await readConditions(tx, { business, newsletter: collection, permissions }, sent.conditions ?? [])
  if (await isAutomated(tx, businessId, entryId)) throw goesByItself()
  const earlier = await listSendsOfEntry(tx, businessId, entryId)
  const live = earlier.find(({ status }) => status !== 'DONE' && status !== 'CANCELLED')
  if (live && live.automationId !== null) throw isUnderWay() // of an automation that is gone
  if (live) return live
  // A send that has started may have reached somebody, recorded or not.
  const wasSent = earlier.some(({ status, startedAt, total }) => status === 'DONE' || (startedAt && total > 0))
  if (wasSent && !sent.resend) throw alreadySent()
  checkComplete(collection, entry)
  if (problem) throw problem

  const at = now()
  const scheduledAt = sent.scheduledAt === undefined ? at : fromSeconds(sent.scheduledAt)
  const row = {
    businessId,
    id: newId('snd'),
    entryId,
    collectionId: collection.id,
    status: 'SCHEDULED',
    onUncertain: sent.onUncertain ?? 'SKIP',
    scheduledAt: scheduledAt.getTime() < nowMs() ? at : scheduledAt,
    conditions: conditions.length > 0 ? JSON.stringify(conditions) : null,
    userId: actor.userId,
    createdAt: at,
    updatedAt: at,
  }
  const made = await insertSend(tx, row)
  if (!made) return planSend(tx, planner, entryId, sent) // a concurrent request was faster
  const data = { entryId, scheduledAt: toSeconds(made.scheduledAt) }
  await record(tx, sendPlanned({ businessId, subject: made.id, actor, data }))
  return made
}
