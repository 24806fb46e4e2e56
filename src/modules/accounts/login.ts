import { createHash } from 'node:crypto'
import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { AppError } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { type Attempts, auditLimits, guestLimits, type Limit, loginLimits, sprayLimit } from './attempts.ts'
import { authResult } from './auth-result.ts'
import { notConfirmed, suspended, wrongPassword } from './errors.ts'
import { addressHashes, rememberAddress } from './known-addresses.ts'
import { mergeGuest } from './merge-guest.ts'
import { hashPassword, isOutdated, passwordMatches } from './passwords.ts'
import { toE164 } from './phone-numbers.ts'
import { type Device, startSession } from './sessions.ts'
import type { Tokens } from './tokens.ts'
import { emailKey } from './users.ts'

export type LoginContext = {
  control: ControlDb
  tokens: Tokens
  box: SecretBox
  attempts: Attempts
  device: Device
  caller: Actor | undefined
}

/**
 * Known or not, right or wrong: the same steps, so that neither the answer nor its time tells which. From an address where this
 * account has logged in before, only the ten tries a minute count: guesses that others make do not lock its owner out.
 */
export async function loginWithEmail(context: LoginContext, { email, password }: { email: string; password: string }) {
  const { control, tokens, box, attempts, device, caller } = context
  const key = emailKey(email)
  const [perMinute, perDay] = loginLimits(key, device.address) as [Limit, Limit]
  await attempts.count(perMinute)
  const user = await control
    .selectFrom('accounts.users')
    .select(['id', 'email', 'passwordHash', 'confirmedAt', 'suspendedAt'])
    .select((row) =>
      row
        .exists(
          row
            .selectFrom('accounts.knownAddresses')
            .select('userId')
            .whereRef('userId', '=', 'accounts.users.id')
            .where('addressHash', 'in', addressHashes(box, device.address)),
        )
        .as('isKnownAddress'),
    )
    .where('emailKey', '=', key)
    .executeTakeFirst()
  const farther = user?.isKnownAddress ? [] : [perDay, sprayLimit(device.address)]
  await attempts.count(...farther)
  if (!(await passwordMatches(user?.passwordHash, password)) || !user) {
    await noteFailure(context, key, user?.id)
    throw wrongPassword()
  }
  // This one attempt, and no other: an account of one's own must not pay for guesses at those of others.
  await attempts.forgive(perMinute, ...farther)
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
    await rememberAddress(tx, box, user.id, device.address)
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

/** A flood of guesses must not fill the log: the first ones of a day are written down, then one a minute. */
async function noteFailure({ control, attempts, device }: LoginContext, key: string, userId: string | undefined) {
  const [first, then] = auditLimits(key)
  if (!(await isWithin(attempts, first)) && !(await isWithin(attempts, then))) return
  const subject = userId ?? `email_${createHash('sha256').update(key).digest('hex').slice(0, 16)}`
  await transaction(control, (tx) => audit(tx, { action: 'login.failed', subject, data: { address: device.address } }))
}

const isWithin = (attempts: Attempts, limit: Limit) =>
  attempts.count(limit).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.status === 429) return false
      throw error
    },
  )

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
