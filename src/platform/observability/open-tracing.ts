import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Tracing } from './tracing.ts'

/** Starts tracing if it is configured; otherwise OpenTelemetry is not even loaded. */
export async function openTracing(
  { tracing }: Config,
  defaultName: string,
  log: FastifyBaseLogger,
): Promise<Tracing | undefined> {
  if (!tracing) return undefined
  const { startTracing } = await import('./tracing.ts')
  return startTracing(tracing.serviceName ?? defaultName, log)
}
