import { createHash } from 'node:crypto'
import { audit, findBusiness } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { AppError } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { type Device, startSession } from '../credentials/sessions.ts'
import type { Tokens } from '../credentials/tokens.ts'
import { notConfirmed, suspended, wrongPassword } from '../errors.ts'
import { toE164 } from '../profile/phone-numbers.ts'
import { challengeLogin, refuseUntilShown } from '../second-factor/login-challenge.ts'
import { emailKey } from '../users/queries.ts'
import {
  type Attempts,
  auditLimits,
  guestLimits,
  knownAddressLimit,
  type Limit,
  loginLimits,
  sprayLimit,
} from './attempts.ts'
import { authResult } from './auth-result.ts'
import { beginSession, type RightLogin } from './begin-session.ts'
import { addressHashes } from './known-addresses.ts'
import { hashPassword, isOutdated, passwordMatches } from './passwords.ts'

export type LoginContext = {
  control: ControlDb
  tokens: Tokens
  box: SecretBox
  attempts: Attempts
  device: Device
  /** When the session ends, if it does by itself. */
  endsAt?: Date | undefined
  caller: Actor | undefined
}

/**
 * Takes the same steps for known and unknown accounts, right and wrong passwords, so that neither the response nor its
 * timing reveals which it was. From an address where this account has logged in before, only the limit of ten a minute
 * applies: guesses by others do not lock the owner out.
 */
export async function loginWithEmail(context: LoginContext, { email, password }: { email: string; password: string }) {
  const { control, tokens, box, attempts, device, endsAt, caller } = context
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
  const otherLimits = user?.isKnownAddress
    ? [knownAddressLimit(key, device.address)]
    : [perDay, sprayLimit(device.address)]
  await attempts.count(...otherLimits)
  if (!(await passwordMatches(user?.passwordHash, password)) || !user) {
    await auditFailure(context, key, user?.id)
    throw wrongPassword()
  }
  // Gives back only this attempt: logging in to an own account must not reset guesses at others.
  await attempts.forgive(perMinute, ...otherLimits)
  if (!user.confirmedAt) throw notConfirmed()
  if (user.suspendedAt) throw suspended()
  const renewed = user.passwordHash && isOutdated(user.passwordHash) ? await hashPassword(password) : undefined

  const outcome = await transaction(control, async (tx) => {
    // Guarded: the password may have been reset while the hash was computed. It also locks the account.
    const still = await tx
      .updateTable('accounts.users')
      .set({ passwordHash: renewed ?? user.passwordHash })
      .where('id', '=', user.id)
      .where('passwordHash', '=', user.passwordHash)
      .where('suspendedAt', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (!still) throw wrongPassword()
    const login: RightLogin = {
      userId: user.id,
      provider: 'EMAIL',
      guestId: caller?.kind === 'guest' ? caller.userId : null,
      endsAt: endsAt ?? null,
      sealedProviderToken: null,
      newIdentity: null,
    }
    const challenged = await challengeLogin(tx, login)
    return challenged ? { challenged } : { session: await beginSession(tx, context, login) }
  })
  if (outcome.challenged) throw refuseUntilShown(outcome.challenged)
  return authResult(tokens, outcome.session, user, 'EMAIL')
}

/** Audits the first failures of a day, then one a minute, so that a flood of guesses does not fill the log. */
async function auditFailure({ control, attempts, device }: LoginContext, key: string, userId: string | undefined) {
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

/** Every guest login creates a new guest: an unverified phone number proves nothing. */
export async function loginAsGuest(
  { control, tokens, attempts, device }: LoginContext,
  { phoneNumber, businessId }: { phoneNumber?: string; businessId?: string },
  perHour: number,
) {
  const phoneNumbers = phoneNumber === undefined ? [] : [toE164('phoneNumber', phoneNumber)]
  const business = businessId === undefined ? undefined : await findBusiness(control, businessId)
  await attempts.count(...guestLimits(device.address, business?.id, perHour))
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
