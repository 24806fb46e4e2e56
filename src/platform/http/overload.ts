import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Business } from '#vocabulary/business.ts'
import type { AppError } from '#vocabulary/errors.ts'
import { recognised } from './access.ts'
import { errorBody } from './errors.ts'
import { createGate, createKind, createVisit, type Kind, type Outcome, type Visit } from './gate.ts'
import { isUnlimited } from './rate-limit.ts'
import { overloaded } from './refusals.ts'

export type OverloadOptions = {
  /** Database connections: the concurrency limit is proportional to them. */
  connections: number
  /** Whether the database of this cell, or the replica that is read in its place, replies to what it is asked. */
  isAnswering: (cell: string, reads: 'replica' | undefined) => boolean
  meter: OverloadMeter
}

export type Overload = {
  /**
   * A bulkhead: a cell whose database does not reply gets at most a quarter of the limit, so that requests waiting for
   * it in vain leave the rest to other cells. Called once the business is known, which is after the gate has admitted
   * the request.
   */
  enterCell(request: FastifyRequest, business: Business): AppError | undefined
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
  /** Of those refused: because their business had used up its share. */
  overShare(): void
}

/** The longest time for which a request counts after its caller has left. */
const MAX_LINGER_MS = 30_000
/** Between two lines of the log about a business that is over its share. */
const TELL_MS = 10_000

const place = Symbol('place')
type Place = {
  visit: Visit
  since: number
  cell: string | undefined
  reply: FastifyReply
}
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
    const { route: config, url } = recognised(request)
    const { shares = config.uploads && 'uploads' } = config
    const shared = typeof shares === 'function' ? shares(request.query as Record<string, unknown>) : shares
    const name = shared ?? config
    const known = kinds.get(name)
    if (known || kinds.has(name)) return known
    const needsNone = config.isStream || needsNoPlace(url)
    const kind = needsNone ? undefined : createKind(!(shared || waitsForOthers(config)))
    kinds.set(name, kind)
    return kind
  }

  function ask(kind: Kind, request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const take = () => give(request, { visit, since: performance.now(), cell: undefined, reply })
    // The deadline may have answered meanwhile. `request.raw` is destroyed once its body has been read.
    const isGone = () => request.raw.socket.destroyed || reply.raw.headersSent
    const settle = (outcome: Outcome) => {
      if (outcome === 'in') {
        take()
        done()
      } else if (outcome === 'gone') done(tooMuch())
      else refuse(request, reply, done, outcome === 'over' ? visit : undefined)
    }
    const visit = createVisit(kind, isGone, settle, businessNamedBy(request))
    const outcome = gate.enter(visit)
    if (outcome !== undefined) settle(outcome)
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
    const { visit, cell, reply } = taken
    free(request, taken, 0, true)
    try {
      return await work()
    } finally {
      // Who was sent away meanwhile, because it took too long altogether, needs no place any more.
      if (!reply.sent) {
        gate.readmit(visit)
        if (cell !== undefined) insideOf.set(cell, (insideOf.get(cell) ?? 0) + 1)
        give(request, { visit, since: performance.now(), cell, reply })
      }
    }
  }

  /** `over`: its business is over its share. */
  function refuse(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void, over?: Visit) {
    if (reply.raw.headersSent) return
    meter.refused(recognised(request).url || 'unknown')
    if (over) {
      meter.overShare()
      tellOfShare(request, over)
    }
    if (hasBody(request)) done(tooMuch())
    else refuseCheaply(request, reply, tooMuch())
  }

  let toldAt = Number.NEGATIVE_INFINITY
  function tellOfShare({ log }: FastifyRequest, { party }: Visit) {
    const time = performance.now()
    if (time - toldAt < TELL_MS) return
    toldAt = time
    const business = party?.business
    if (business === undefined) log.warn('refused: too many ask for businesses that this process has not found yet')
    else log.warn({ business }, 'refused: this business has used up its share of this process')
  }

  /** `isFault`: the time it took to find that a database is down does not reflect our load. */
  function free(request: FastifyRequest, taken: Place, tookMs: number, isFault = false) {
    if ((request as Placed)[place] !== taken) return
    ;(request as Placed)[place] = null
    if (taken.cell !== undefined) insideOf.set(taken.cell, (insideOf.get(taken.cell) ?? 1) - 1)
    gate.leave(taken.visit, isFault ? undefined : tookMs)
  }

  function enterCell(request: FastifyRequest, business: Business): AppError | undefined {
    const { id, cell, limits } = business
    const taken = (request as Placed)[place]
    if (!taken) return undefined
    gate.setShare(id, limits?.requestsAtOnce)
    gate.found(taken.visit, business)
    const inside = insideOf.get(cell) ?? 0
    const { url, route } = recognised(request)
    if (inside >= gate.limit() >> 2 && !isAnswering(cell, route.reads)) {
      meter.refused(url || 'unknown')
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

/** Not looked up yet, only read: the guard, which comes later, finds it or refuses the request. */
function businessNamedBy(request: FastifyRequest): string | undefined {
  const { business } = recognised(request).route
  if (business === 'path') return textOf((request.params as { businessId?: unknown }).businessId)
  if (business === 'storefront') return textOf((request.params as { business?: unknown }).business)
  if (business === 'body') return textOf((request.body as { businessId?: unknown } | null | undefined)?.businessId)
  if (business === 'query') return textOf((request.query as { businessId?: unknown }).businessId)
  if (business === 'token') return tokenOf(request)?.split('.', 1)[0]
  return undefined
}
/** As handlers look for it: a form of a page may repeat what its address says. */
const tokenOf = ({ params, body, query }: FastifyRequest) =>
  [params, body, query].map((part) => textOf((part as { token?: unknown } | null | undefined)?.token)).find(Boolean)
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Exempt: these are rare, or static. */
const needsNoPlace = (url: string) => isUnlimited(url) || url === '/openapi.json' || /^\/docs(\/|$)/.test(url)

/**
 * Their latency does not reflect our load: they wait for a provider. Nor does that of those who wait for an upload, or for their
 * turn to hash a password or to search.
 */
const waitsForOthers = ({ isSlow, fails }: FastifyContextConfig) => Boolean(isSlow || fails?.includes(502))

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
