import { audit, findRolesOf, keepProviderRoles } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import { newToken, type SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { type Detail, invalidFields } from '#vocabulary/errors.ts'
import { toSeconds } from '#vocabulary/time.ts'
import {
  claimValueRepeated,
  issuerInvalid,
  issuerSilent,
  mappedRoleUnknown,
  providerNotFound,
  secretRequired,
  valueRequired,
} from '../errors.ts'
import { presentDomain } from './domains.ts'
import { endStaffSessions } from './end-sessions.ts'
import type { MappedRole, StaffProviders } from './providers.ts'
import type { ProviderChanges, SignInProvider } from './schemas.ts'

export const STAFF_CALLBACK_PATH = '/v1/users/login/callback'
export const STAFF_LOGOUT_PATH = '/v1/users/login/logout'

export type SettingsContext = {
  control: ControlDb
  box: SecretBox
  staff: StaffProviders
  publicUrl: string
  allowsHttp: boolean
}

const findProvider = (db: ControlDb, businessId: string) =>
  db.selectFrom('accounts.signInProviders').selectAll().where('businessId', '=', businessId).executeTakeFirst()

const lockProvider = (tx: ControlTx, businessId: string) =>
  tx
    .selectFrom('accounts.signInProviders')
    .selectAll()
    .where('businessId', '=', businessId)
    .forUpdate()
    .executeTakeFirst()

const listDomains = (db: ControlDb, businessId: string) =>
  db.selectFrom('accounts.signInDomains').selectAll().where('businessId', '=', businessId).orderBy('domain').execute()

export async function getProvider(db: ControlDb, publicUrl: string, businessId: string): Promise<SignInProvider> {
  const [row, domains] = await Promise.all([findProvider(db, businessId), listDomains(db, businessId)])
  if (!row) throw providerNotFound()
  return {
    issuer: row.issuer,
    clientId: row.clientId,
    clientSecret: `••••${row.secretLast4}`,
    roleClaim: row.roleClaim,
    roles: row.roles as MappedRole[],
    trustsSecondFactor: row.trustsSecondFactor,
    domains: domains.map(presentDomain),
    callbackUrl: `${publicUrl}${STAFF_CALLBACK_PATH}/${businessId}`,
    backchannelLogoutUrl: `${publicUrl}${STAFF_LOGOUT_PATH}/${businessId}`,
    createdAt: toSeconds(row.createdAt),
    updatedAt: toSeconds(row.updatedAt),
  }
}

type Before = Awaited<ReturnType<typeof findProvider>>

/** Sets the provider of a business, or changes what is sent of it. Its issuer is asked first. */
export async function saveProvider(
  { control, box, staff, publicUrl, allowsHttp }: SettingsContext,
  { businessId, actor }: { businessId: string; actor: Actor },
  changes: ProviderChanges,
): Promise<SignInProvider> {
  const before = await findProvider(control, businessId)
  check(changes, before, allowsHttp)
  const { issuer = before?.issuer ?? '', clientId = before?.clientId ?? '', clientSecret } = changes
  const isOther = issuer !== before?.issuer || clientId !== before.clientId || clientSecret !== undefined
  if (isOther && clientSecret !== undefined && !(await staff.answers({ issuer, clientId, clientSecret })))
    throw issuerSilent({ issuer })

  await transaction(control, async (tx) => {
    // Once more: somebody else may have named another issuer while this one was asked.
    const locked = await lockProvider(tx, businessId)
    check(changes, locked, allowsHttp)
    await checkRoles(tx, businessId, changes.roles)
    const secret = clientSecret && {
      sealedSecret: box.seal(Buffer.from(clientSecret)),
      secretLast4: last4Of(clientSecret),
    }
    const { roleClaim, trustsSecondFactor, roles } = changes
    const changed = {
      // What was not sent stays as it is now, not as it was read before.
      issuer: changes.issuer ?? locked?.issuer ?? issuer,
      clientId: changes.clientId ?? locked?.clientId ?? clientId,
      ...secret,
      ...(roleClaim === undefined ? {} : { roleClaim }),
      ...(trustsSecondFactor === undefined ? {} : { trustsSecondFactor }),
      ...(roles === undefined ? {} : { roles: JSON.stringify(roles) }),
      updatedAt: now(),
    }
    if (locked) {
      await tx.updateTable('accounts.signInProviders').set(changed).where('businessId', '=', businessId).execute()
    } else {
      const first = {
        roleClaim: 'groups',
        trustsSecondFactor: false,
        roles: '[]',
        sealedSecret: Buffer.alloc(0),
        secretLast4: '',
      }
      await tx
        .insertInto('accounts.signInProviders')
        .values({ businessId, createdAt: now(), ...first, ...changed })
        .onConflict((same) => same.column('businessId').doUpdateSet(changed))
        .execute()
    }
    if (locked && changed.issuer !== locked.issuer) await beginProofsAnew(tx, businessId)
    if (changes.domains) await setDomains(tx, businessId, changes.domains)
    if (locked) await endStaffSessions(tx, businessId)
    await audit(tx, {
      businessId,
      action: 'sign-in-provider.set',
      subject: businessId,
      actor,
      data: { fields: Object.keys(changes), issuer },
    })
  })
  return getProvider(control, publicUrl, businessId)
}

const last4Of = (secret: string) => (secret.length < 12 ? '' : secret.slice(-4))

function check(changes: ProviderChanges, before: Before, allowsHttp: boolean): void {
  const details: Detail[] = []
  if (!before) {
    for (const field of ['issuer', 'clientId', 'clientSecret', 'domains'] as const)
      if (changes[field] === undefined) details.push(valueRequired.asDetail({ field }))
  } else {
    // A secret goes only to whom it was given for: otherwise another issuer would be shown it.
    const isOther =
      (changes.issuer ?? before.issuer) !== before.issuer || (changes.clientId ?? before.clientId) !== before.clientId
    if (isOther && changes.clientSecret === undefined) details.push(secretRequired.asDetail())
  }
  if (changes.issuer !== undefined && !isIssuer(changes.issuer, allowsHttp)) details.push(issuerInvalid.asDetail())
  const seen = new Set<string>()
  for (const [index, { value, roleId }] of (changes.roles ?? []).entries()) {
    if (seen.has(`${value}\n${roleId}`)) details.push(claimValueRepeated.asDetail({ index, value }))
    seen.add(`${value}\n${roleId}`)
  }
  if (details.length > 0) throw invalidFields(details)
}

function isIssuer(text: string, allowsHttp: boolean): boolean {
  const url = URL.parse(text)
  const isWeb = url?.protocol === 'https:' || (allowsHttp && url?.protocol === 'http:')
  return url !== null && isWeb && !url.username && !url.password && !url.search && !url.hash
}

async function checkRoles(tx: ControlTx, businessId: string, roles: readonly MappedRole[] = []): Promise<void> {
  const known = await findRolesOf(
    tx,
    businessId,
    roles.map(({ roleId }) => roleId),
  )
  const details = roles.flatMap(({ roleId }, index) =>
    known.has(roleId) ? [] : [mappedRoleUnknown.asDetail({ index, roleId })],
  )
  if (details.length > 0) throw invalidFields(details)
}

/**
 * Whoever put the text record there meant the issuer that was named then. Otherwise an ADMIN could name one of their own,
 * and sign in as anybody of the domain.
 */
async function beginProofsAnew(tx: ControlTx, businessId: string): Promise<void> {
  for (const { domain } of await listDomains(tx, businessId))
    await tx
      .updateTable('accounts.signInDomains')
      .set({ proof: newToken(), ...UNCHECKED })
      .where((row) => row.and({ businessId, domain }))
      .execute()
}

const UNCHECKED = { provenAt: null, provenBy: null, lastCheckedAt: null, lastResult: null, failingSince: null }

/** A domain that stays keeps its proof. */
async function setDomains(tx: ControlTx, businessId: string, domains: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('accounts.signInDomains')
    .where('businessId', '=', businessId)
    .where('domain', 'not in', [...domains])
    .execute()
  await tx
    .insertInto('accounts.signInDomains')
    .values(domains.map((domain) => ({ businessId, domain, proof: newToken(), createdAt: now() })))
    .onConflict((known) => known.doNothing())
    .execute()
}

/** Ends the sessions that came from it. The roles that it gave stay with their people. */
export async function removeProvider(control: ControlDb, { businessId, actor }: { businessId: string; actor: Actor }) {
  await transaction(control, async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('accounts.signInProviders')
      .where('businessId', '=', businessId)
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw providerNotFound()
    await endStaffSessions(tx, businessId)
    await keepProviderRoles(tx, businessId)
    await audit(tx, { businessId, action: 'sign-in-provider.removed', subject: businessId, actor })
  })
}
