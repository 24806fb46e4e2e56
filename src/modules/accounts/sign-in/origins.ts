import { createCache } from '#platform/cache.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { type Listener, notify } from '#platform/database/listener.ts'
import { isBelow, parseAddress } from '#vocabulary/origins.ts'
import { invalidOrigin, invalidRedirect } from '../errors.ts'

const ORIGINS_CHANGED = 'origins'

/**
 * An allowlist for links and redirects: the operator's origins, compared exactly, before anything else happens. Where
 * an entry has a path, links and redirects must stay below it; plain origins are compared without the path.
 */
export type Origins = {
  /** `reserveDomain`: the base of links in mails. Without a scheme it means https; when absent, our own plain pages. */
  linkBase(field: string, given: string | undefined): Promise<string>
  /** `originUrl`: returns its origin. */
  origin(field: string, given: string): Promise<string>
  /** `redirectUrl`: returns the parsed address. */
  redirect(field: string, given: string): Promise<URL>
  /** Whether the address is on the allowlist, or on one of `others`. */
  isAllowed(given: string, others: readonly string[]): Promise<boolean>
}

export function createOrigins(options: {
  control: ControlDb
  listener: Listener
  publicUrl: string
  allowed: readonly string[]
}): Origins {
  const { control, listener, publicUrl } = options
  const fixed = [publicUrl, ...options.allowed]
  const approved = createCache<ReadonlySet<string>>({ max: 1, ttlMs: 60_000, trusted: () => listener.connected })
  listener.on(ORIGINS_CHANGED, () => approved.clear())
  listener.onGap(() => approved.clear())

  /** Includes origins that were approved while this process runs; loads them only when needed. */
  async function isAmong(isMatch: (allowed: string) => boolean): Promise<boolean> {
    if (fixed.some(isMatch)) return true
    const known = await approved.get('all', async () => {
      const rows = await control.selectFrom('accounts.origins').select('origin').execute()
      return new Set(rows.map(({ origin }) => origin))
    })
    return [...(known ?? [])].some(isMatch)
  }
  const isAllowed = (url: URL) => isAmong((allowed) => new URL(allowed).origin === url.origin)

  async function below(given: string): Promise<URL | undefined> {
    const url = hasDetours(given) ? undefined : parseAddress(given)
    return url && (await isAmong((allowed) => isBelow(allowed, url))) ? url : undefined
  }

  return {
    async linkBase(field, given) {
      if (given === undefined || given === '') return publicUrl
      const url = await below(/^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`)
      if (!url || url.search || url.hash) throw invalidOrigin({ field })
      return url.origin + url.pathname.replace(/\/+$/, '')
    },
    async origin(field, given) {
      const url = parseAddress(given)
      if (!url || !(await isAllowed(url))) throw invalidOrigin({ field })
      return url.origin
    },
    async isAllowed(given, others) {
      const url = parseAddress(given)
      return url !== undefined && (others.includes(url.origin) || (await isAllowed(url)))
    },
    async redirect(field, given) {
      const url = await below(given)
      if (!url || url.hash) throw invalidRedirect({ field })
      return url
    },
  }
}

/** Dot segments and encoded slashes: servers disagree about them, so a path could lead elsewhere. */
const hasDetours = (text: string) => {
  const [path = ''] = text.split(/[?#]/)
  return /%2f|%5c/i.test(path) || path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))
}

export async function approveOrigin(tx: ControlTx, origin: string): Promise<void> {
  await tx
    .insertInto('accounts.origins')
    .values({ origin, createdAt: now() })
    .onConflict((known) => known.doNothing())
    .execute()
  await notify(tx, ORIGINS_CHANGED, 'all')
}
