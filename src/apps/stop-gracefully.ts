import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import { runningExtension } from '#platform/extensions/running.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { MAX_DRAIN_MS } from './boot.ts'

const ERROR_EVENTS = ['uncaughtException', 'unhandledRejection'] as const

/**
 * Stops the process on a signal, and after an unhandled error of our own, which may leave any state behind. Unhandled errors of
 * extensions are logged and counted, and the process continues.
 */
export function stopGracefully(log: Logger, metrics: Metrics, stop: () => Promise<void>): void {
  let failure: { error: unknown } | undefined
  let isStopping = false
  const closer = closeWithGrace({ delay: MAX_DRAIN_MS, logger: false, skip: [...ERROR_EVENTS] }, async ({ signal }) => {
    isStopping = true
    if (failure) log.fatal({ err: failure.error }, 'stopping after an unexpected error')
    else log.info({ signal }, 'stopping')
    await stop()
    if (failure) throw failure.error // sets the exit code
  })
  for (const event of ERROR_EVENTS)
    process.on(event, (error: unknown) => {
      const extension = runningExtension()
      if (extension !== undefined) {
        metrics.extensionErrors.inc({ extension })
        log.error({ err: error, extension }, 'unhandled error of an extension, continuing')
        return
      }
      if (isStopping) process.exit(1)
      failure = { error }
      closer.close()
    })
}
