import { createHash } from 'node:crypto'
import { jwtVerify } from 'jose'
import { audit, setProviderRoles } from '#modules/access/index.ts'
import { nowMs } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { revokeSession } from '../credentials/sessions.ts'
import { logoutTokenInvalid } from '../errors.ts'
import type { StaffProvider, StaffProviders } from './providers.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const MAX_AGE_SECONDS = 300
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

type Logout = { subject: string | undefined; session: string | undefined; id: string }

/**
 * OpenID Connect Back-Channel Logout 1.0. About one session of the provider (`sid`): ours that came from it ends. About
 * a person: all of theirs that came from this provider end, and the roles that it gave them are taken, so that their API
 * keys lose them, too. Whoever still belongs gets the roles again with the next login.
 */
export async function takeLogoutToken(
  { control, staff }: { control: ControlDb; staff: StaffProviders },
  businessId: string,
  token: string,
): Promise<void> {
  const provider = await staff.get(businessId)
  const logout = await readToken(provider, token)
  await transaction(control, async (tx) => {
    if (await isRepeated(tx, businessId, logout.id)) return
    const userId = logout.subject && (await findUser(tx, provider.issuer, logout.subject))
    if (logout.subject && !userId) return // has never logged in here
    const sessions = await tx
      .selectFrom('accounts.sessions')
      .select(['id', 'userId'])
      .where('staffOf', '=', businessId)
      .where('revokedAt', 'is', null)
      .$if(Boolean(userId), (query) => query.where('userId', '=', userId ?? ''))
      .$if(logout.session !== undefined, (query) => query.where('providerSession', '=', logout.session ?? ''))
      .execute()
    for (const { id } of sessions) await revokeSession(tx, id)
    await dropWaiting(tx, { businessId, userId: userId || undefined, session: logout.session })
    if (userId && logout.session === undefined) await setProviderRoles(tx, { businessId, userId, roleIds: [] })
    const subject = userId || sessions[0]?.userId
    if (subject)
      await audit(tx, {
        businessId,
        action: 'member.logged-out-by-provider',
        subject,
        data: { sessions: sessions.length },
      })
  })
}

/** Logins by this provider whose code or second factor is still to come: they would begin a session after the logout. */
async function dropWaiting(
  tx: ControlTx,
  { businessId, userId, session }: { businessId: string; userId: string | undefined; session: string | undefined },
): Promise<void> {
  const theirs = {
    staffOf: businessId,
    ...(userId === undefined ? {} : { userId }),
    ...(session === undefined ? {} : { providerSession: session }),
  }
  await tx
    .deleteFrom('accounts.oauthFlows')
    .where((flow) => flow.and(theirs))
    .execute()
  await tx
    .deleteFrom('accounts.loginChallenges')
    .where((login) => login.and(theirs))
    .execute()
}

async function readToken({ issuer, clientId, keys }: StaffProvider, token: string): Promise<Logout> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience: clientId,
      algorithms: ALGORITHMS,
      currentDate: new Date(nowMs()),
      maxTokenAge: MAX_AGE_SECONDS,
      clockTolerance: 60,
      requiredClaims: ['iat', 'jti', 'events'],
    })
    const { sub, sid, jti, events, nonce } = payload
    const isLogout = typeof events === 'object' && events !== null && EVENT in events
    const [subject, session] = [textOf(sub), textOf(sid)]
    // An id token has a nonce, and must never be taken for this.
    if (!isLogout || nonce !== undefined || !jti || (subject === undefined && session === undefined))
      throw logoutTokenInvalid()
    return { subject, session, id: jti }
  } catch {
    throw logoutTokenInvalid()
  }
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

const findUser = async (tx: ControlTx, issuer: string, subject: string) =>
  (
    await tx
      .selectFrom('accounts.identities')
      .select('userId')
      .where((row) => row.and({ issuer, subject }))
      .executeTakeFirst()
  )?.userId

/** Sent once more, it must not end what began since. */
async function isRepeated(tx: ControlTx, businessId: string, id: string): Promise<boolean> {
  const challengeHash = createHash('sha256')
    .update(JSON.stringify(['logout', businessId, id]))
    .digest()
  const taken = await tx
    .insertInto('accounts.usedChallenges')
    .values({ challengeHash, expiresAt: new Date(nowMs() + 2 * MAX_AGE_SECONDS * 1_000) })
    .onConflict((known) => known.doNothing())
    .returning('challengeHash')
    .executeTakeFirst()
  return taken === undefined
}
