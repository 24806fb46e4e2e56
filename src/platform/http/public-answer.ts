import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isPerhapsOld } from './access.ts'
import { isKnown } from './etag.ts'
import { sendText } from './text.ts'

/** Names under which a CDN can be told to drop an answer. */
export type CacheTags = {
  /** Always sent: the business, and on lists its kind. */
  general: readonly string[]
  /** The records inside; left out where they do not fit. */
  ids: readonly string[]
}

const CACHE_CONTROL = 'public, max-age=0, s-maxage=60, stale-while-revalidate=60'
/**
 * Of a replica, which may be some seconds behind. A cache that was told to drop an answer because of a change would otherwise ask
 * again, get what was there before, and keep it for another minute.
 */
const CACHE_CONTROL_IF_OLD = 'public, max-age=0, s-maxage=5, stale-while-revalidate=5'
const MAX_TAG_BYTES = 8 * 1024

/**
 * Sends what everybody may see, whoever asks: any cache on the way may keep it for a minute. The ETag is a hash of the
 * body, because stock and related records change it without a version; there is no `Vary`, because no header does.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what the text says
export function sendPublic<Body>(request: FastifyRequest, reply: FastifyReply, text: string, tags: CacheTags): Body {
  const etag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`
  const cacheControl = isPerhapsOld(request) ? CACHE_CONTROL_IF_OLD : CACHE_CONTROL
  void reply.header('cache-control', cacheControl).header('etag', etag).header('cache-tag', cacheTagOf(tags))
  if (isKnown(request, etag)) return reply.code(304).send() as unknown as Body // already sent, without a body
  return sendText<Body>(reply, text)
}

// Ids are letters, digits, _ and -, so every character is a byte.
export function cacheTagOf({ general, ids }: CacheTags): string {
  const all = [...new Set([...general, ...ids])].join(',')
  return all.length <= MAX_TAG_BYTES ? all : general.join(',')
}
