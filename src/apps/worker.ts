import closeWithGrace from 'close-with-grace'
import { listUsedCells } from '#modules/access/index.ts'
import { keepStockList, STOCK_LIST_TOPIC, startPictures } from '#modules/catalog/index.ts'
import { endExpired } from '#modules/checkout/index.ts'
import { publishDue } from '#modules/content/index.ts'
import { CUSTOMER_TOPICS, followOrders, markCustomers } from '#modules/customers/index.ts'
import { startMedia } from '#modules/media/index.ts'
import { startNewsletters } from '#modules/newsletter/index.ts'
import { COMMITTED_TOPIC, followCommitted, indexOrders, ORDER_TOPIC } from '#modules/orders/index.ts'
import { carryOutRefunds, reconcileStale } from '#modules/payments/index.ts'
import { loadConfig } from '#platform/config.ts'
import { openDatabases } from '#platform/database/database.ts'
import { watchDatabases } from '#platform/database/watch.ts'
import { sequenceAllEvents } from '#platform/events/sequencer.ts'
import { startLoop } from '#platform/jobs/loop.ts'
import { startWorker } from '#platform/jobs/worker.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics, measureCells, measurePools, serveMetrics } from '#platform/observability/metrics.ts'
import { openTracing } from '#platform/observability/open-tracing.ts'
import { rulesFor } from '#platform/outgoing/check-address.ts'
import { createDownload } from '#platform/outgoing/download.ts'
import { announceProcess } from '#platform/processes.ts'
import { openServices } from '#platform/services.ts'
import { announce, assertMigrated, boot, describeDatabase } from './boot.ts'
import { jobs } from './jobs.ts'
import { describeCells } from './open-cells.ts'
import { payables } from './payables.ts'
import { askControl } from './people.ts'

const MAX_DRAIN_MS = 25_000
const SEQUENCE_MS = 500
const SWEEP_MS = 2_000
const INDEX_MS = 500

const TOPICS = [ORDER_TOPIC, ...CUSTOMER_TOPICS, COMMITTED_TOPIC, STOCK_LIST_TOPIC]

await boot(async () => {
  const config = loadConfig(process.env)
  const log = createLog(config.logLevel)
  const metrics = createMetrics()
  const tracing = await openTracing(config, 'kontor-worker', log)
  const databases = openDatabases(config.databases, {
    applicationName: 'kontor worker',
    max: config.poolSize,
    maxAgeSeconds: config.connectionMaxAgeSeconds,
  })
  await assertMigrated(databases, log)

  const { control, cells } = databases
  const watch = await watchDatabases(databases, { log })
  const presence = await announceProcess({
    control,
    kind: 'worker',
    cells,
    findHomes: () => listUsedCells(control),
    log,
  })
  measureCells(metrics, watch)
  measurePools(metrics, Object.fromEntries([...cells].map(([name, cell]) => [name, cell.pool])))

  const services = openServices(config)
  const worker = startWorker({
    databases,
    jobs,
    services,
    log,
    metrics,
    trace: tracing?.job,
    abandon: (database) => {
      log.fatal(
        { database },
        'a job that another worker will take over does not end here: stopping this process so that it does not run twice',
      )
      process.exit(1)
    },
  })
  const sequencers = [...databases.cells].map(([name, cell]) =>
    startLoop(`sequencer of ${name}`, SEQUENCE_MS, (signal) => sequenceAllEvents(cell, TOPICS, signal), log),
  )
  const paying = { ...services, payables }
  const sweeps = [...databases.cells].flatMap(([name, cell]) => [
    startLoop(`expiry in ${name}`, SWEEP_MS, () => endExpired(paying, cell, log), log),
    startLoop(`reconciliation in ${name}`, SWEEP_MS, () => reconcileStale(paying, cell, log), log),
    startLoop(`publishing in ${name}`, SWEEP_MS, () => publishDue(cell, log), log),
    startLoop(`refunds in ${name}`, SWEEP_MS, () => carryOutRefunds(paying, cell, log), log),
    startLoop(`search for orders in ${name}`, INDEX_MS, (signal) => indexOrders(cell, signal), log),
    startLoop(`committed stock in ${name}`, INDEX_MS, (signal) => followCommitted(cell, signal), log),
    startLoop(`list of stock in ${name}`, INDEX_MS, (signal) => keepStockList(cell, signal), log),
    startLoop(`customers of ${name}`, INDEX_MS, (signal) => followOrders(cell, askControl(control), log, signal), log),
  ])
  const newsletters = startNewsletters(config, databases, { markCustomers, log })
  const media = services.storage && startMedia(databases.cells.values(), { storage: services.storage, log })
  const pictures =
    services.storage &&
    config.media &&
    startPictures(databases.cells.values(), {
      storage: services.storage,
      publicUrl: services.storage.publicUrl,
      quota: config.media.quotaBytes,
      download: createDownload(rulesFor(config.outgoing)),
      log,
    })
  const metricsServer = await serveMetrics(metrics, config.host, config.workerMetricsPort, () =>
    describeCells(watch, presence),
  )

  closeWithGrace({ delay: MAX_DRAIN_MS, logger: false }, async ({ err, signal }) => {
    if (err) log.fatal({ err }, 'stopping after an unexpected error')
    else log.info({ signal }, 'stopping')
    await Promise.all([
      worker.stop(),
      newsletters?.stop(),
      media?.stop(),
      pictures?.stop(),
      ...[...sequencers, ...sweeps].map((loop) => loop.stop()),
    ])
    await metricsServer.close()
    await Promise.all([presence.stop(), watch.stop()])
    services.mail?.close()
    await services.storage?.close()
    await databases.close()
    await tracing?.stop()
  })
  announce(
    'worker',
    {
      metrics: `http://${config.host}:${metricsServer.port}/metrics`,
      database: describeDatabase(config.databases.control.url),
      cells: ['main', ...Object.keys(config.databases.cells)].join(', '),
      jobs: String(jobs.length),
    },
    config.providers,
    log,
  )
})
