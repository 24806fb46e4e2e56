import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { revokeSessionsOf } from '../credentials/sessions.ts'

/** Blocks login, sessions and keys until the account is resumed. Returns how many sessions ended. */
export async function suspendUser(tx: ControlTx, userId: string): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts.users')
    .set({ suspendedAt: now(), updatedAt: now() })
    .where('id', '=', userId)
    .where('suspendedAt', 'is', null)
    .executeTakeFirst()
  const ended = await revokeSessionsOf(tx, userId)
  await notify(tx, 'api-keys', userId)
  if (numUpdatedRows > 0n) await audit(tx, { action: 'account.suspended', subject: userId })
  return ended
}

/** Allows login and keys again. Ended sessions stay ended. */
export async function resumeUser(tx: ControlTx, userId: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts.users')
    .set({ suspendedAt: null, updatedAt: now() })
    .where('id', '=', userId)
    .where('suspendedAt', 'is not', null)
    .executeTakeFirst()
  await notify(tx, 'api-keys', userId)
  if (numUpdatedRows > 0n) await audit(tx, { action: 'account.resumed', subject: userId })
}
