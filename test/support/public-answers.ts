import assert from 'node:assert/strict'
import type { Answer } from './client.ts'

export const KEPT_FOR_A_MINUTE = 'public, max-age=0, s-maxage=60, stale-while-revalidate=60'

/** All that a reader or a cache sees of an answer, but the request's own id. */
export const seenOf = ({ status, text, headers }: Answer) => ({
  status,
  text: text.replace(/,"requestId":"[^"]*"/, ''),
  ...Object.fromEntries(
    ['cache-control', 'cache-tag', 'etag', 'vary', 'content-type', 'www-authenticate', 'set-cookie'].map((name) => [
      name,
      headers.get(name),
    ]),
  ),
})

/** What must hold of every answer of a storefront. */
export function assertPublicAnswer({ status, text, headers }: Answer, where: string): void {
  assert.ok([200, 304, 404, 422].includes(status), `${where}: ${status} ${text}`)
  assert.equal(headers.get('cache-control'), status < 400 ? KEPT_FOR_A_MINUTE : 'no-store', where)
  assert.equal(headers.get('vary'), null, where)
  assert.equal(headers.get('access-control-allow-origin'), '*', where)
  assert.deepEqual(
    [...headers.keys()].filter((name) => name.startsWith('x-ratelimit')),
    [],
    where,
  )
  if (status >= 400) return
  assert.match(headers.get('etag') ?? '', /^"[\w-]{22}"$/, where)
  assert.ok(headers.get('cache-tag'), where)
}
