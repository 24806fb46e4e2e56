import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node'
import type { FastifyBaseLogger } from 'fastify'

/**
 * Exports spans without error messages, because PostgreSQL quotes the offending value in them. An unreachable collector
 * is logged once, and its spans are dropped.
 */
export function withoutSecrets(exporter: SpanExporter, log: FastifyBaseLogger): SpanExporter {
  let isAway = false
  return {
    export(spans, done) {
      exporter.export(spans.map(clean), (result) => {
        const failed = result.error !== undefined
        if (failed && !isAway) log.warn({ err: result.error }, 'traces cannot be sent; they are dropped until they can')
        if (!failed && isAway) log.info('traces are sent again')
        isAway = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
}

const WORDS = new Set(['exception.message', 'exception.stacktrace'])

function clean(span: ReadableSpan): ReadableSpan {
  if (span.events.length === 0 && span.status.message === undefined) return span
  const isOurs = span.instrumentationScope.name === 'kontor'
  const events = isOurs
    ? span.events
    : span.events.map(({ attributes = {}, ...event }) => ({
        ...event,
        attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => !WORDS.has(name))),
      }))
  return Object.create(span, {
    events: { value: events },
    status: { value: { code: span.status.code } },
  }) as ReadableSpan
}
