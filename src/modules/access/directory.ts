import { setTimeout as sleep } from 'node:timers/promises'
import { createCache } from '#platform/cache.ts'
import { nowMs } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import type { Listener } from '#platform/database/listener.ts'
import { businessMoves } from '#platform/http/refusals.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { isId } from '#vocabulary/ids.ts'
import { cutDown, type Permission } from '#vocabulary/permissions.ts'
import { findBusiness, findBusinessBySlug, findPermissions } from './queries.ts'

const TTL_MS = 60_000
/** A business that was asked for within the hour, and has not changed since, is known while control is away. */
const KEEP_MS = 3_600_000
/** Whoever writes waits so long while the business moves to another cell; that takes less. */
const HOLD_MS = 3_000
const LOOK_MS = 25
/** Of one business, on average: as many as shall be known take no more than that many times this. */
const BYTES_EACH = 3_200
/** Those who work in businesses, and customers with an account, as far as they come. */
const PEOPLE_EACH = 2.5

/** About three times the JSON, because of the overhead of objects and strings. */
const weigh = ({ markets, locales, allowedOrigins, callouts }: Business) =>
  1_000 + 3 * JSON.stringify([markets, locales, allowedOrigins, callouts]).length

/** Of ids and slugs: what is longer, or has other characters, is neither. */
const NAME = /^[\w-]{1,100}$/

const isHeld = (business: Business | undefined) => business?.heldUntil && business.heldUntil.getTime() > nowMs()

const onlyPublic = (business: Business | undefined) =>
  business?.storefront.isPublic && !business.suspendedAt ? business : undefined

export const BUSINESS_CHANGED = 'business'
export const MEMBERS_CHANGED = 'members'

/**
 * Caches the business of a request, its cell, and the caller's permissions there. Every process drops its copy when a
 * change commits; while notifications cannot be heard, the database is read each time. A name comes as its caller sent it, perhaps megabytes
 * long: what cannot be one is neither looked up nor kept.
 */
export function createDirectory(control: ControlDb, listener: Listener, { most = 20_000 }: { most?: number } = {}) {
  const trusted = () => listener.connected
  const lostAtMs = () => listener.lost?.atMs
  const kept = { trusted, lostAtMs, keepMs: KEEP_MS }
  const businesses = createCache<Business>({
    max: most,
    ttlMs: TTL_MS,
    ...kept,
    weight: { maxBytes: most * BYTES_EACH, of: weigh },
  })
  const slugs = createCache<string>({ max: most, ttlMs: TTL_MS, ...kept })
  const permissions = createCache<readonly Permission[]>({ max: PEOPLE_EACH * most, ttlMs: TTL_MS, trusted, lostAtMs })
  listener.on(BUSINESS_CHANGED, (id) => businesses.drop(id))
  listener.on(MEMBERS_CHANGED, (businessId) => permissions.dropWhere((key) => key.startsWith(`${businessId}/`)))
  listener.onGap((when) => {
    if (when === 'lost') return // `trusted` and `kept` know
    businesses.clear()
    slugs.clear()
    permissions.clear()
  })

  const findById = (id: string): Business | undefined | Promise<Business | undefined> =>
    businesses.peek(id) ?? (isId(id) ? businesses.get(id, () => findBusiness(control, id)) : undefined)

  /** Changes are announced, and drop what is known: so it is looked for often, and asked for seldom. */
  async function waitFor(id: string): Promise<Business | undefined> {
    const until = performance.now() + HOLD_MS
    for (;;) {
      const business = await findById(id)
      if (!isHeld(business)) return business
      if (performance.now() > until) throw businessMoves()
      await sleep(LOOK_MS)
    }
  }

  async function findBySlug(slug: string): Promise<Business | undefined> {
    const find = async () => {
      const id = await slugs.get(slug, async () => (await findBusinessBySlug(control, slug))?.id)
      return id === undefined ? undefined : findById(id)
    }
    const business = await find()
    if (!business || business.slug === slug) return business
    slugs.drop(slug) // that business has another slug now, and this one may be somebody else's
    const successor = await find()
    return successor?.slug === slug ? successor : undefined
  }

  return {
    findBusiness: findById,

    /** What was known when control was lost. */
    known: {
      findBusiness: (id: string): Business | undefined => businesses.kept(id),
      findPublicBusiness(idOrSlug: string): Business | undefined {
        const id = idOrSlug.includes('_') ? idOrSlug : slugs.kept(idOrSlug)
        const business = id === undefined ? undefined : businesses.kept(id)
        return business && (business.id === idOrSlug || business.slug === idOrSlug) ? business : undefined
      },
      permissionsOf: ({ userId }: Actor, businessId: string): readonly Permission[] | undefined =>
        permissions.kept(`${businessId}/${userId}`),
    },

    /** The same for whoever is going to write: waits while the business is about to live in another cell. */
    findToWrite(id: string): Business | undefined | Promise<Business | undefined> {
      const known = businesses.peek(id)
      return known && !isHeld(known) ? known : waitFor(id)
    },

    /** What is known of it was wrong: it is read anew. */
    forgetBusiness(id: string): void {
      businesses.drop(id)
    },

    /** The business whose shop everybody may read, by its id or slug. No slug holds a `_`, and every id does. */
    findPublicBusiness(idOrSlug: string): Business | undefined | Promise<Business | undefined> {
      if (!NAME.test(idOrSlug)) return undefined
      const id = idOrSlug.includes('_') ? idOrSlug : slugs.peek(idOrSlug)
      const known = id === undefined ? undefined : businesses.peek(id)
      if (known && (known.id === idOrSlug || known.slug === idOrSlug)) return onlyPublic(known)
      const found = idOrSlug.includes('_') ? findById(idOrSlug) : findBySlug(idOrSlug)
      return found instanceof Promise ? found.then(onlyPublic) : onlyPublic(found)
    },

    /** What the caller's user may do there now, cut down to what an API key may. */
    permissionsOf(
      { userId, onlyPermissions }: Actor,
      businessId: string,
    ): readonly Permission[] | Promise<readonly Permission[]> {
      if (!isId(businessId)) return []
      const key = `${businessId}/${userId}`
      const known = permissions.peek(key)
      if (known) return cutDown(known, onlyPermissions)
      return permissions
        .get(key, () => findPermissions(control, businessId, userId))
        .then((held) => cutDown(held ?? [], onlyPermissions))
    },
  }
}
