import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from '#vocabulary/errors.ts'
import { cellNameOf } from './access.ts'

/** A little less than the ten seconds that callers, and balancers, commonly wait. */
const MAX_MS = 9_000

const clock = Symbol('deadline')
type Clock = { timer: NodeJS.Timeout | undefined; startedAt: number; usedMs: number }
type Timed = FastifyRequest & { [clock]: Clock | null }

/**
 * Every wait has a limit of its own, but a request may have many of them: where each statement takes a second, ten are too many.
 * Whoever is not answered in time is told so, as when a database is away; what was begun may still come true, as after any
 * lost answer. The time that the caller takes to send a body does not count.
 */
export function answerInTime(app: FastifyInstance): void {
  app.decorateRequest(clock as unknown as string, null)

  const start = (request: FastifyRequest, reply: FastifyReply, of: Clock) => {
    of.startedAt = performance.now()
    of.timer = setTimeout(() => {
      if (reply.sent || reply.raw.headersSent) return
      request.log.warn({ route: request.routeOptions.url, cell: cellNameOf(request) }, 'a request took too long')
      void reply.send(unavailable('This takes longer than we let anybody wait. Try again shortly.'))
    }, MAX_MS - of.usedMs)
  }
  const stop = (of: Clock | null) => {
    if (!of) return
    clearTimeout(of.timer)
    of.usedMs = Math.min(MAX_MS, of.usedMs + performance.now() - of.startedAt)
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

/** Files take as long as they are large, and a language model has a limit of its own. */
const takesItsTime = ({ uploads, downloads, isSlow }: FastifyContextConfig) => Boolean(uploads || downloads || isSlow)
