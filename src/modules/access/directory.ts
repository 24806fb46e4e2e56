import { createCache } from '#platform/cache.ts'
import type { ControlDb } from '#platform/database/database.ts'
import type { Listener } from '#platform/database/listener.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import { findBusiness, findPermissions } from './queries.ts'

const TTL_MS = 60_000
const MAX_BUSINESS_BYTES = 64 * 1024 * 1024

/** About three times the JSON, because of the overhead of objects and strings. */
const weigh = ({ markets, locales, allowedOrigins }: Business) =>
  1_000 + 3 * JSON.stringify([markets, locales, allowedOrigins]).length

export const BUSINESS_CHANGED = 'business'
export const MEMBERS_CHANGED = 'members'

/**
 * Caches the business of a request, its cell, and the caller's permissions there. Every process drops its copy when a
 * change commits; while notifications cannot be heard, the database is read each time.
 */
export function createDirectory(control: ControlDb, listener: Listener) {
  const trusted = () => listener.connected
  const businesses = createCache<Business>({
    max: 20_000,
    ttlMs: TTL_MS,
    trusted,
    weight: { maxBytes: MAX_BUSINESS_BYTES, of: weigh },
  })
  const permissions = createCache<readonly Permission[]>({ max: 50_000, ttlMs: TTL_MS, trusted })
  listener.on(BUSINESS_CHANGED, (id) => businesses.drop(id))
  listener.on(MEMBERS_CHANGED, (businessId) => permissions.dropWhere((key) => key.startsWith(`${businessId}/`)))
  listener.onGap(() => {
    businesses.clear()
    permissions.clear()
  })

  return {
    findBusiness: (id: string): Business | undefined | Promise<Business | undefined> =>
      businesses.peek(id) ?? businesses.get(id, () => findBusiness(control, id)),

    permissionsOf({ userId }: Actor, businessId: string): readonly Permission[] | Promise<readonly Permission[]> {
      const key = `${businessId}/${userId}`
      return (
        permissions.peek(key) ??
        permissions.get(key, () => findPermissions(control, businessId, userId)).then((held) => held ?? [])
      )
    },
  }
}
