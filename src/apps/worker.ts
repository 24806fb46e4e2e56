import { createJobsAtOnceOf, createQuotaOf, findBusiness, listUsedCells } from '#modules/access/index.ts'
import { hasUnlisted, keepStockList, STOCK_LIST_TOPIC, startPictures } from '#modules/catalog/index.ts'
import { endExpired } from '#modules/checkout/index.ts'
import { startChecks } from '#modules/checks/index.ts'
import { hasUnpublished, publishDue } from '#modules/content/index.ts'
import { CUSTOMER_TOPICS, followOrders, hasUnfollowed, markCustomers } from '#modules/customers/index.ts'
import { startMedia } from '#modules/media/index.ts'
import { startNewsletters } from '#modules/newsletter/index.ts'
import {
  COMMITTED_TOPIC,
  followCommitted,
  hasExpired,
  hasUncounted,
  hasUnindexed,
  indexOrders,
  ORDER_TOPIC,
} from '#modules/orders/index.ts'
import { carryOutRefunds, hasPendingRefunds, hasUnreconciled, reconcileStale } from '#modules/payments/index.ts'
import { followReports, hasUnreported, REPORT_TOPICS } from '#modules/reports/index.ts'
import { startWebhooks } from '#modules/webhooks/index.ts'
import { followCells } from '#platform/cells/follow-cells.ts'
import { ConfigError, loadConfig } from '#platform/config.ts'
import { CellMap, forEachCell, pickCells } from '#platform/database/cell-map.ts'
import { type Cell, MAIN_CELL, openDatabases } from '#platform/database/database.ts'
import { createReplicaReaders } from '#platform/database/replica-readers.ts'
import { watchDatabases } from '#platform/database/watch.ts'
import { measureFeedLag } from '#platform/events/measure-lag.ts'
import { hasUnnumbered, sequenceAllEvents } from '#platform/events/sequencer.ts'
import { followFeed, isBehind } from '#platform/extensions/follow-feed.ts'
import { startLoop } from '#platform/jobs/loop.ts'
import { type Condition, createRests } from '#platform/jobs/rest.ts'
import { startWorker } from '#platform/jobs/worker.ts'
import { createLog } from '#platform/observability/log.ts'
import {
  createMetrics,
  measureCells,
  measureChecks,
  measurePools,
  measurePresence,
  measureWebhooks,
  serveMetrics,
} from '#platform/observability/metrics.ts'
import { openTracing } from '#platform/observability/open-tracing.ts'
import { rulesFor } from '#platform/outgoing/check-address.ts'
import { createDownload } from '#platform/outgoing/download.ts'
import { announceProcess } from '#platform/processes.ts'
import { openServices } from '#platform/services.ts'
import { countUsage } from '#platform/usage/count-usage.ts'
import { announce, assertMigrated, boot, describeDatabase, tellOfCells } from './boot.ts'
import { openExtensions } from './extensions.ts'
import { jobs } from './jobs.ts'
import { describeCells } from './open-cells.ts'
import { payables } from './payables.ts'
import { askControl } from './people.ts'
import { RULES } from './rules.ts'
import { stopGracefully } from './stop-gracefully.ts'
import { webhookAddresses } from './webhook-addresses.ts'

const SEQUENCE_MS = 500
const SWEEP_MS = 2_000
const INDEX_MS = 500
/** How often is looked for events that no extension was told of. */
const BEHIND_MS = 5_000
/** Connections are used for some milliseconds, some times a minute, unless there is something to do. */
const IDLE_MS = 5_000

const TOPICS = [ORDER_TOPIC, ...CUSTOMER_TOPICS, COMMITTED_TOPIC, STOCK_LIST_TOPIC, ...REPORT_TOPICS]

await boot(async () => {
  const config = loadConfig(process.env)
  const log = createLog(config.logLevel)
  const metrics = createMetrics()
  const tracing = await openTracing(config, 'kontor-worker', log)
  const pool = {
    applicationName: 'kontor worker',
    max: config.poolSize,
    maxAgeSeconds: config.connectionMaxAgeSeconds,
    idleMs: IDLE_MS,
  }
  const databases = openDatabases(config.databases, pool)
  const readers = createReplicaReaders({ log, maxLagSeconds: config.replicaMaxLagSeconds, pool: { ...pool, max: 2 } })
  const extensions = await openExtensions(config)
  const migrations = extensions.map((each) => each.migrations)
  const { control, cells } = databases
  await assertMigrated(databases, migrations)
  const services = openServices(config)
  const followed = await followCells({ databases, named: config.databases.cells, box: services.box, log })
  await tellOfCells(databases, log, migrations)

  const isServed = chooseCells(config.workerCells, (name) => cells.has(name) || followed.isOff(name))
  const rests = createRests(log)
  // Others are reached only where a job of control has to do something in all of them.
  const watched = pickCells(cells, (name) => name === MAIN_CELL || isServed(name))
  const served = new CellMap<Cell>()
  const watch = await watchDatabases(
    { ...databases, cells: watched },
    {
      log,
      extensions: migrations,
      lineOf: (name) => {
        const cell = served.get(name)
        return cell && rests.of(cell).line()
      },
      // Not before it is known to have what this version needs: jobs would fail there until they are dead.
      onSeen(name, cell, { state }) {
        const isReady = state === 'up' || state === 'read-only'
        if (isReady && isServed(name) && !served.has(name)) served.put(name, cell)
      },
    },
  )
  forEachCell(watched, (name) => ({ stop: () => served.take(name) }))
  const presence = await announceProcess({
    control,
    kind: 'worker',
    cells,
    findHomes: async () => (await listUsedCells(control)).filter((cell) => !followed.isOff(cell)),
    log,
  })
  measureCells(metrics, watch)
  measurePresence(metrics, presence)
  measureFeedLag(metrics, served, TOPICS)
  measurePools(metrics, cells)

  const usage = countUsage(cells, { log })
  const allJobs = [...jobs, ...extensions.flatMap((each) => each.jobs)]
  const worker = startWorker({
    databases,
    cells: served,
    isToServe: () => [...cells.keys()].filter(isServed),
    rests,
    jobs: allJobs,
    services,
    log,
    metrics,
    usage,
    mostOf: createJobsAtOnceOf(control, log),
    homeOf: async (businessId) => (await findBusiness(control, businessId))?.cell,
    trace: tracing?.job,
    abandon: (database) => {
      log.fatal(
        { database },
        'a job that another worker will take over does not end here: stopping this process so that it does not run twice',
      )
      process.exit(1)
    },
  })
  const { rules } = webhookAddresses(config)
  const webhooks = await startWebhooks(served, {
    control,
    box: services.box,
    rules,
    log,
    meter: measureWebhooks(metrics),
    rests,
  })
  const paying = { ...services, payables }
  const ofExtensions = extensions.map(({ extension }) => extension).filter(({ on }) => on)
  const loops = forEachCell(served, (name, cell) => {
    const rest = rests.of(cell)
    const loop = (what: string, everyMs: number, run: (signal: AbortSignal) => Promise<unknown>, isDue: Condition) =>
      startLoop(`${what} ${name}`, everyMs, run, log, rest.bell(everyMs, isDue))
    const followers = ofExtensions.map((extension) => {
      const bell = rest.bell(BEHIND_MS, () => isBehind(extension))
      const run = (signal: AbortSignal) => followFeed(cell, extension, log, signal)
      return { bell, ...startLoop(`events for ${extension.name} in ${name}`, SEQUENCE_MS, run, log, bell) }
    })
    const tellWebhooks = webhooks.tell(cell)
    async function tell(businessIds: readonly string[]) {
      await tellWebhooks(businessIds)
      for (const { bell } of followers) bell.ring()
      rest.wake()
    }
    const started = [
      ...followers,
      loop('sequencer of', SEQUENCE_MS, (signal) => sequenceAllEvents(cell, TOPICS, signal, tell), hasUnnumbered),
      loop('expiry in', SWEEP_MS, () => endExpired(paying, cell, log), hasExpired),
      loop(
        'reconciliation in',
        SWEEP_MS,
        () => reconcileStale(paying, cell, log),
        () => hasUnreconciled(paying),
      ),
      loop('publishing in', SWEEP_MS, () => publishDue(cell, log), hasUnpublished),
      loop('refunds in', SWEEP_MS, () => carryOutRefunds(paying, cell, log), hasPendingRefunds),
      loop('search for orders in', INDEX_MS, (signal) => indexOrders(cell, log, signal), hasUnindexed),
      loop('committed stock in', INDEX_MS, (signal) => followCommitted(cell, log, signal), hasUncounted),
      loop('list of stock in', INDEX_MS, (signal) => keepStockList(cell, log, signal), hasUnlisted),
      loop('reports of', INDEX_MS, (signal) => followReports(cell, log, signal), hasUnreported),
      loop('customers of', INDEX_MS, (signal) => followOrders(cell, askControl(control), log, signal), hasUnfollowed),
    ]
    return {
      async stop() {
        await Promise.all(started.map((each) => each.stop()))
      },
    }
  })
  const checks = startChecks(served, {
    rules: RULES,
    log,
    tell: measureChecks(metrics),
    rests,
    readerOf: (db) => readers.of(db as Cell),
  })
  const newsletters = startNewsletters(
    config,
    { control, cells: served },
    { markCustomers, metrics, usage, rests, log },
  )
  const media = services.storage && startMedia(served, { storage: services.storage, log, rests })
  const pictures =
    services.storage &&
    config.media &&
    startPictures(served, {
      storage: services.storage,
      publicUrl: services.storage.publicUrl,
      quotaOf: createQuotaOf(control, config.media.quotaBytes),
      download: createDownload(rulesFor(config.outgoing)),
      log,
      rests,
    })
  const metricsServer = await serveMetrics(metrics, config.host, config.workerMetricsPort, () =>
    describeCells(watch, presence),
  )

  stopGracefully(log, metrics, async () => {
    await Promise.all([
      worker.stop(),
      newsletters?.stop(),
      webhooks.stop(),
      checks.stop(),
      media?.stop(),
      pictures?.stop(),
      loops.stop(),
    ])
    await metricsServer.close()
    await Promise.all([followed.stop(), presence.stop(), watch.stop(), usage.stop()])
    services.mail?.close()
    await services.storage?.close()
    await readers.close()
    await databases.close()
    await tracing?.stop()
  })
  announce(
    'worker',
    {
      metrics: `http://${config.host}:${metricsServer.port}/metrics`,
      database: describeDatabase(config.databases.control.url),
      cells: [...cells.keys()].filter(isServed).join(', '),
      jobs: String(allJobs.length),
      ...(extensions.length > 0 && { extensions: extensions.map(({ extension }) => extension.name).join(', ') }),
    },
    config.providers,
    log,
  )
})

/** Whether this worker serves a cell: all of them, unless some are named. One that comes later is served, too. */
function chooseCells(names: readonly string[] | undefined, isKnown: (name: string) => boolean) {
  const unknown = (names ?? []).filter((name) => !isKnown(name))
  if (unknown.length > 0) throw new ConfigError([`WORKER_CELLS: there is no cell ${unknown.join(', ')}.`])
  return (name: string) => names?.includes(name) ?? true
}
