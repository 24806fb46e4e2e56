import { randomBytes } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify'
import { type GuardOptions, guardRoutes, recogniseCallers } from './access.ts'
import { cleanLargeHtml } from './clean-html.ts'
import { compressResponses } from './compression.ts'
import { enforceDeadline } from './deadline.ts'
import { drainOnClose } from './drain.ts'
import { drainBody } from './drain-body.ts'
import { BODY_LIMIT_BYTES, errorBody, sendError } from './errors.ts'
import { setHeaders } from './headers.ts'
import { nameIgnoredFields } from './ignored-fields.ts'
import { parseJsonBodies } from './json-body.ts'
import { describeApi, type Tag } from './openapi.ts'
import { type OverloadOptions, refuseOverload } from './overload.ts'
import { refuseUnknownParameters } from './parameters.ts'
import { type Limits, limitRates } from './rate-limit.ts'
import type { RedisCountsOptions } from './redis-rate-limit.ts'
import * as refusal from './refusals.ts'
import { serializerCompiler } from './serialization.ts'
import { endSlowReaders } from './slow-readers.ts'
import { validatorCompiler } from './validation.ts'

export type ServerOptions = {
  log: FastifyBaseLogger
  guard: GuardOptions
  publicUrl: string
  /** The chapters of the API reference. */
  tags: readonly Tag[]
  trustProxy: string[]
  /** Requests a minute; undefined: no rate limit. */
  limits: Limits | undefined
  /** Counters shared with other processes; without them each process counts for itself. */
  redisCounts?: Omit<RedisCountsOptions, 'log'> | undefined
  /** Load shedding; undefined: every request is accepted. */
  overload: OverloadOptions | undefined
  /** Compresses responses with gzip. */
  compression?: boolean
  /** Traces each request; undefined: no tracing. */
  trace?: ((app: FastifyInstance) => void) | undefined
  /** How long keep-alive clients and load balancers have to notice that this process stops. */
  drainGraceMs: number
  /** How long a response may stay unread. */
  readerPatienceMs: number
  /** How long a request may take; undefined: as long as callers commonly wait. */
  deadlineMs?: number | undefined
}

export type Server = Awaited<ReturnType<typeof createServer>>

/** Everything that all routes share: limits, one error body, access, ids, headers, documentation. */
export async function createServer(options: ServerOptions) {
  const app = Fastify<RawServerDefault>({
    loggerInstance: options.log,
    // Metrics count requests; the log is for events that need attention.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: options.trustProxy.length > 0 ? options.trustProxy : false,
    requestTimeout: 120_000, // an import may be 100 MiB
    connectionTimeout: 60_000,
    keepAliveTimeout: 72_000, // longer than the usual load balancer's, so that the balancer closes first
    return503OnClosing: false, // our own hook answers, in our own shape
    genReqId: (request) => requestId(request.headers['x-request-id']),
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: answerUnreadable,
    routerOptions: { maxParamLength: 200 },
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request, reply) => sendError(unknownPath(request.method, request.url), request, reply))
  parseJsonBodies(app)

  options.trace?.(app)
  setHeaders(app, options.publicUrl)
  // Hooks from here on may refuse; the headers above must be set by then, or a browser page could not read the refusal.
  app.addHook('onRequest', (request, _reply, done) => {
    // PostgreSQL cannot store or compare NUL; any other odd character is valid text.
    done(request.url.includes('%00') ? refusal.addressHoldsNul() : undefined)
  })
  drainOnClose(app, options.drainGraceMs)
  enforceDeadline(app, options.deadlineMs)
  endSlowReaders(app, options.readerPatienceMs)
  recogniseCallers(app, options.guard)
  const limited = options.limits && limitRates(app, await limitOptions(app, options, options.limits))
  app.decorateRequest('countLess', function (this: FastifyRequest) {
    limited?.giveBack(this)
  })
  // After the rate limits: floods get 429, and take up no slot.
  const overload = options.overload && refuseOverload(app, options.overload)
  app.decorateRequest('whileOutside', function (this: FastifyRequest, work) {
    return overload ? overload.whileOutside(this, work) : work()
  })
  // After the gate: whoever goes on sending what was refused takes up no slot.
  drainBody(app)
  if (options.compression) compressResponses(app)
  guardRoutes(app, { ...options.guard, enterCell: overload?.enterCell }, limited)
  refuseUnknownParameters(app)
  nameIgnoredFields(app)
  cleanLargeHtml(app)
  await describeApi(app, options.publicUrl, options.tags)
  return app
}

async function limitOptions(app: FastifyInstance, { redisCounts, log, guard }: ServerOptions, perMinute: Limits) {
  const { recognises } = guard
  if (!redisCounts) return { perMinute, recognises }
  const { openRedisCounts } = await import('./redis-rate-limit.ts') // loaded only where Redis is configured
  const shared = openRedisCounts({ ...redisCounts, log })
  app.addHook('onClose', async () => shared.close())
  return { perMinute, recognises, shared }
}

const unknownPath = (method: string, url: string) => refusal.nothingThere({ method, path: url.split('?')[0] ?? '' })

// A random start and a counter: unique across processes, and much cheaper than a random id for each request.
const start = randomBytes(6).toString('hex')
let count = 0

function requestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && /^[\w-]{1,64}$/.test(given)) return given
  count++
  return `${start}-${count.toString(36)}`
}

/** What Node's own handler looks at, too: the answer that is being written, if any. */
type Answering = { _httpMessage?: { headersSent: boolean } | null }

/**
 * For requests that are not HTTP, too slow, or with too large headers: the usual error body, written by hand, because
 * there is no request object yet. A HEAD has no body in its answer; its client would take it for the next one.
 */
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  const { code, rawPacket } = error as typeof error & { rawPacket?: Buffer }
  if (code === 'ECONNRESET' || !socket.writable) return
  const { _httpMessage: answer } = socket as Answering
  // It came behind a request whose answer is half written: more bytes would become part of that.
  if (answer?.headersSent) return void socket.destroy()
  const [status, message] = UNREADABLE[code ?? ''] ?? [400, 'The request is not readable HTTP.']
  const id = requestId(undefined)
  const body = JSON.stringify(errorBody(refusal.unreadable({ message }), id))
  const isHead = rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD '
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${id}\r\nconnection: close\r\n\r\n${isHead ? '' : body}`,
  )
}

const UNREADABLE: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request came too slowly.'],
}
