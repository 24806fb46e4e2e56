import { sql } from 'kysely'
import type { Static } from 'typebox'
import { audit } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import { hashToken, newToken } from '#platform/crypto/secret-box.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { AppError, withFields } from '#vocabulary/errors.ts'
import type { Device, Provider } from '../credentials/sessions.ts'
import type { Tokens } from '../credentials/tokens.ts'
import { challengeInvalid, challengeTriedOften, secondFactorRequired, suspended } from '../errors.ts'
import { authResult } from '../sign-in/auth-result.ts'
import { beginSession, type RightLogin } from '../sign-in/begin-session.ts'
import { type FactorContext, judgeFactor } from './judge-factor.ts'
import { listMethods, lockUser, type Method } from './queries.ts'
import type { LoginFactorBody } from './schemas.ts'

const VALID_MS = 5 * 60_000
const MAX_TRIES = 5

export type Challenged = { challenge: string; methods: Method[] }

/**
 * Of a login that is right so far: a challenge, if the account has a second factor. Nothing of the login happens before
 * that is shown. The caller holds the account's lock, so that a factor that is added now is not missed.
 */
export async function challengeLogin(tx: ControlTx, login: RightLogin): Promise<Challenged | undefined> {
  const methods = await listMethods(tx, login.userId)
  if (methods.length === 0) return undefined
  const challenge = newToken()
  const { newIdentity, ...waiting } = login
  await tx
    .insertInto('accounts.loginChallenges')
    .values({
      ...waiting,
      challengeHash: hashToken(challenge),
      newIssuer: newIdentity?.issuer ?? null,
      newSubject: newIdentity?.subject ?? null,
      expiresAt: new Date(nowMs() + VALID_MS),
    })
    .execute()
  return { challenge, methods }
}

/** The challenge stands beside the fields that every error has. */
export const refuseUntilShown = (challenged: Challenged) => withFields(secondFactorRequired(), challenged)

export type FinishContext = Omit<FactorContext, 'address'> & { tokens: Tokens; device: Device }

/** The second half of a login. `endsAt`: when its session ends, unless the first half has said so. */
export async function finishLogin(
  context: FinishContext,
  { challenge, ...shown }: Static<typeof LoginFactorBody>,
  endsAt: Date | null = null,
) {
  const { control, tokens, device } = context
  const challengeHash = hashToken(challenge)
  const waiting = await countTry(control, challengeHash)
  if (!waiting) throw challengeInvalid()
  if (waiting.tries > MAX_TRIES) throw challengeTriedOften({ seconds: 1 })
  const { userId } = waiting
  try {
    const take = await judgeFactor({ ...context, address: device.address }, userId, shown)
    const { session, user } = await transaction(control, async (tx) => {
      const account = await lockUser(tx, userId)
      if (!account || account.suspendedAt) throw suspended()
      const { numDeletedRows } = await tx
        .deleteFrom('accounts.loginChallenges')
        .where('challengeHash', '=', challengeHash)
        .executeTakeFirst()
      if (numDeletedRows === 0n) throw challengeInvalid()
      const proof = await take(tx)
      const login = { ...waiting, endsAt: waiting.endsAt ?? endsAt }
      return { session: await beginSession(tx, context, login, proof), user: account }
    })
    return await authResult(tokens, session, user, waiting.provider)
  } catch (error) {
    if (isWrongFactor(error)) await auditWrong(control, userId, device)
    throw error
  }
}

const isWrongFactor = (error: unknown) =>
  error instanceof AppError &&
  error.details.some(({ error: code }) => code === 'CODE_WRONG' || code === 'PASSKEY_INVALID')

/** Somebody knew the password. Few are judged, so few can be written. */
const auditWrong = (control: ControlDb, userId: string, { address }: Device) =>
  transaction(control, (tx) => audit(tx, { action: 'login.factor-failed', subject: userId, data: { address } }))

/** A statement of its own, so that a wrong try stays counted. */
async function countTry(
  control: ControlDb,
  challengeHash: Buffer,
): Promise<(RightLogin & { tries: number }) | undefined> {
  const row = await control
    .updateTable('accounts.loginChallenges')
    .set({ tries: sql<number>`tries + 1` })
    .where('challengeHash', '=', challengeHash)
    .where('expiresAt', '>', now())
    .returningAll()
    .executeTakeFirst()
  if (!row) return undefined
  const { userId, guestId, endsAt, sealedProviderToken, staffOf, providerSession, newIssuer, newSubject, tries } = row
  const newIdentity = newIssuer && newSubject ? { issuer: newIssuer, subject: newSubject } : null
  const provider = row.provider as Exclude<Provider, 'GUEST'>
  return { userId, provider, guestId, endsAt, sealedProviderToken, newIdentity, staffOf, providerSession, tries }
}

/** The account whose login waits for this challenge. */
export async function findChallenged(control: ControlDb, challenge: string): Promise<string | undefined> {
  const row = await control
    .selectFrom('accounts.loginChallenges')
    .select('userId')
    .where('challengeHash', '=', hashToken(challenge))
    .where('expiresAt', '>', now())
    .executeTakeFirst()
  return row?.userId
}
