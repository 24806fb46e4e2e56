import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { needFreshProof } from '../credentials/need-proof.ts'
import { setApiKeys } from '../credentials/set-api-keys.ts'
import { guestsHaveNoKeys, keysMakeNoKeys } from '../errors.ts'
import type { UpdateBody, User } from '../schemas.ts'
import { getOwnUser } from '../users/queries.ts'
import { toE164 } from './phone-numbers.ts'

/** Listing a phone number does not verify it; removing it from the list forgets the verification. */
export async function updateProfile(control: ControlDb, box: SecretBox, actor: Actor, body: UpdateBody): Promise<User> {
  const { userId } = actor
  if (body.apiTokens && actor.kind === 'guest') throw guestsHaveNoKeys()
  if (body.apiTokens && actor.kind === 'api') throw keysMakeNoKeys()
  if (body.apiTokens) await needFreshProof(control, actor, { of: 'those-with-a-factor' })
  const phoneNumbers = body.phoneNumbers && [
    ...new Set(body.phoneNumbers.map((text, index) => toE164(`phoneNumbers.${index}`, text))),
  ]

  const made = await transaction(control, async (tx) => {
    await tx
      .updateTable('accounts.users')
      .set({
        updatedAt: now(),
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.addresses === undefined ? {} : { addresses: JSON.stringify(body.addresses) }),
        ...(body.onboardingCompleted === undefined ? {} : { onboardingCompleted: body.onboardingCompleted }),
        ...(phoneNumbers === undefined ? {} : { phoneNumbers }),
      })
      .where('id', '=', userId)
      .execute()
    if (phoneNumbers) {
      await sql`delete from accounts.verified_phones where user_id = ${userId} and number <> all(${phoneNumbers}::text[])`.execute(
        tx,
      )
    }
    return body.apiTokens ? setApiKeys(tx, box, actor, body.apiTokens) : new Map<string, string>()
  })
  const user = await getOwnUser(control, userId)
  return { ...user, apiTokens: user.apiTokens.map((token) => ({ ...token, value: made.get(token.id) ?? token.value })) }
}
