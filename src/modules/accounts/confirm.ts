import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { tokenExpired, tokenInvalid } from './errors.ts'
import type { Tokens } from './tokens.ts'
import { emailKey } from './users.ts'

/** The token names the account and the address it was sent to. Using it twice within its hour is no mistake. */
export async function confirm(control: ControlDb, tokens: Tokens, token: string): Promise<void> {
  const claims = await tokens.check('confirm', token)
  if (claims === 'expired') throw tokenExpired()
  if (claims === 'invalid' || !claims.email) throw tokenInvalid()
  const { sub: id, email } = claims
  await transaction(control, async (tx) => {
    const user = await tx
      .selectFrom('accounts.users')
      .select(['confirmedAt'])
      .where('id', '=', id)
      .where('emailKey', '=', emailKey(email))
      .forUpdate()
      .executeTakeFirst()
    if (!user) throw tokenInvalid()
    if (user.confirmedAt) return
    await tx.updateTable('accounts.users').set({ confirmedAt: now(), updatedAt: now() }).where('id', '=', id).execute()
    await audit(tx, { action: 'account.confirmed', subject: id })
  })
}
