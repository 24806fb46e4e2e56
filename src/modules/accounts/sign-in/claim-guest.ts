import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Tokens } from '../credentials/tokens.ts'
import { notYourMail, tokenExpired, tokenInvalid } from '../errors.ts'
import { emailKey, holdUser } from '../users/queries.ts'
import { mergeGuest } from './merge-guest.ts'

/**
 * The guest of an order by hand becomes this account: the token was mailed to the address that the business wrote, and
 * the account has confirmed that address. The business is told nothing. Doing it twice is no error.
 */
export async function claimGuest(control: ControlDb, tokens: Tokens, { userId }: Actor, token: string): Promise<void> {
  const claims = await tokens.check('claim', token)
  if (claims === 'expired') throw tokenExpired({ field: 'token' })
  if (claims === 'invalid' || !claims.email) throw tokenInvalid({ field: 'token' })
  const { sub: guestId, email } = claims
  await transaction(control, async (tx) => {
    const user = await holdUser(tx, userId)
    if (!user?.email || emailKey(user.email) !== emailKey(email)) throw notYourMail()
    const guest = await tx
      .selectFrom('accounts.users')
      .select('id')
      .where('id', '=', guestId)
      .where('isGuest', '=', true)
      .where('guestOf', 'is not', null)
      .forUpdate()
      .executeTakeFirst()
    if (!guest) throw tokenInvalid({ field: 'token' })
    await mergeGuest(tx, guestId, userId)
    const alias = await tx
      .selectFrom('accounts.guestAliases')
      .select('userId')
      .where('guestId', '=', guestId)
      .executeTakeFirst()
    if (alias?.userId !== userId) throw tokenInvalid({ field: 'token' })
  })
}
