import * as oidc from 'openid-client'
import { findBusiness } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { Config } from '#platform/config.ts'
import { hashToken, newToken, type SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { transaction } from '#platform/database/transaction.ts'
import { withTimeout } from '#platform/with-timeout.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { isEmail } from '#vocabulary/email.ts'
import { newId } from '#vocabulary/ids.ts'
import { businessSuspended } from '#vocabulary/refusals.ts'
import { type Device, revokeSessionsOf } from '../credentials/sessions.ts'
import type { Tokens } from '../credentials/tokens.ts'
import {
  identityEmailInvalid,
  identityFailed,
  identityTooLarge,
  noIdentity,
  noStaffProvider,
  staffProviderFailed,
  staffRefused,
  suspended,
  tokenExpired,
  tokenInvalid,
} from '../errors.ts'
import { challengeLogin, refuseUntilShown } from '../second-factor/login-challenge.ts'
import { hasAnyFactor, listMethods, lockUser } from '../second-factor/queries.ts'
import { admitStaff, giveRoles, saysSecondFactor } from '../staff/admit.ts'
import type { StaffProviders } from '../staff/providers.ts'
import { emailKey } from '../users/queries.ts'
import { authResult } from './auth-result.ts'
import { announceIdentity, beginSession, joinIdentity, type RightLogin } from './begin-session.ts'
import type { Origins } from './origins.ts'

const FLOW_MS = 10 * 60_000
const CODE_MS = 60_000
const TIMEOUT_SECONDS = 5
/** For a whole callback, which may take four requests. */
const MAX_EXCHANGE_MS = 8_000
const CLOCK_SKEW_SECONDS = 60

export const CALLBACK_PATH = '/v1/users/login/callback'

/** The external identity provider (OpenID Connect) behind OAUTH_IDP, discovered on first use. */
export type IdentityProvider = { configuration(): Promise<oidc.Configuration> }

export function createIdentityProvider(settings: Config['identity']): IdentityProvider {
  let discovered: Promise<oidc.Configuration> | undefined
  return {
    async configuration() {
      if (!settings) throw noIdentity()
      const { issuer, clientId, clientSecret } = settings
      // The id_token's signature is checked as well, though it comes straight from the provider.
      const execute = [
        oidc.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []),
      ]
      discovered ??= oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        execute,
        timeout: TIMEOUT_SECONDS,
      })
      try {
        return await discovered
      } catch {
        discovered = undefined // the next request tries again
        throw identityFailed()
      }
    },
  }
}

export type BrokerContext = {
  control: ControlDb
  box: SecretBox
  origins: Origins
  provider: IdentityProvider
  staff: StaffProviders
  publicUrl: string
}

/** Sessions of staff end after a day, so that their provider is asked again who they are. */
const STAFF_SESSION_MS = 24 * 3_600_000

/** Each provider of a business has an address of its own to come back to: none can pass off another's answer. */
const callbackOf = (publicUrl: string, staffOf: string | null) =>
  publicUrl + CALLBACK_PATH + (staffOf === null ? '' : `/${staffOf}`)

/**
 * Starts the flow and returns the provider's URL, with our own callback. State, nonce and PKCE verifier stay on the
 * server.
 */
export async function startFlow(
  { control, box, origins, provider, staff, publicUrl }: BrokerContext,
  {
    originUrl,
    redirectUrl,
    businessId: staffOf = null,
    caller,
  }: { originUrl: string; redirectUrl: string; businessId?: string | null; caller: Actor | undefined },
): Promise<{ url: string; state: string }> {
  const origin = await origins.origin('originUrl', originUrl)
  const redirect = await origins.redirect('redirectUrl', redirectUrl)
  const { configuration } =
    staffOf === null
      ? { configuration: await provider.configuration() }
      : await staff.get(await openBusiness(control, staffOf))
  const secrets = { state: newToken(), nonce: newToken(), verifier: oidc.randomPKCECodeVerifier() }
  await control
    .insertInto('accounts.oauthFlows')
    .values({
      stateHash: hashToken(secrets.state),
      sealedSecrets: box.seal(Buffer.from(JSON.stringify(secrets))),
      originUrl: origin,
      redirectUrl: redirect.href,
      guestId: caller?.kind === 'guest' ? caller.userId : null,
      staffOf,
      expiresAt: new Date(nowMs() + FLOW_MS),
    })
    .execute()
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: callbackOf(publicUrl, staffOf),
    scope: 'openid email profile',
    state: secrets.state,
    nonce: secrets.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(secrets.verifier),
    code_challenge_method: 'S256',
  })
  return { url: url.href, state: secrets.state }
}

async function openBusiness(control: ControlDb, id: string): Promise<string> {
  const business = await findBusiness(control, id)
  if (!business) throw noStaffProvider()
  if (business.suspendedAt) throw businessSuspended()
  return id
}

/** Handles the provider's redirect. Returns where the browser goes next: to `redirectUrl`, with a code or an error. */
export async function finishFlow(
  context: BrokerContext,
  callback: URL,
  staffOf: string | null = null,
): Promise<string> {
  const state = callback.searchParams.get('state') ?? ''
  const flow = await takeFlow(context, state)
  if (!flow || flow.staffOf !== staffOf) throw tokenInvalid({ field: 'state' })
  const back = new URL(flow.redirectUrl)
  back.searchParams.set('state', state)
  try {
    const provider =
      staffOf === null ? undefined : await context.staff.get(await openBusiness(context.control, staffOf))
    const configuration = provider?.configuration ?? (await context.provider.configuration())
    const asked = exchange(context, { configuration, roleClaim: provider?.roleClaim }, flow, callback)
    const identity = await withTimeout(MAX_EXCHANGE_MS, asked, () => identityFailed())
    const saysFactor = provider?.trustsSecondFactor === true && saysSecondFactor(identity.idToken)
    const code = newToken()
    const isIn = await transaction(context.control, async (tx) => {
      if (identity.hasInvalidEmail && identity.emailVerified && !(await findKnown(tx, identity)))
        throw identityEmailInvalid()
      // Committed even if they are refused: roles that the provider no longer gives are taken.
      if (provider && !(await admitStaff(tx, provider, identity))) return false
      const { userId, newIdentity } = await findOrCreateUser(tx, identity, staffOf)
      if (provider) await giveRoles(tx, provider, identity, userId)
      await tx
        .updateTable('accounts.oauthFlows')
        .set({
          codeHash: hashToken(code),
          userId,
          newIssuer: newIdentity?.issuer ?? null,
          newSubject: newIdentity?.subject ?? null,
          // Those of staff end at their provider, or with it: nothing of theirs is kept here.
          sealedProviderToken: identity.token && !provider ? context.box.seal(Buffer.from(identity.token)) : null,
          providerSession: provider ? identity.session : null,
          passedSecondFactor: saysFactor,
          expiresAt: new Date(nowMs() + CODE_MS),
        })
        .where('stateHash', '=', hashToken(state))
        .execute()
      return true
    })
    if (!isIn) throw staffRefused()
    back.searchParams.set('code', code)
  } catch (error) {
    back.searchParams.set('error', errorOf(callback, error))
  }
  return back.href
}

const KNOWN_ERRORS = [
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
  'temporarily_unavailable',
]

/** The provider's error code, if it is a known one; never our own errors. */
function errorOf(callback: URL, error: unknown): string {
  const reported = callback.searchParams.get('error') ?? ''
  if (KNOWN_ERRORS.includes(reported)) return reported
  const { code, message } = error as { code?: string; message?: string }
  if (message === identityEmailInvalid.message) return 'email_invalid'
  if (message === staffProviderFailed.message) return 'temporarily_unavailable'
  if (message === identityTooLarge.message) return 'identity_too_large'
  return code === 'FORBIDDEN' ? 'access_denied' : 'login_failed'
}

type Flow = { redirectUrl: string; staffOf: string | null; nonce: string; verifier: string; state: string }

/** A state is valid for one callback: its secrets are deleted as they are read. */
async function takeFlow({ control, box }: BrokerContext, state: string): Promise<Flow | undefined> {
  const row = await transaction(control, async (tx) => {
    const found = await tx
      .selectFrom('accounts.oauthFlows')
      .select(['sealedSecrets', 'redirectUrl', 'staffOf'])
      .where('stateHash', '=', hashToken(state))
      .where('expiresAt', '>', now())
      .forUpdate()
      .executeTakeFirst()
    if (!found || found.sealedSecrets.length === 0) return undefined
    await tx
      .updateTable('accounts.oauthFlows')
      .set({ sealedSecrets: Buffer.alloc(0) })
      .where('stateHash', '=', hashToken(state))
      .execute()
    return found
  })
  const plain = row && box.open(row.sealedSecrets)
  if (!plain) return undefined
  const { redirectUrl, staffOf } = row
  return { ...(JSON.parse(plain.toString()) as Pick<Flow, 'nonce' | 'verifier' | 'state'>), redirectUrl, staffOf }
}

export type Identity = {
  issuer: string
  subject: string
  email: string | undefined
  /** The provider returned an invalid address. */
  hasInvalidEmail: boolean
  emailVerified: boolean
  name: string
  token: string | undefined
  /** The provider's own id for its session. */
  session: string | null
  /** What the signed token says. */
  idToken: Record<string, unknown>
  /** The same, with what userinfo adds to it. */
  claims: Record<string, unknown>
}

type Asked = { configuration: oidc.Configuration; roleClaim: string | undefined }

async function exchange(
  { publicUrl }: BrokerContext,
  { configuration, roleClaim }: Asked,
  flow: Flow,
  callback: URL,
): Promise<Identity> {
  const address = new URL(callbackOf(publicUrl, flow.staffOf))
  address.search = callback.search
  const answer = await oidc.authorizationCodeGrant(configuration, address, {
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    pkceCodeVerifier: flow.verifier,
    idTokenExpected: true,
  })
  const claims = answer.claims()
  if (!claims?.sub || claims.iat > nowMs() / 1000 + CLOCK_SKEW_SECONDS) throw identityFailed()
  // Some providers leave the address, or groups, out of the id_token.
  const lacks = claims.email === undefined || (roleClaim !== undefined && claims[roleClaim] === undefined)
  const hasInfo = claims.email === undefined || configuration.serverMetadata().userinfo_endpoint !== undefined
  const told = lacks && hasInfo ? await oidc.fetchUserInfo(configuration, answer.access_token, claims.sub) : undefined
  const info = { ...told, ...claims }
  const email = typeof info.email === 'string' ? info.email : ''
  checkSizes(claims, roleClaim === undefined ? [] : info[roleClaim])
  return {
    issuer: claims.iss,
    subject: claims.sub,
    // Only an address that requests accept, too: a look-alike letter that is folded must not open somebody else's account.
    email: isEmail(email) ? email : undefined,
    hasInvalidEmail: email !== '' && !isEmail(email),
    emailVerified: isVerified(claims, told),
    name: typeof info.name === 'string' ? info.name.slice(0, 200) : '',
    token: answer.refresh_token ?? answer.access_token,
    session: typeof claims.sid === 'string' ? claims.sid : null,
    idToken: claims,
    claims: info,
  }
}

/** OpenID Connect allows 255 characters for `sub`, and names no bound for the rest. */
const MAX_SUBJECT = 255
const MAX_SESSION = 500
const MAX_GROUPS = 1_000
const MAX_GROUP = 1_000

/** Rejects oversized values: if they were truncated, an identity or a session could be mistaken for another. */
function checkSizes({ sub, sid }: { sub: string; sid?: unknown }, groups: unknown): void {
  const isTooLong = (value: unknown, most: number) => typeof value === 'string' && value.length > most
  const values: unknown[] = Array.isArray(groups) ? groups : [groups]
  const areTooMany = values.length > MAX_GROUPS || values.some((value) => isTooLong(value, MAX_GROUP))
  if (isTooLong(sub, MAX_SUBJECT) || isTooLong(sid, MAX_SESSION) || areTooMany) throw identityTooLarge()
}

type Address = { readonly [claim: string]: unknown }

/** What one document calls verified is the address that it names itself, not that of the other. */
const isVerified = (claims: Address, told: Address = {}): boolean =>
  claims.email !== undefined && (claims.email_verified !== undefined || claims.email !== told.email)
    ? claims.email_verified === true
    : told.email_verified === true

/**
 * Identities are keyed by (issuer, subject). An address that the provider does not call verified is never used to link
 * accounts. A verified one links to a confirmed account, and takes over an unconfirmed one after dropping its password,
 * keys and sessions. `newIdentity`: joins the account only with the login, once its second factor was shown.
 */
async function findOrCreateUser(
  tx: ControlTx,
  identity: Identity,
  staffOf: string | null,
): Promise<{ userId: string; newIdentity?: RightLogin['newIdentity'] }> {
  const { issuer, subject, email, emailVerified, name } = identity
  const known = await findKnown(tx, identity)
  if (known?.suspendedAt) throw suspended()
  if (known) return { userId: known.id }
  const usable = emailVerified && email ? { email, emailKey: emailKey(email) } : undefined
  const owner = usable && (await findOwner(tx, usable.emailKey))
  if (owner?.suspendedAt) throw suspended()
  const userId = owner?.id ?? newId('usr')
  if (owner && !owner.confirmedAt) await takeOver(tx, owner.id)
  if (!owner) {
    await tx
      .insertInto('accounts.users')
      .values({
        id: userId,
        name,
        email: usable?.email ?? null,
        emailKey: usable?.emailKey ?? null,
        confirmedAt: now(),
        createdAt: now(),
        updatedAt: now(),
      })
      .execute()
  }
  if (owner && (await listMethods(tx, userId)).length > 0) return { userId, newIdentity: { issuer, subject } }
  await joinIdentity(tx, userId, { issuer, subject })
  if (owner?.confirmedAt) await announceIdentity(tx, userId, { issuer, staffOf })
  return { userId }
}

/** The account that the identity has joined. */
const findKnown = (tx: ControlTx, { issuer, subject }: Identity) =>
  tx
    .selectFrom('accounts.identities')
    .innerJoin('accounts.users', 'accounts.users.id', 'accounts.identities.userId')
    .select(['accounts.users.id', 'accounts.users.suspendedAt'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()

const findOwner = (tx: ControlTx, key: string) =>
  tx
    .selectFrom('accounts.users')
    .select(['id', 'confirmedAt', 'suspendedAt'])
    .where('emailKey', '=', key)
    .forUpdate()
    .executeTakeFirst()

/** Drops everything of the person who registered this address without confirming it. */
async function takeOver(tx: ControlTx, userId: string): Promise<void> {
  await tx
    .updateTable('accounts.users')
    .set({ passwordHash: null, confirmedAt: now(), updatedAt: now() })
    .where('id', '=', userId)
    .execute()
  await tx.deleteFrom('accounts.apiKeys').where('userId', '=', userId).execute()
  await notify(tx, 'api-keys', userId)
  await tx.deleteFrom('accounts.resetTokens').where('userId', '=', userId).execute()
  await revokeSessionsOf(tx, userId)
}

/** `POST /login` with our one-time code, from the origin that started the flow. */
export async function loginWithCode(
  context: {
    control: ControlDb
    tokens: Tokens
    box: SecretBox
    origins: Origins
    device: Device
    endsAt?: Date | undefined
    caller: Actor | undefined
  },
  { code, originUrl }: { code: string; originUrl: string },
) {
  const { control, tokens, origins, endsAt, caller } = context
  const origin = await origins.origin('originUrl', originUrl)
  // A separate statement, so that a code is used up even when it comes from the wrong origin.
  const flow = await control
    .deleteFrom('accounts.oauthFlows')
    .where('codeHash', '=', hashToken(code))
    .returningAll()
    .executeTakeFirst()
  const userId = flow?.userId
  if (!userId || flow.originUrl !== origin) throw tokenInvalid({ field: 'code' })
  if (flow.expiresAt <= now()) throw tokenExpired({ field: 'code' })
  const outcome = await transaction(control, async (tx) => {
    const user = await lockUser(tx, userId)
    if (!user) throw tokenInvalid({ field: 'code' })
    if (user.suspendedAt) throw suspended()
    const { newIssuer: issuer, newSubject: subject } = flow
    const login: RightLogin = {
      userId,
      provider: 'OAUTH_IDP',
      guestId: caller?.kind === 'guest' ? caller.userId : flow.guestId,
      endsAt: flow.staffOf === null ? (endsAt ?? null) : new Date(nowMs() + STAFF_SESSION_MS),
      sealedProviderToken: flow.sealedProviderToken,
      newIdentity: issuer && subject ? { issuer, subject } : null,
      staffOf: flow.staffOf,
      providerSession: flow.providerSession,
    }
    if (flow.passedSecondFactor && (await standsForFactor(tx, login)))
      return { user, session: await beginSession(tx, context, login, 'PROVIDER_FACTOR') }
    const challenged = await challengeLogin(tx, login)
    return challenged ? { challenged } : { user, session: await beginSession(tx, context, login) }
  })
  if (outcome.challenged) throw refuseUntilShown(outcome.challenged)
  return authResult(tokens, outcome.session, outcome.user, 'OAUTH_IDP')
}

/**
 * Whether the word of a provider may stand for a second factor of the account. The owner of a domain could have its mail,
 * and so its passwords, but nobody's factor: an identity that is new here shows that of the account first, and where only
 * passkeys can show one, nobody has shown any when it joined.
 */
const standsForFactor = async (tx: ControlTx, { userId, newIdentity }: RightLogin): Promise<boolean> =>
  (await listMethods(tx, userId)).length > 0 ? newIdentity === null : !(await hasAnyFactor(tx, userId))

/** RFC 7009. Best effort: our own session has ended already. */
export async function revokeAtProvider(provider: IdentityProvider, token: string): Promise<boolean> {
  try {
    await oidc.tokenRevocation(await provider.configuration(), token)
    return true
  } catch {
    return false
  }
}
