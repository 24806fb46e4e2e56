import { loadConfig } from '#platform/config.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics, serveMetrics } from '#platform/observability/metrics.ts'
import { openTracing } from '#platform/observability/open-tracing.ts'
import { announce, assertMigrated, boot, describeDatabase, tellOfCells } from './boot.ts'
import { buildApi } from './build-api.ts'
import { describeCells } from './open-cells.ts'
import { stopGracefully } from './stop-gracefully.ts'

/**
 * Connections that wait to be accepted; the system may allow fewer. After a restart thousands of streams come back in one moment, and
 * one that finds no place is tried again after one, three and seven seconds.
 */
const BACKLOG = 4_096

await boot(async () => {
  const config = loadConfig(process.env)
  const log = createLog(config.logLevel)
  const metrics = createMetrics()
  const tracing = await openTracing(config, 'kontor-api', log)
  const app = await buildApi(config, { log, metrics, trace: tracing?.requests, beforeStart: assertMigrated })
  const { databases, extensions } = app.services
  await tellOfCells(
    databases,
    log,
    extensions.map(({ migrations }) => migrations),
  )
  const address = await app.listen({ host: config.host, port: config.port, backlog: BACKLOG })
  const { watch, presence } = app.services
  const metricsServer = await serveMetrics(metrics, config.host, config.metricsPort, () =>
    describeCells(watch, presence),
  )

  stopGracefully(log, metrics, async () => {
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
      cells: [...databases.cells.keys()].join(', '),
      ...(extensions.length > 0 && { extensions: extensions.map(({ extension }) => extension.name).join(', ') }),
      mode: config.mode,
    },
    config.providers,
    log,
  )
})
