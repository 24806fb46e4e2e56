import { setProviderRoles } from '#modules/access/index.ts'
import type { ControlTx } from '#platform/database/database.ts'
import type { Identity } from '../sign-in/oauth.ts'
import { isProvenAddress } from './domains.ts'
import type { StaffProvider } from './providers.ts'

/** What an id token says of a second factor (RFC 8176, OpenID EAP ACR values, REFEDS). */
const FACTOR_LEVELS = [
  'phr',
  'phrh',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  'https://refeds.org/profile/mfa',
]

export const saysSecondFactor = ({ amr, acr }: Record<string, unknown>): boolean =>
  (Array.isArray(amr) && amr.includes('mfa')) || (typeof acr === 'string' && FACTOR_LEVELS.includes(acr))

/** A claim may be a text or a list of them. Anything else says nothing. */
export function rolesSaid({ roleClaim, roles }: Pick<StaffProvider, 'roleClaim' | 'roles'>, claims: object): string[] {
  const said = (claims as Record<string, unknown>)[roleClaim]
  const values = (Array.isArray(said) ? said : [said]).filter((value) => typeof value === 'string')
  return [...new Set(roles.filter(({ value }) => values.includes(value)).map(({ roleId }) => roleId))]
}

/**
 * Whether a business's provider may sign this person in: their address is of a domain that is proven to be the
 * business's, and the provider gives them a role, or people have. An account that the identity has joined before counts
 * by its own address, whatever the provider says now. Roles that the provider no longer gives are taken in any case.
 */
export async function admitStaff(tx: ControlTx, provider: StaffProvider, identity: Identity): Promise<boolean> {
  const { businessId } = provider
  const known = await tx
    .selectFrom('accounts.identities')
    .innerJoin('accounts.users', 'accounts.users.id', 'accounts.identities.userId')
    .select(['accounts.users.id', 'accounts.users.email'])
    .where('issuer', '=', identity.issuer)
    .where('subject', '=', identity.subject)
    .executeTakeFirst()
  const said = identity.emailVerified ? identity.email : undefined
  const address = known ? known.email : said
  const roleIds = rolesSaid(provider, identity.claims)
  const isOfDomain = address != null && (await isProvenAddress(tx, businessId, address))
  if (!known) return isOfDomain && roleIds.length > 0
  const isMember = await setProviderRoles(tx, { businessId, userId: known.id, roleIds: isOfDomain ? roleIds : [] })
  return isMember && isOfDomain
}

/** To whoever has just joined. */
export const giveRoles = (tx: ControlTx, provider: StaffProvider, { claims }: Identity, userId: string) =>
  setProviderRoles(tx, { businessId: provider.businessId, userId, roleIds: rolesSaid(provider, claims) })
