import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#vocabulary/errors.ts'
import { errorBody } from './errors.ts'
import { createGate, createKind, type Kind } from './gate.ts'
import { isUnlimited } from './rate-limit.ts'

export type OverloadOptions = {
  /** To the database: what can be done at once grows with them. */
  connections: number
  /** Has the database of this cell answered anything just now? */
  isAnswering: (cell: string) => boolean
  meter: OverloadMeter
}

export type Overload = {
  /**
   * A cell whose database does not answer has a quarter of the places at most: those who wait for it in vain leave the rest to the
   * others. Asked when the cell is known, which is after the gate has let the request in.
   */
  enterCell(request: FastifyRequest, cell: string): AppError | undefined
}

export type OverloadMeter = {
  /** What there is to see, whenever somebody looks. */
  watch(state: () => { limit: number; inside: number; waiting: number }): void
  refused(route: string): void
}

/** How long after its caller has left a request that goes on still counts, at most. */
const MAX_LINGER_MS = 30_000

const place = Symbol('place')
type Place = { kind: Kind; since: number; cell: string | undefined }
type Placed = FastifyRequest & { [place]: Place | null }

/**
 * More than we can do is refused with 503, early and cheaply, so that what is let in is answered in time. Asked before anybody
 * looks at tokens. A request with a body asks when its body is here: who sends slowly takes up nobody's place.
 */
export function refuseOverload(app: FastifyInstance, { connections, isAnswering, meter }: OverloadOptions): Overload {
  const gate = createGate(connections)
  const kinds = new Map<FastifyContextConfig | string, Kind | undefined>()
  const insideOf = new Map<string, number>()
  meter.watch(gate.state)
  app.addHook('onClose', async () => gate.close())
  app.decorateRequest(place as unknown as string, null)

  function kindOf(request: FastifyRequest): Kind | undefined {
    const { config, url } = request.routeOptions
    const name = config.shares ?? (config.uploads ? 'uploads' : config)
    const known = kinds.get(name)
    if (known || kinds.has(name)) return known
    const kind = needsNoPlace(url ?? '') ? undefined : createKind(!waitsForOthers(config))
    kinds.set(name, kind)
    return kind
  }

  function ask(kind: Kind, request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const take = () => {
      const taken: Place = { kind, since: performance.now(), cell: undefined }
      ;(request as Placed)[place] = taken
      // The caller may be gone while we still work for them: what waits for a database counts until it is done.
      reply.raw.once('close', () => {
        if ((request as Placed)[place] !== taken) return
        setTimeout(() => free(request, taken, performance.now() - taken.since), MAX_LINGER_MS).unref()
      })
    }
    const isGone = () => request.raw.socket.destroyed // the request itself is, once its body has been read
    const outcome = gate.enter(kind, isGone, (later) => {
      if (later === 'in') {
        take()
        done()
      } else if (later === 'full') refuse(request, reply, done)
      else done(tooMuch()) // nobody hears it
    })
    if (outcome === undefined) return
    if (outcome !== 'in') return refuse(request, reply, done)
    take()
    done()
  }

  function refuse(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) {
    meter.refused(request.routeOptions.url ?? 'unknown')
    if (hasBody(request)) done(tooMuch())
    else refuseCheaply(request, reply, tooMuch())
  }

  /** `isFault`: how long it took to find out that a database is away says nothing about how much we can do. */
  function free(request: FastifyRequest, taken: Place, tookMs: number, isFault = false) {
    if ((request as Placed)[place] !== taken) return
    ;(request as Placed)[place] = null
    if (taken.cell !== undefined) insideOf.set(taken.cell, (insideOf.get(taken.cell) ?? 1) - 1)
    gate.leave(taken.kind, isFault ? undefined : tookMs)
  }

  function enterCell(request: FastifyRequest, cell: string): AppError | undefined {
    const taken = (request as Placed)[place]
    if (!taken) return undefined
    const inside = insideOf.get(cell) ?? 0
    if (inside >= gate.limit() >> 2 && !isAnswering(cell)) {
      meter.refused(request.routeOptions.url ?? 'unknown')
      return tooMuch()
    }
    taken.cell = cell
    insideOf.set(cell, inside + 1)
    return undefined
  }

  app.addHook('onRequest', (request, reply, done) => {
    const kind = request.is404 ? undefined : kindOf(request)
    if (!kind || hasBody(request)) return done()
    ask(kind, request, reply, done)
  })
  app.addHook('preValidation', (request, reply, done) => {
    const kind = request.is404 || !hasBody(request) ? undefined : kindOf(request)
    if (!kind) return done()
    ask(kind, request, reply, done)
  })
  // Done is what has been handed over to the socket. How long the caller takes to read it is no concern of anybody else.
  app.addHook('onSend', (request, reply, payload, done) => {
    const taken = (request as Placed)[place]
    if (taken) {
      const tookMs = performance.now() - taken.since
      const isFault = reply.statusCode === 503
      process.nextTick(() => free(request, taken, tookMs, isFault)) // after this answer is written, and not on top of its stack
    }
    done(null, payload)
  })
  return { enterCell }
}

/** Few, or the same for everybody and made once: these need nothing that there could be too little of. */
const needsNoPlace = (url: string) => isUnlimited(url) || url === '/openapi.json' || /^\/docs(\/|$)/.test(url)

/** How long these take says nothing about us: it is for the sender of a file, for a provider, or for the queue of passwords. */
const waitsForOthers = ({ shares, uploads, fails }: FastifyContextConfig) =>
  Boolean(shares || uploads || fails?.includes(502))

const hasBody = ({ headers, method }: FastifyRequest) =>
  method !== 'GET' && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)

// Made once: an error's stack costs more than all the rest of a refusal. The seconds differ so that not all come back at once.
const REFUSALS = [1, 2, 3].map(
  (seconds) =>
    new AppError(
      503,
      'UNAVAILABLE',
      `There is more to do than we can right now. Try again in ${seconds} s.`,
      [],
      seconds,
    ),
)
let turn = 0
const tooMuch = () => REFUSALS[turn++ % REFUSALS.length] as AppError

/** The same answer as any error's, past all that usually happens to answers: refusing must cost little, or it is work like any. */
function refuseCheaply(request: FastifyRequest, reply: FastifyReply, error: AppError): void {
  const body = JSON.stringify(errorBody(error, request.id))
  reply.hijack()
  reply.raw
    .writeHead(error.status, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'retry-after': String(error.retryAfterSeconds ?? 1),
    })
    .end(request.method === 'HEAD' ? undefined : body)
}
