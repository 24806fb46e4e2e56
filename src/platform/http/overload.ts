import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '#vocabulary/errors.ts'
import { errorBody } from './errors.ts'
import { createGate, createKind, type Kind } from './gate.ts'
import { isUnlimited } from './rate-limit.ts'
import { overloaded } from './refusals.ts'

export type OverloadOptions = {
  /** Database connections: the concurrency limit is proportional to them. */
  connections: number
  /** Whether the database of this cell has replied to anything just now. */
  isAnswering: (cell: string) => boolean
  meter: OverloadMeter
}

export type Overload = {
  /**
   * A bulkhead: a cell whose database does not reply gets at most a quarter of the limit, so that requests waiting for
   * it in vain leave the rest to other cells. Called once the cell is known, which is after the gate has admitted the
   * request.
   */
  enterCell(request: FastifyRequest, cell: string): AppError | undefined
  /**
   * Gives the request's place to others while it only waits for somebody else's server, as long as that may take. It comes
   * back without asking; the time outside does not count as ours.
   */
  whileOutside<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result>
}

export type OverloadMeter = {
  /** Reads the gate's state at each scrape. */
  watch(state: () => { limit: number; inside: number; waiting: number }): void
  refused(route: string): void
}

/** The longest time for which a request counts after its caller has left. */
const MAX_LINGER_MS = 30_000

const place = Symbol('place')
type Place = { kind: Kind; since: number; cell: string | undefined; reply: FastifyReply }
type Placed = FastifyRequest & { [place]: Place | null }

/**
 * Load shedding: refuses excess requests with 503, early and cheaply, so that admitted ones are answered in time. Runs
 * before authentication. A request with a body enters the gate once its body has arrived: slow senders take up no slot.
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
    const needsNone = config.isStream || needsNoPlace(url ?? '')
    const kind = needsNone ? undefined : createKind(!waitsForOthers(config))
    kinds.set(name, kind)
    return kind
  }

  function ask(kind: Kind, request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const take = () => give(request, { kind, since: performance.now(), cell: undefined, reply })
    const isGone = () => request.raw.socket.destroyed // `request.raw` is destroyed once its body has been read
    const outcome = gate.enter(kind, isGone, (later) => {
      if (later === 'in') {
        take()
        done()
      } else if (later === 'full') refuse(request, reply, done)
      else done(tooMuch()) // the caller has left
    })
    if (outcome === undefined) return
    if (outcome !== 'in') return refuse(request, reply, done)
    take()
    done()
  }

  function give(request: FastifyRequest, taken: Place) {
    const { raw } = taken.reply
    ;(request as Placed)[place] = taken
    // The caller may leave while we still work for them: a request that waits for a database counts until it is done.
    const linger = () => {
      if ((request as Placed)[place] !== taken) return
      setTimeout(() => free(request, taken, performance.now() - taken.since), MAX_LINGER_MS).unref()
    }
    if (raw.closed) linger()
    else raw.once('close', linger)
  }

  async function whileOutside<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result> {
    const taken = (request as Placed)[place]
    if (!taken) return work()
    const { kind, cell, reply } = taken
    free(request, taken, 0, true)
    try {
      return await work()
    } finally {
      // Who was sent away meanwhile, because it took too long altogether, needs no place any more.
      if (!reply.sent) {
        gate.readmit(kind)
        if (cell !== undefined) insideOf.set(cell, (insideOf.get(cell) ?? 0) + 1)
        give(request, { kind, since: performance.now(), cell, reply })
      }
    }
  }

  function refuse(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) {
    meter.refused(request.routeOptions.url ?? 'unknown')
    if (hasBody(request)) done(tooMuch())
    else refuseCheaply(request, reply, tooMuch())
  }

  /** `isFault`: the time it took to find that a database is down does not reflect our load. */
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
  // A request is done once its response is handed to the socket. How long the caller takes to read it does not count.
  app.addHook('onSend', (request, reply, payload, done) => {
    const taken = (request as Placed)[place]
    if (taken) {
      const tookMs = performance.now() - taken.since
      const isFault = reply.statusCode === 503
      process.nextTick(() => free(request, taken, tookMs, isFault)) // after the response is written, on a fresh stack
    }
    done(null, payload)
  })
  return { enterCell, whileOutside }
}

/** Exempt: these are rare, or static. */
const needsNoPlace = (url: string) => isUnlimited(url) || url === '/openapi.json' || /^\/docs(\/|$)/.test(url)

/** Their latency does not reflect our load: they wait for an upload, a provider, or the password queue. */
const waitsForOthers = ({ shares, uploads, isSlow, fails }: FastifyContextConfig) =>
  Boolean(shares || uploads || isSlow || fails?.includes(502))

const hasBody = ({ headers, method }: FastifyRequest) =>
  method !== 'GET' && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)

// Made once: capturing a stack costs more than the rest of a refusal. `Retry-After` varies so that not all come back at
// once (jitter).
const REFUSALS = [1, 2, 3].map((seconds) => overloaded({ seconds }))
let turn = 0
const tooMuch = () => REFUSALS[turn++ % REFUSALS.length] as AppError

/** The usual error body, written past all hooks: a refusal must be cheap, or it is load itself. */
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
