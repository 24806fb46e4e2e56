import { Type } from 'typebox'
import { withoutCustomers } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { dropDead } from '#platform/jobs/drop-dead.ts'
import { revokeSession } from './credentials/sessions.ts'
import { resendConfirmation, sendPhoneCode, sendReset } from './jobs.ts'
import { tellUnconfirmed } from './tell-cells.ts'
import { makeGuest } from './users/add-guest.ts'

const DAY_MS = 86_400_000
const UNCONFIRMED_DAYS = 7
const GUEST_IDLE_DAYS = 30
const ENDED_SESSION_DAYS = 30
const BATCH = 1_000
/** Jobs that carry an address or a number. */
const WITH_PEOPLE = [sendReset, resendConfirmation, sendPhoneCode].map(({ name }) => name)

const EXPIRING = [
  'accounts.phoneCodes',
  'accounts.resetTokens',
  'accounts.oauthFlows',
  'accounts.loginChallenges',
  'accounts.usedChallenges',
] as const

const daysAgo = (days: number) => new Date(nowMs() - days * DAY_MS)

/** Deletes what has expired: codes, unfinished sign-ins, unconfirmed accounts, guests who never bought anything. */
export const tidyAccounts = defineJob({
  name: 'accounts.tidy',
  on: 'control',
  payload: Type.Object({}),
  cron: '37 * * * *',
  async run(_payload, { db, cells, log, signal }) {
    for (const table of EXPIRING) await db.deleteFrom(table).where('expiresAt', '<', now()).execute()
    await db
      .deleteFrom('accounts.secondFactors')
      .where('confirmedAt', 'is', null)
      .where('createdAt', '<', daysAgo(1))
      .execute()
    await db.deleteFrom('accounts.attempts').where('resetsAt', '<', now()).execute()
    const unconfirmed = await dropUnconfirmed(db)
    await inBatches(signal, () => endIdleGuests(db))
    await inBatches(signal, () => endPastSessions(db))
    const guests = await inBatches(signal, () => dropEndedSessions(db))
    await dropDead(db, WITH_PEOPLE)
    for (const cell of cells.values()) await dropDead(cell, [makeGuest.name])
    log.info({ unconfirmed, guests }, 'tidied')
  },
})

/** Repeats until a batch is not full; returns the sum. */
async function inBatches(signal: AbortSignal, work: () => Promise<{ seen: number; removed: number }>): Promise<number> {
  for (let total = 0; ; ) {
    const { seen, removed } = await work()
    total += removed
    if (seen < BATCH || signal.aborted) return total
  }
}

async function dropUnconfirmed(db: ControlDb): Promise<number> {
  return transaction(db, async (tx) => {
    const dropped = await tx
      .deleteFrom('accounts.users')
      .where('confirmedAt', 'is', null)
      .where('isGuest', '=', false)
      .where('createdAt', '<', daysAgo(UNCONFIRMED_DAYS))
      .returning('id')
      .execute()
    const ids = dropped.map(({ id }) => id)
    if (ids.length === 0) return 0
    const aliases = await tx
      .deleteFrom('accounts.guestAliases')
      .where('userId', 'in', ids)
      .returning(['userId', 'guestId'])
      .execute()
    const guests = Map.groupBy(aliases, ({ userId }) => userId)
    for (const userId of ids) {
      const guestIds = (guests.get(userId) ?? []).map(({ guestId }) => guestId)
      await enqueue(tx, tellUnconfirmed(), { userId, guestIds })
    }
    return ids.length
  })
}

/** A guest's session ends after 30 idle days. */
async function endIdleGuests(db: ControlDb): Promise<{ seen: number; removed: number }> {
  const idle = await db
    .selectFrom('accounts.sessions')
    .select('id')
    .where('provider', '=', 'GUEST')
    .where('revokedAt', 'is', null)
    .where('lastUsedAt', '<', daysAgo(GUEST_IDLE_DAYS))
    .orderBy('lastUsedAt')
    .limit(BATCH)
    .execute()
  await transaction(db, async (tx) => {
    for (const { id } of idle) await revokeSession(tx, id)
  })
  return { seen: idle.length, removed: 0 }
}

/** Sessions of the dashboard whose time is over are deleted a while later, as all that have ended. */
async function endPastSessions(db: ControlDb): Promise<{ seen: number; removed: number }> {
  const past = await db
    .selectFrom('accounts.sessions')
    .select('id')
    .where('revokedAt', 'is', null)
    .where('endsAt', '<', now())
    .limit(BATCH)
    .execute()
  await transaction(db, async (tx) => {
    for (const { id } of past) await revokeSession(tx, id)
  })
  return { seen: past.length, removed: 0 }
}

/**
 * Keeps ended sessions for a while, except those of guests. A guest who never was a customer and never became a user is
 * deleted, too.
 */
async function dropEndedSessions(db: ControlDb): Promise<{ seen: number; removed: number }> {
  const ended = await db
    .selectFrom('accounts.sessions')
    .select(['id', 'userId', 'provider'])
    .where('revokedAt', 'is not', null)
    .where((session) =>
      session.or([session('provider', '=', 'GUEST'), session('revokedAt', '<', daysAgo(ENDED_SESSION_DAYS))]),
    )
    .orderBy('revokedAt')
    .limit(BATCH)
    .execute()
  if (ended.length === 0) return { seen: 0, removed: 0 }
  const guests = ended.filter(({ provider }) => provider === 'GUEST').map(({ userId }) => userId)
  const strangers = await withoutCustomers(db, [...new Set(guests)])
  const sessionIds = ended.map(({ id }) => id)
  return transaction(db, async (tx) => {
    await tx.deleteFrom('accounts.sessions').where('id', 'in', sessionIds).execute()
    if (strangers.length === 0) return { seen: ended.length, removed: 0 }
    const { numDeletedRows } = await tx
      .deleteFrom('accounts.users')
      .where('id', 'in', strangers)
      .where('isGuest', '=', true)
      .where('id', 'not in', (merged) =>
        merged.selectFrom('accounts.guestAliases').select('guestId').where('guestId', 'in', strangers),
      )
      .where('id', 'not in', (live) =>
        live.selectFrom('accounts.sessions').select('userId').where('userId', 'in', strangers),
      )
      .executeTakeFirst()
    return { seen: ended.length, removed: Number(numDeletedRows) }
  })
}
