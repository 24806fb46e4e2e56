import type { Answer, Body } from '@kontor/sdk'
import { isSame } from '../../merge/is-same.ts'

export type Provider = Answer<'getSignInProvider'>
export type Mapped = { value: string; roleId: string }

/** The provider as it is typed, but for its secret: that is kept nowhere. */
export type ProviderForm = {
  issuer: string
  clientId: string
  domains: string[]
  roleClaim: string
  roles: Mapped[]
  trustsSecondFactor: boolean
}
export type Field = keyof ProviderForm
export const FIELDS: readonly Field[] = ['issuer', 'clientId', 'domains', 'roleClaim', 'roles', 'trustsSecondFactor']

const FIRST: ProviderForm = {
  issuer: '',
  clientId: '',
  domains: [],
  roleClaim: 'groups',
  roles: [],
  trustsSecondFactor: false,
}
/** As the service has it. */
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/
const CONFIGURATION = '/.well-known/openid-configuration'

export function toForm(provider: Provider | undefined): ProviderForm {
  if (!provider) return FIRST
  const { issuer, clientId, domains, roleClaim, roles, trustsSecondFactor } = provider
  return { issuer, clientId, domains: domains.map(({ domain }) => domain), roleClaim, roles, trustsSecondFactor }
}

/** What is pasted is often the address of its configuration. A slash at the end is part of an issuer. */
export function issuerOf(typed: string): string {
  const text = typed.trim()
  const whole = text === '' || /^https?:\/\//i.test(text) ? text : `https://${text}`
  return whole.endsWith(CONFIGURATION) ? whole.slice(0, -CONFIGURATION.length) : whole
}

/** Of an address of a person or of a page, too. Undefined where there is none. */
export function domainOf(typed: string): string | undefined {
  const text = typed
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^.*@/, '')
    .replace(/[/:].*$/, '')
  return text.length <= 253 && DOMAIN.test(text) ? text : undefined
}

/** Only what was changed; the first time all that the service wants. */
export function toBody(mine: ProviderForm, base: ProviderForm, secret: string, isNew: boolean) {
  const sent = {
    ...mine,
    issuer: issuerOf(mine.issuer),
    clientId: mine.clientId.trim(),
    roleClaim: mine.roleClaim.trim(),
  }
  const changed = FIELDS.filter((field) => isNew || !isSame(sent[field], base[field]))
  const body = Object.fromEntries(changed.map((field) => [field, sent[field]])) as Body<'saveSignInProvider'>
  return secret.trim() === '' ? body : { ...body, clientSecret: secret.trim() }
}

export type Place = Field | 'clientSecret'
type Wrong = {
  /** What is still to be filled in, in the order of the page. */
  missing: Place[]
  isNoAddress: boolean
  /** A secret goes only to the issuer and client that it was typed for. */
  wantsSecret: boolean
  /** Which lines say the same as one before. */
  repeated: number[]
}

export function wrongWith(mine: ProviderForm, base: ProviderForm, secret: string, isNew: boolean): Wrong {
  const issuer = issuerOf(mine.issuer)
  const lines = mine.roles.map(({ value, roleId }) => `${value.trim()}\n${roleId}`)
  const isOther = issuer !== base.issuer || mine.clientId.trim() !== base.clientId
  const hasNoSecret = secret.trim() === ''
  const missing: Place[] = [
    ...(issuer === '' ? (['issuer'] as const) : []),
    ...(mine.clientId.trim() === '' ? (['clientId'] as const) : []),
    ...(isNew && hasNoSecret ? (['clientSecret'] as const) : []),
    ...(mine.domains.length === 0 ? (['domains'] as const) : []),
    ...(mine.roleClaim.trim() === '' ? (['roleClaim'] as const) : []),
    ...(mine.roles.some(({ value, roleId }) => value.trim() === '' || roleId === '') ? (['roles'] as const) : []),
  ]
  return {
    missing,
    isNoAddress: issuer !== '' && !isAddress(issuer),
    wantsSecret: !isNew && isOther && hasNoSecret,
    repeated: lines.flatMap((line, at) => (lines.indexOf(line) < at ? [at] : [])),
  }
}

function isAddress(issuer: string): boolean {
  const url = URL.parse(issuer)
  return url !== null && !url.username && !url.password && !url.search && !url.hash
}
