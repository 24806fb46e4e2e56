import { randomBytes } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController, type RawServerDefault } from 'fastify'
import { AppError, badRequest, notFound } from '#vocabulary/errors.ts'
import { type GuardOptions, guardRoutes, recogniseCallers } from './access.ts'
import { cleanLargeHtml } from './clean-html.ts'
import { compressAnswers } from './compression.ts'
import { answerInTime } from './deadline.ts'
import { drainOnClose } from './drain.ts'
import { BODY_LIMIT_BYTES, errorBody, sendError } from './errors.ts'
import { setHeaders } from './headers.ts'
import { hearOut } from './hear-out.ts'
import { nameIgnoredFields } from './ignored-fields.ts'
import { parseJsonBodies } from './json-body.ts'
import { describeApi, type Tag } from './openapi.ts'
import { type OverloadOptions, refuseOverload } from './overload.ts'
import { refuseUnknownParameters } from './parameters.ts'
import { type Limits, limitRates } from './rate-limit.ts'
import { serializerCompiler } from './serialization.ts'
import type { SharedCountsOptions } from './shared-counts.ts'
import { endSlowReaders } from './slow-readers.ts'
import { validatorCompiler } from './validation.ts'

export type ServerOptions = {
  log: FastifyBaseLogger
  guard: GuardOptions
  publicUrl: string
  /** The chapters of the API reference. */
  tags: readonly Tag[]
  trustProxy: string[]
  /** Requests a minute; undefined: as many as come. */
  limits: Limits | undefined
  /** Where requests are counted together with other processes; undefined: each counts for itself. */
  sharedCounts?: Omit<SharedCountsOptions, 'log'> | undefined
  /** Refuses what is more than we can do; undefined: takes everything. */
  overload: OverloadOptions | undefined
  /** Sends text as gzip to whoever takes it. */
  compression?: boolean
  /** Makes a trace of each request; undefined: there are none. */
  trace?: ((app: FastifyInstance) => void) | undefined
  /** How long keep-alive clients and balancers are given to notice that this process stops. */
  drainGraceMs: number
  /** How long somebody may leave an answer unread. */
  readerPatienceMs: number
}

export type Server = Awaited<ReturnType<typeof createServer>>

/** Everything that all routes share: limits, one error body, access, ids, headers, documentation. */
export async function createServer(options: ServerOptions) {
  const app = Fastify<RawServerDefault>({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }), // metrics count requests; the log is for what needs reading
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: options.trustProxy.length > 0 ? options.trustProxy : false,
    requestTimeout: 120_000, // an import may be 100 MiB
    connectionTimeout: 60_000,
    keepAliveTimeout: 72_000, // longer than the usual balancer's, so that it is the balancer who closes
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
  // From here on there are refusals; the headers above are part of them, or a browser's page could not read them.
  app.addHook('onRequest', (request, _reply, done) => {
    // NUL cannot be stored or compared; everything else that is odd in an address is somebody's valid text.
    done(request.url.includes('%00') ? badRequest('The address holds a NUL character.') : undefined)
  })
  drainOnClose(app, options.drainGraceMs)
  hearOut(app)
  answerInTime(app)
  endSlowReaders(app, options.readerPatienceMs)
  recogniseCallers(app, options.guard)
  const limited = options.limits && limitRates(app, await limitOptions(app, options, options.limits))
  // After the limits: who floods us gets 429, and takes up nobody's place.
  const overload = options.overload && refuseOverload(app, options.overload)
  if (options.compression) compressAnswers(app)
  guardRoutes(app, { ...options.guard, enterCell: overload?.enterCell }, limited?.countCaller)
  refuseUnknownParameters(app)
  nameIgnoredFields(app)
  cleanLargeHtml(app)
  await describeApi(app, options.publicUrl, options.tags)
  return app
}

async function limitOptions(app: FastifyInstance, { sharedCounts, log, guard }: ServerOptions, perMinute: Limits) {
  const { recognises } = guard
  if (!sharedCounts) return { perMinute, recognises }
  const { openSharedCounts } = await import('./shared-counts.ts') // who has no Redis does not load what talks to it
  const shared = openSharedCounts({ ...sharedCounts, log })
  app.addHook('onClose', async () => shared.close())
  return { perMinute, recognises, shared }
}

const unknownPath = (method: string, url: string) => {
  const { status, code, details } = notFound()
  return new AppError(
    status,
    code,
    `There is nothing at ${method} ${url.split('?')[0]}. See /docs for what there is.`,
    details,
  )
}

// A random start and a counter: unique across processes, and much cheaper than a random id for each request.
const start = randomBytes(6).toString('hex')
let count = 0

function requestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && /^[\w-]{1,64}$/.test(given)) return given
  count++
  return `${start}-${count.toString(36)}`
}

/** What arrives is not HTTP, too slow or too large in its headers: the same body, by hand, because there is no request yet. */
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const [status, message] = UNREADABLE[error.code ?? ''] ?? [400, 'The request is not readable HTTP.']
  const id = requestId(undefined)
  const body = JSON.stringify(errorBody(badRequest(message), id))
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${id}\r\nconnection: close\r\n\r\n${body}`,
  )
}

const UNREADABLE: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request came too slowly.'],
}
