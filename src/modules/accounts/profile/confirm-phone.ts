import { timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { audit } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { codeExpired, codeWrong, phoneInUse, tooManyWrongCodes } from '../errors.ts'
import { sendPhoneCode } from '../jobs.ts'
import { type Attempts, smsLimits } from '../sign-in/attempts.ts'
import { mergeGuest } from '../sign-in/merge-guest.ts'
import { hashCode } from './mint-phone-code.ts'
import { toE164 } from './phone-numbers.ts'

const CODE_MS = 10 * 60_000
const MAX_TRIES = 5

/** Sends a code by SMS. The response does not reveal whether another user has the number. */
export async function requestPhoneCode(
  control: ControlDb,
  attempts: Attempts,
  { actor, address }: { actor: Actor; address: string },
  phoneNumber: string,
): Promise<void> {
  const number = toE164('phoneNumber', phoneNumber)
  const { userId } = actor
  await attempts.count(...smsLimits(number, userId, address))
  await transaction(control, async (tx) => {
    const fresh = { codeHash: null, tries: 0, expiresAt: new Date(nowMs() + CODE_MS) }
    await tx
      .insertInto('accounts.phoneCodes')
      .values({ userId, number, ...fresh })
      .onConflict((known) => known.columns(['userId', 'number']).doUpdateSet(fresh))
      .execute()
    await enqueue(tx, sendPhoneCode, { userId, number })
  })
}

/**
 * Accepts the right code once, within five tries. The number is then verified for the caller: a guest who had verified
 * it before is merged into the caller; an account that has it keeps it.
 */
export async function confirmPhone(
  control: ControlDb,
  box: SecretBox,
  actor: Actor,
  { phoneNumber, code }: { phoneNumber: string; code: string },
): Promise<void> {
  const number = toE164('phoneNumber', phoneNumber)
  const { userId } = actor
  // A separate statement, so that a wrong try stays counted.
  const { rows } = await sql<{ codeHash: Buffer | null; tries: number; expiresAt: Date }>`
    update accounts.phone_codes set tries = tries + 1
     where user_id = ${userId} and number = ${number}
    returning code_hash, tries, expires_at`.execute(control)
  const [known] = rows
  if (!known?.codeHash) throw codeWrong()
  if (known.expiresAt <= now()) throw codeExpired()
  if (known.tries > MAX_TRIES) throw tooManyWrongCodes({ seconds: 60 })
  const { codeHash } = known
  if (!hashCode(box, userId, number, code).some((hash) => timingSafeEqual(hash, codeHash))) throw codeWrong()

  await transaction(control, async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('accounts.phoneCodes')
      .where((row) => row.and({ userId, number, codeHash }))
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw codeWrong() // the same code was used twice at once: one wins
    // A new number has no row to lock, so an advisory lock serialises two users who confirm it at once.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`phone:${number}`}, 0))`.execute(tx)
    const owner = await tx
      .selectFrom('accounts.verifiedPhones')
      .innerJoin('accounts.users', 'accounts.users.id', 'accounts.verifiedPhones.userId')
      .select(['accounts.users.id', 'accounts.users.isGuest'])
      .where('accounts.verifiedPhones.number', '=', number)
      .forUpdate()
      .executeTakeFirst()
    if (owner && owner.id !== userId && !owner.isGuest) throw phoneInUse()
    if (owner && owner.id !== userId) await mergeGuest(tx, owner.id, userId)
    await tx
      .insertInto('accounts.verifiedPhones')
      .values({ number, userId, verifiedAt: now() })
      .onConflict((taken) => taken.column('number').doUpdateSet({ userId, verifiedAt: now() }))
      .execute()
    await listPhone(tx, userId, number)
    await audit(tx, { action: 'phone.verified', subject: userId, actor })
  })
}

/** Appends the number to the list, once. */
const listPhone = (tx: ControlTx, userId: string, number: string) =>
  sql`
    update accounts.users
       set phone_numbers = array_append(array_remove(phone_numbers, ${number}), ${number}), updated_at = ${now()}
     where id = ${userId}`.execute(tx)
