import closeWithGrace from 'close-with-grace'
import { loadConfig } from '#platform/config.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics, serveMetrics } from '#platform/observability/metrics.ts'
import { openTracing } from '#platform/observability/open-tracing.ts'
import { announce, assertMigrated, boot, describeDatabase } from './boot.ts'
import { buildApi } from './build-api.ts'
import { describeCells } from './open-cells.ts'

const MAX_DRAIN_MS = 25_000

await boot(async () => {
  const config = loadConfig(process.env)
  const log = createLog(config.logLevel)
  const metrics = createMetrics()
  const tracing = await openTracing(config, 'kontor-api', log)
  const app = await buildApi(config, { log, metrics, trace: tracing?.requests })
  await assertMigrated(app.services.databases, log)
  const address = await app.listen({ host: config.host, port: config.port })
  const { watch, presence } = app.services
  const metricsServer = await serveMetrics(metrics, config.host, config.metricsPort, () =>
    describeCells(watch, presence),
  )

  closeWithGrace({ delay: MAX_DRAIN_MS, logger: false }, async ({ err, signal }) => {
    if (err) log.fatal({ err }, 'stopping after an unexpected error')
    else log.info({ signal }, 'stopping')
    await app.drain()
    await metricsServer.close()
    await tracing?.stop()
  })
  announce(
    'api',
    {
      address,
      reference: `${address}/docs`,
      ...(config.dashboard && { dashboard: `${config.publicUrl}/admin` }),
      metrics: `http://${config.host}:${metricsServer.port}/metrics`,
      database: describeDatabase(config.databases.control.url),
      cells: ['main', ...Object.keys(config.databases.cells)].join(', '),
      mode: config.mode,
    },
    config.providers,
    log,
  )
})
