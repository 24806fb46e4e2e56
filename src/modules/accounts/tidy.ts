import { Type } from 'typebox'
import { withoutCustomers } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { revokeSession } from './sessions.ts'

const DAY_MS = 86_400_000
const UNCONFIRMED_DAYS = 7
const GUEST_IDLE_DAYS = 30
const BATCH = 1_000

const daysAgo = (days: number) => new Date(nowMs() - days * DAY_MS)

/** Forgets what has run out: codes, half-made sign-ins, unconfirmed accounts, guests who left without buying anything. */
export const tidyAccounts = defineJob({
  name: 'accounts.tidy',
  on: 'control',
  payload: Type.Object({}),
  cron: '37 * * * *',
  async run(_payload, { db, log, signal }) {
    for (const table of ['accounts.phoneCodes', 'accounts.resetTokens', 'accounts.oauthFlows'] as const) {
      await db.deleteFrom(table).where('expiresAt', '<', now()).execute()
    }
    await db.deleteFrom('accounts.attempts').where('resetsAt', '<', now()).execute()
    const unconfirmed = await dropUnconfirmed(db)
    let guests = 0
    for (let ended = BATCH; ended === BATCH && !signal.aborted; ) {
      const batch = await endIdleGuests(db)
      ended = batch.ended
      guests += batch.removed
    }
    log.info({ unconfirmed, guests }, 'tidied')
  },
})

async function dropUnconfirmed(db: ControlDb): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('accounts.users')
    .where('confirmedAt', 'is', null)
    .where('isGuest', '=', false)
    .where('createdAt', '<', daysAgo(UNCONFIRMED_DAYS))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** A guest's session ends after 30 idle days; a guest who never was a customer, and became nobody else, goes with it. */
async function endIdleGuests(db: ControlDb): Promise<{ ended: number; removed: number }> {
  const idle = await db
    .selectFrom('accounts.sessions')
    .select(['id', 'userId'])
    .where('provider', '=', 'GUEST')
    .where('revokedAt', 'is', null)
    .where('lastUsedAt', '<', daysAgo(GUEST_IDLE_DAYS))
    .orderBy('lastUsedAt')
    .limit(BATCH)
    .execute()
  await transaction(db, async (tx) => {
    for (const { id } of idle) await revokeSession(tx, id)
  })
  const ids = await withoutCustomers(db, [...new Set(idle.map(({ userId }) => userId))])
  if (ids.length === 0) return { ended: idle.length, removed: 0 }
  const { numDeletedRows } = await db
    .deleteFrom('accounts.users')
    .where('id', 'in', ids)
    .where('isGuest', '=', true)
    .where('id', 'not in', (merged) =>
      merged.selectFrom('accounts.guestAliases').select('guestId').where('guestId', 'in', ids),
    )
    .executeTakeFirst()
  return { ended: idle.length, removed: Number(numDeletedRows) }
}
