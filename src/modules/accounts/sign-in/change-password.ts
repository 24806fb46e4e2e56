import { audit } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import { hashToken, newToken, type SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { needFreshProof } from '../credentials/need-proof.ts'
import { revokeSessionsOf } from '../credentials/sessions.ts'
import { tokenExpired, tokenInvalid, wrongOldPassword } from '../errors.ts'
import { listMethods } from '../second-factor/queries.ts'
import { emailKey } from '../users/queries.ts'
import { type Attempts, dailyLoginLimit, loginLimits } from './attempts.ts'
import { forgetAddresses, rememberAddress } from './known-addresses.ts'
import { checkPassword, hashPassword, passwordMatches } from './passwords.ts'

const RESET_MS = 3_600_000

export type PasswordContext = { control: ControlDb; box: SecretBox; attempts: Attempts; address: string }

/** Needs the old password. All other sessions end at once. */
export async function changePassword(
  { control, box, attempts, address }: PasswordContext,
  actor: Actor,
  { oldPassword, newPassword }: { oldPassword: string; newPassword: string },
): Promise<void> {
  await needFreshProof(control, actor, { of: 'those-with-a-factor' })
  const limits = loginLimits(actor.userId, address)
  await attempts.count(...limits)
  const user = await control
    .selectFrom('accounts.users')
    .select(['email', 'passwordHash'])
    .where('id', '=', actor.userId)
    .executeTakeFirst()
  if (!user || !(await passwordMatches(user.passwordHash, oldPassword))) throw wrongOldPassword()
  await attempts.forgive(...limits)
  checkPassword('newPassword', newPassword, user.email ?? '')
  const passwordHash = await hashPassword(newPassword)
  await transaction(control, async (tx) => {
    // Guarded: the stored password must still be the one that was verified.
    const still = await tx
      .selectFrom('accounts.users')
      .select('id')
      .where('id', '=', actor.userId)
      .where('passwordHash', '=', user.passwordHash)
      .forUpdate()
      .executeTakeFirst()
    if (!still) throw wrongOldPassword()
    await setPassword(tx, actor.userId, passwordHash, actor.sessionId)
    await rememberAddress(tx, box, actor.userId, address)
    await audit(tx, { action: 'password.changed', subject: actor.userId, actor })
  })
}

async function setPassword(tx: ControlTx, userId: string, passwordHash: string, keepSession?: string): Promise<void> {
  await tx.updateTable('accounts.users').set({ passwordHash, updatedAt: now() }).where('id', '=', userId).execute()
  await tx.deleteFrom('accounts.resetTokens').where('userId', '=', userId).execute()
  // Logins that wait for a second factor were made with the password before.
  await tx.deleteFrom('accounts.loginChallenges').where('userId', '=', userId).execute()
  await revokeSessionsOf(tx, userId, keepSession)
  await forgetAddresses(tx, userId)
}

/** Created by the worker that mails it; only the hash is stored. */
export async function mintResetToken(tx: ControlTx, userId: string): Promise<string> {
  const token = newToken()
  await tx
    .insertInto('accounts.resetTokens')
    .values({ tokenHash: hashToken(token), userId, expiresAt: new Date(nowMs() + RESET_MS) })
    .execute()
  return token
}

/**
 * Sets a password with a mailed token, once. It also confirms the address, because only its owner can have read the
 * mail. Failed guesses of others do not lock the owner out.
 */
export async function resetPassword(
  { control, box, attempts, address }: PasswordContext,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const tokenHash = hashToken(token)
  const known = await control
    .selectFrom('accounts.resetTokens')
    .innerJoin('accounts.users', 'accounts.users.id', 'accounts.resetTokens.userId')
    .select(['accounts.users.id', 'accounts.users.email', 'accounts.resetTokens.expiresAt'])
    .where('accounts.resetTokens.tokenHash', '=', tokenHash)
    .executeTakeFirst()
  if (!known) throw tokenInvalid({ field: 'token' })
  if (known.expiresAt <= now()) throw tokenExpired({ field: 'token' })
  checkPassword('password', password, known.email ?? '')
  const passwordHash = await hashPassword(password)
  await transaction(control, async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('accounts.resetTokens')
      .where('tokenHash', '=', tokenHash)
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw tokenInvalid({ field: 'token' })
    await setPassword(tx, known.id, passwordHash)
    // With a second factor, an address is known only if that was shown there.
    if ((await listMethods(tx, known.id)).length === 0) await rememberAddress(tx, box, known.id, address)
    await tx
      .updateTable('accounts.users')
      .set({ confirmedAt: now() })
      .where('id', '=', known.id)
      .where('confirmedAt', 'is', null)
      .execute()
    await audit(tx, { action: 'password.reset', subject: known.id })
  })
  await attempts.clear(...loginLimits(emailKey(known.email ?? ''), address), dailyLoginLimit(known.id))
}
