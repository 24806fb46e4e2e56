import { createHash } from 'node:crypto'
import { createRemoteJWKSet, customFetch } from 'jose'
import * as oidc from 'openid-client'
import { createCache } from '#platform/cache.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb } from '#platform/database/database.ts'
import type { GuardedFetch } from '#platform/outgoing/fetch.ts'
import { noStaffProvider, staffProviderFailed } from '../errors.ts'

const TIMEOUT_SECONDS = 5
const KNOWN_MS = 10 * 60_000

/** What the app hands in: the guarded way out, and whether plain http is allowed, which it is in development only. */
export type Outgoing = {
  fetch: GuardedFetch
  findTextRecords: (name: string) => Promise<string[]>
  allowsHttp: boolean
}

type Client = { issuer: string; clientId: string; clientSecret: string }

export type MappedRole = { value: string; roleId: string }
export type StaffProvider = {
  businessId: string
  issuer: string
  clientId: string
  roleClaim: string
  roles: MappedRole[]
  trustsSecondFactor: boolean
  configuration: oidc.Configuration
  /** The keys that sign its tokens. */
  keys: ReturnType<typeof createRemoteJWKSet>
}

type Discovered = Pick<StaffProvider, 'configuration' | 'keys'>

/** The sign-in providers of businesses. What they publish of themselves is kept for ten minutes. */
export function createStaffProviders({
  control,
  box,
  outgoing,
}: {
  control: ControlDb
  box: SecretBox
  outgoing: Outgoing
}) {
  const known = createCache<Discovered>({ max: 1_000, ttlMs: KNOWN_MS })

  async function discover({ issuer, clientId, clientSecret }: Client): Promise<Discovered> {
    const configuration = await oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      // The id_token's signature is checked as well, though it comes straight from the provider.
      execute: [
        oidc.enableNonRepudiationChecks,
        ...(outgoing.allowsHttp && issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []),
      ],
      timeout: TIMEOUT_SECONDS,
      [oidc.customFetch]: (url, options) => outgoing.fetch(url, options),
    })
    // A browser is sent there: it must be an address, not a script.
    const { authorization_endpoint: page = '', jwks_uri: keysUrl } = configuration.serverMetadata()
    const isWeb = page.startsWith('https://') || (outgoing.allowsHttp && page.startsWith('http://'))
    if (!isWeb || !keysUrl) throw new Error('no OpenID provider for people')
    const keys = createRemoteJWKSet(new URL(keysUrl), {
      timeoutDuration: TIMEOUT_SECONDS * 1_000,
      [customFetch]: (url, { headers, method, signal }) => outgoing.fetch(url, { headers, method, signal }),
    })
    return { configuration, keys }
  }

  return {
    /** Whether there is a provider that answers to this issuer. */
    async answers(client: Client): Promise<boolean> {
      return discover(client).then(
        () => true,
        () => false,
      )
    },

    /** The provider of a business, ready to be asked. 502 when it does not answer. */
    async get(businessId: string): Promise<StaffProvider> {
      const row = await control
        .selectFrom('accounts.signInProviders')
        .selectAll()
        .where('businessId', '=', businessId)
        .executeTakeFirst()
      if (!row) throw noStaffProvider()
      const clientSecret = box.open(row.sealedSecret)?.toString()
      // Sealed under a SECRET_KEY that is gone: somebody has to send it again.
      if (clientSecret === undefined) throw staffProviderFailed()
      const { clientId, roleClaim, trustsSecondFactor } = row
      const key = createHash('sha256')
        .update(JSON.stringify([businessId, row.issuer, clientId, clientSecret]))
        .digest('hex')
      const discovered = await known
        .get(key, () => discover({ issuer: row.issuer, clientId, clientSecret }))
        .catch(() => {
          throw staffProviderFailed()
        })
      if (!discovered) throw staffProviderFailed()
      const roles = row.roles as MappedRole[]
      // As it calls itself in its tokens: somebody may have typed it with a slash at the end, or without.
      const { issuer } = discovered.configuration.serverMetadata()
      return { businessId, issuer, clientId, roleClaim, roles, trustsSecondFactor, ...discovered }
    },
  }
}

export type StaffProviders = ReturnType<typeof createStaffProviders>
