import { timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { audit } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { rateLimited } from '#vocabulary/errors.ts'
import { type Attempts, smsLimits } from './attempts.ts'
import { codeExpired, codeWrong, phoneInUse } from './errors.ts'
import { sendPhoneCode } from './jobs.ts'
import { mergeGuest } from './merge-guest.ts'
import { hashCode } from './phone-codes.ts'
import { toE164 } from './phone-numbers.ts'

const CODE_MS = 10 * 60_000
const MAX_TRIES = 5

/** A code is on its way by SMS. Who else may have the number is not told here. */
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
 * The right code, at most five tries, once. The number is then verified and the caller's: an earlier guest who had verified it
 * is merged into the caller; an account that has it keeps it.
 */
export async function confirmPhone(
  control: ControlDb,
  box: SecretBox,
  actor: Actor,
  { phoneNumber, code }: { phoneNumber: string; code: string },
): Promise<void> {
  const number = toE164('phoneNumber', phoneNumber)
  const { userId } = actor
  // Counted in a statement of its own: a wrong try stays counted.
  const { rows } = await sql<{ codeHash: Buffer | null; tries: number; expiresAt: Date }>`
    update accounts.phone_codes set tries = tries + 1
     where user_id = ${userId} and number = ${number}
    returning code_hash, tries, expires_at`.execute(control)
  const [known] = rows
  if (!known?.codeHash) throw codeWrong()
  if (known.expiresAt <= now()) throw codeExpired()
  if (known.tries > MAX_TRIES) throw rateLimited(60, 'Too many wrong codes. Ask for a new one.')
  const { codeHash } = known
  if (!hashCode(box, userId, number, code).some((hash) => timingSafeEqual(hash, codeHash))) throw codeWrong()

  await transaction(control, async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('accounts.phoneCodes')
      .where((row) => row.and({ userId, number, codeHash }))
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw codeWrong() // the same code, raced: one wins
    // A number that nobody has yet has no row to lock: two who confirm it at once go one after the other.
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

/** Listed last, once. */
const listPhone = (tx: ControlTx, userId: string, number: string) =>
  sql`
    update accounts.users
       set phone_numbers = array_append(array_remove(phone_numbers, ${number}), ${number}), updated_at = ${now()}
     where id = ${userId}`.execute(tx)
