import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cellNameOf } from './access.ts'
import { tookTooLong } from './refusals.ts'

/** A little less than the ten seconds that callers, and balancers, commonly wait. */
const DEADLINE_MS = 9_000

const clock = Symbol('deadline')
type Clock = { timer: NodeJS.Timeout | undefined; startedAt: number; usedMs: number }
type Timed = FastifyRequest & { [clock]: Clock | null }

/**
 * A deadline for the whole request. Every single wait has a timeout, but a request may have many of them: ten
 * statements of one second each are too slow. A late caller gets the same 503 as when a database is down; the work may
 * still complete, as after any lost response. The time that the caller takes to send the body does not count.
 */
export function enforceDeadline(app: FastifyInstance, maxMs = DEADLINE_MS): void {
  app.decorateRequest(clock as unknown as string, null)

  const start = (request: FastifyRequest, reply: FastifyReply, of: Clock) => {
    of.startedAt = performance.now()
    of.timer = setTimeout(() => {
      if (reply.sent || reply.raw.headersSent) return
      request.log.warn({ route: request.routeOptions.url, cell: cellNameOf(request) }, 'a request took too long')
      void reply.send(tookTooLong())
    }, maxMs - of.usedMs)
  }
  const stop = (of: Clock | null) => {
    if (!of) return
    clearTimeout(of.timer)
    of.usedMs = Math.min(maxMs, of.usedMs + performance.now() - of.startedAt)
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 && !takesItsTime(request.routeOptions.config)) {
      const own: Clock = { timer: undefined, startedAt: 0, usedMs: 0 }
      ;(request as Timed)[clock] = own
      start(request, reply, own)
      reply.raw.once('close', () => clearTimeout(own.timer))
    }
    done()
  })
  app.addHook('preParsing', (request, _reply, payload, done) => {
    stop((request as Timed)[clock])
    done(null, payload)
  })
  app.addHook('preValidation', (request, reply, done) => {
    const own = (request as Timed)[clock]
    if (own) start(request, reply, own)
    done()
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    stop((request as Timed)[clock])
    done(null, payload)
  })
}

/** Transfers of files take as long as they are large, and the language model has its own timeout. */
const takesItsTime = ({ uploads, downloads, isSlow, isStream }: FastifyContextConfig) =>
  Boolean(uploads || downloads || isSlow || isStream)
