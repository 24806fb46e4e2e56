import type { FastifyInstance, FastifyRequest } from 'fastify'
import { forgetCleaned, hasMarkup, rememberCleaned } from '#vocabulary/html.ts'
import { openThread } from '../thread.ts'
import { isPermission } from './access.ts'

/** Markup up to this length is cleaned in a few milliseconds, on the event loop. */
const MAX_LENGTH_HERE = 16_000
const TIMEOUT_MS = 5_000

/**
 * Sanitising rich text takes up to a second per megabyte and would block the event loop. Large bodies are cleaned in a
 * worker thread before the handler runs. Only the handler knows which texts are rich, so all candidates are cleaned.
 * Only for routes that need a permission: bodies of public routes are short, or refused before they are cleaned.
 */
export function cleanLargeHtml(app: FastifyInstance): void {
  const cleanThere = openThread<string[], string[]>(new URL('./clean-html-thread.ts', import.meta.url), {
    timeoutMs: TIMEOUT_MS,
  })
  const remembered = new WeakMap<FastifyRequest, string[]>()

  app.addHook('preHandler', (request, reply, done) => {
    const { access = 'public' } = request.routeOptions.config
    if (!isPermission(access)) return done()
    if (request.body === undefined || Number(request.headers['content-length']) <= MAX_LENGTH_HERE) return done()
    const texts = [...textsWithMarkup(request.body)]
    if (texts.reduce((sum, { length }) => sum + length, 0) <= MAX_LENGTH_HERE) return done()
    const asker = { key: request.business.id, isGone: () => reply.sent || reply.raw.destroyed }
    cleanThere(texts, asker).then((cleaned) => {
      if (reply.sent || reply.raw.destroyed) return // the deadline or the caller ended it
      for (const [index, text] of texts.entries()) rememberCleaned(text, cleaned[index] ?? '')
      remembered.set(request, texts)
      done()
    }, done)
  })

  app.addHook('onResponse', (request, _reply, done) => {
    for (const text of remembered.get(request) ?? []) forgetCleaned(text)
    done()
  })
}

function* textsWithMarkup(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    if (hasMarkup(value)) yield value
  } else if (Array.isArray(value)) {
    for (const part of value) yield* textsWithMarkup(part)
  } else if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    for (const part of Object.values(value)) yield* textsWithMarkup(part)
  }
}
