import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Tokens } from '../credentials/tokens.ts'
import { tokenExpired, tokenInvalid } from '../errors.ts'
import { emailKey } from '../users/queries.ts'

/** The token names the account and the address that it was sent to. Using it twice within its hour is no error. */
export async function confirm(control: ControlDb, tokens: Tokens, token: string): Promise<void> {
  const claims = await tokens.check('confirm', token)
  if (claims === 'expired') throw tokenExpired({ field: 'token' })
  if (claims === 'invalid' || !claims.email) throw tokenInvalid({ field: 'token' })
  const { sub: id, email } = claims
  await transaction(control, async (tx) => {
    const user = await tx
      .selectFrom('accounts.users')
      .select(['confirmedAt'])
      .where('id', '=', id)
      .where('emailKey', '=', emailKey(email))
      .forUpdate()
      .executeTakeFirst()
    if (!user) throw tokenInvalid({ field: 'token' })
    if (user.confirmedAt) return
    await tx.updateTable('accounts.users').set({ confirmedAt: now(), updatedAt: now() }).where('id', '=', id).execute()
    await audit(tx, { action: 'account.confirmed', subject: id })
  })
}
