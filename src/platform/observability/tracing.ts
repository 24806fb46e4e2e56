// Loaded only where tracing is configured, so that it costs nothing elsewhere, not even at start.
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { businessOf } from '../http/access.ts'
import { VERSION } from '../version.ts'
import { withoutSecrets } from './spans.ts'

export type JobTracer = (
  name: string,
  attributes: Record<string, string | number>,
  work: () => Promise<void>,
) => Promise<void>
export type Tracing = {
  requests(app: FastifyInstance): void
  job: JobTracer
  /** Flushes remaining spans, within 2 s. */
  stop(): Promise<void>
}

const MAX_FLUSH_MS = 2_000

/** OpenTelemetry reads exporter and sampler from its own variables (`OTEL_…`). */
export function startTracing(service: string, log: FastifyBaseLogger): Tracing {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': VERSION }),
    spanProcessors: [new BatchSpanProcessor(withoutSecrets(new OTLPTraceExporter(), log))],
  })
  provider.register()
  // Records statements with $1, never with values. Spans without a parent request or job are not recorded.
  registerInstrumentations({
    tracerProvider: provider,
    instrumentations: [
      new PgInstrumentation({ enhancedDatabaseReporting: false, requireParentSpan: true, ignoreConnectSpans: true }),
    ],
  })
  createRequire(import.meta.url)('pg') // already imported; requiring it again lets the instrumentation patch it

  const tracer = trace.getTracer('kontor', VERSION)
  const job: JobTracer = (name, attributes, work) =>
    tracer.startActiveSpan(`job ${name}`, { kind: SpanKind.CONSUMER, attributes }, async (span) => {
      try {
        await work()
      } catch (error) {
        fail(span, error)
        throw error
      } finally {
        span.end()
      }
    })

  function requests(app: FastifyInstance) {
    const current = Symbol('span')
    type Traced = FastifyRequest & { [current]: Context | null }
    app.decorateRequest(current as unknown as string, null)
    const spanOf = (request: FastifyRequest) => {
      const traced = (request as Traced)[current]
      return traced ? trace.getSpan(traced) : undefined
    }
    app.addHook('onRequest', (request, reply, done) => {
      // The path itself is not recorded: it, or its query, may hold a token.
      const { method, id, headers, is404 } = request
      const route = is404 ? undefined : request.routeOptions.url
      if (route === '/healthz' || route === '/readyz') return done()
      const attributes = {
        'http.request.method': method,
        'kontor.request_id': id,
        ...(route && { 'http.route': route }),
      }
      const parent = propagation.extract(context.active(), headers)
      const span = tracer.startSpan(
        route ? `${method} ${route}` : method,
        { kind: SpanKind.SERVER, attributes },
        parent,
      )
      ;(request as Traced)[current] = trace.setSpan(parent, span)
      reply.raw.once('close', () => {
        span.setAttribute('http.response.status_code', reply.statusCode)
        if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end()
      })
      context.with((request as Traced)[current] as Context, done)
    })
    app.addHook('preValidation', (request, _reply, done) => {
      const traced = (request as Traced)[current]
      // Hooks after the body run in the context of its last chunk, not in that of the request.
      if (traced) context.with(traced, done)
      else done()
    })
    app.addHook('preHandler', (request, _reply, done) => {
      const business = businessOf(request)
      if (business) spanOf(request)?.setAttributes({ 'kontor.business_id': business.id, 'kontor.cell': business.cell })
      done()
    })
    app.addHook('onError', (request, _reply, error, done) => {
      const span = spanOf(request)
      if (span && (error as { status?: number }).status === undefined) fail(span, error)
      done()
    })
  }

  return {
    requests,
    job,
    async stop() {
      await Promise.race([provider.shutdown().catch(() => {}), sleep(MAX_FLUSH_MS)])
    },
  }
}

/** Error type and stack without the message, which may hold user input. */
function fail(span: Span, error: unknown): void {
  const { name, code, stack = '' } = (error instanceof Error ? error : new Error()) as Error & { code?: unknown }
  span.addEvent('exception', {
    'exception.type': name,
    'exception.stacktrace': stack
      .split('\n')
      .filter((line) => line.startsWith('    at '))
      .join('\n'),
    ...(typeof code === 'string' && { 'exception.code': code }),
  })
  span.setStatus({ code: SpanStatusCode.ERROR })
}
