import type { FastifyInstance, FastifyRequest } from 'fastify'
import { forgetCleaned, hasMarkup, rememberCleaned } from '#vocabulary/html.ts'
import { openThread } from '../thread.ts'

/** So much markup is cleaned in a few milliseconds, where it is needed. */
const MAX_LENGTH_HERE = 16_000
const TIMEOUT_MS = 5_000

/**
 * Cleaning rich text takes up to a second for a megabyte, in which nobody else would be answered. If there is much in a body, it
 * is cleaned in another thread before the handler runs. Which texts are rich only the handler knows: all that could be are cleaned.
 */
export function cleanLargeHtml(app: FastifyInstance): void {
  const cleanThere = openThread<string[], string[]>(new URL('./clean-html-thread.ts', import.meta.url), {
    timeoutMs: TIMEOUT_MS,
  })
  const remembered = new WeakMap<FastifyRequest, string[]>()

  app.addHook('preHandler', (request, reply, done) => {
    if (request.body === undefined || Number(request.headers['content-length']) <= MAX_LENGTH_HERE) return done()
    const texts = [...textsWithMarkup(request.body)]
    if (texts.reduce((sum, { length }) => sum + length, 0) <= MAX_LENGTH_HERE) return done()
    cleanThere(texts).then((cleaned) => {
      if (reply.sent || reply.raw.destroyed) return // it took too long for somebody
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
