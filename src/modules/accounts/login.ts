import { createHash } from 'node:crypto'
import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { type Attempts, guestLimits, loginLimits } from './attempts.ts'
import { authResult } from './auth-result.ts'
import { notConfirmed, suspended, wrongPassword } from './errors.ts'
import { mergeGuest } from './merge-guest.ts'
import { hashPassword, isOutdated, passwordMatches } from './passwords.ts'
import { toE164 } from './phone-numbers.ts'
import { type Device, startSession } from './sessions.ts'
import type { Tokens } from './tokens.ts'
import { emailKey } from './users.ts'

export type LoginContext = {
  control: ControlDb
  tokens: Tokens
  attempts: Attempts
  device: Device
  caller: Actor | undefined
}

/** Known or not, right or wrong: the same steps, so that neither the answer nor its time tells which. */
export async function loginWithEmail(context: LoginContext, { email, password }: { email: string; password: string }) {
  const { control, tokens, attempts, device, caller } = context
  const key = emailKey(email)
  const limits = loginLimits(key, device.address)
  await attempts.count(...limits)
  const user = await control
    .selectFrom('accounts.users')
    .select(['id', 'email', 'passwordHash', 'confirmedAt', 'suspendedAt'])
    .where('emailKey', '=', key)
    .executeTakeFirst()
  if (!(await passwordMatches(user?.passwordHash, password)) || !user) {
    const subject = user?.id ?? `email_${createHash('sha256').update(key).digest('hex').slice(0, 16)}`
    await transaction(control, (tx) =>
      audit(tx, { action: 'login.failed', subject, data: { address: device.address } }),
    )
    throw wrongPassword()
  }
  await attempts.forgive(...limits)
  if (!user.confirmedAt) throw notConfirmed()
  if (user.suspendedAt) throw suspended()
  const renewed = user.passwordHash && isOutdated(user.passwordHash) ? await hashPassword(password) : undefined

  const session = await transaction(control, async (tx) => {
    // Only if the password is still the one that was verified: it may have been reset while we computed.
    const still = await tx
      .updateTable('accounts.users')
      .set({ lastLoginAt: now(), ...(renewed ? { passwordHash: renewed } : {}) })
      .where('id', '=', user.id)
      .where('passwordHash', '=', user.passwordHash)
      .where('suspendedAt', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (!still) throw wrongPassword()
    if (caller?.kind === 'guest') await mergeGuest(tx, caller.userId, user.id)
    const started = await startSession(tx, { userId: user.id, provider: 'EMAIL', device })
    await audit(tx, {
      action: 'login.succeeded',
      subject: user.id,
      data: { provider: 'EMAIL', address: device.address },
    })
    return started
  })
  return authResult(tokens, session, user, 'EMAIL')
}

/** Every guest login is a new guest: a phone number that nobody has verified proves nothing. */
export async function loginAsGuest(
  { control, tokens, attempts, device }: LoginContext,
  phoneNumber: string | undefined,
  perHour: number,
) {
  const phoneNumbers = phoneNumber === undefined ? [] : [toE164('phoneNumber', phoneNumber)]
  await attempts.count(...guestLimits(device.address, perHour))
  const id = newId('usr')
  const session = await transaction(control, async (tx) => {
    await tx
      .insertInto('accounts.users')
      .values({ id, isGuest: true, phoneNumbers, createdAt: now(), updatedAt: now(), lastLoginAt: now() })
      .execute()
    return startSession(tx, { userId: id, provider: 'GUEST', device })
  })
  return authResult(tokens, session, { id, email: null }, 'GUEST')
}
