import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

// Responses are data: a browser must not sniff, run or frame them, or send referrers. Pages of any origin may read
// every response (CORS): credentials travel in headers that a page sets itself, never in cookies (the dashboard's opens its own session only).
// Set here and not by a
// package: each header costs half a microsecond, and computing them for every response cost thirty.
const FIXED = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Idempotency-Replayed, Retry-After, X-Ignored-Fields, X-Request-Id',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  // Responses depend on the caller: only their own client may cache them, and must revalidate.
  'cache-control': 'private, no-cache',
}
const HTTPS_ONLY = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-API-Key, X-Request-Id',
  'access-control-max-age': '86400',
}

/** Sets the headers of every response, and responds to preflights before any authentication. */
export function setHeaders(app: FastifyInstance, publicUrl: string): void {
  const fixed = { ...FIXED, ...(publicUrl.startsWith('https:') ? HTTPS_ONLY : {}) }
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(fixed).header('x-request-id', request.id)
    if (request.method !== 'OPTIONS') return done()
    answerPreflight(request, reply)
  })
  // Never called, but Fastify runs the preflight hook only for a path that has a route.
  app.options('*', { schema: { hide: true } }, (_request, reply) => reply.callNotFound())
}

function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): void {
  if (!headers.origin || !headers['access-control-request-method']) {
    void reply.code(400).type('text/plain').send('Invalid Preflight Request')
    return
  }
  void reply.code(204).headers(PREFLIGHT).header('content-length', '0').send() // without it Safari waits for a body
}
