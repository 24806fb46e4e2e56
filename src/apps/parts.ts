import type { Logger } from 'pino'
import { createCustomers, createDirectory, listUsedCells } from '#modules/access/index.ts'
import { createAttempts, createOrigins, createTokens, openKeyring } from '#modules/accounts/index.ts'
import { createAskServices } from '#modules/callouts/index.ts'
import { followCells } from '#platform/cells/follow-cells.ts'
import type { Config } from '#platform/config.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import { forEachCell } from '#platform/database/cell-map.ts'
import { createControlAway } from '#platform/database/control-away.ts'
import { type Databases, openDatabases } from '#platform/database/database.ts'
import { openListener } from '#platform/database/listener.ts'
import type { MigrationSet } from '#platform/database/migrate.ts'
import { followReplicas } from '#platform/database/replica.ts'
import { watchDatabases } from '#platform/database/watch.ts'
import type { LoadedExtension } from '#platform/extensions/load.ts'
import { tellWorkers } from '#platform/jobs/tell-workers.ts'
import { type Metrics, measureCallouts, measureReplicaReads } from '#platform/observability/metrics.ts'
import { rulesFor } from '#platform/outgoing/check-address.ts'
import { announceProcess } from '#platform/processes.ts'
import { openPayments } from '#platform/services.ts'
import { createStorage, openFolder } from '#platform/storage/storage.ts'
import { countUsage } from '#platform/usage/count-usage.ts'
import { payables } from './payables.ts'

export type Parts = Awaited<ReturnType<typeof openParts>>

type PartsOptions = {
  log: Logger
  metrics: Metrics
  extensions: readonly LoadedExtension[]
  lookEveryMs?: number | undefined
  beforeStart?: ((databases: Databases, extensions: readonly MigrationSet[]) => Promise<void>) | undefined
}

/** All that several modules of the API share. */
export async function openParts(config: Config, { log, metrics, extensions, lookEveryMs, beforeStart }: PartsOptions) {
  const { publicUrl, rateLimits, allowedOrigins } = config
  const pool = { max: config.poolSize, maxAgeSeconds: config.connectionMaxAgeSeconds }
  const databases = openDatabases(config.databases, pool)
  const migrations = extensions.map((each) => each.migrations)
  await beforeStart?.(databases, migrations)
  const { control, cells } = databases
  forEachCell(cells, (_name, cell) => tellWorkers(cell))
  const every = lookEveryMs === undefined ? {} : { everyMs: lookEveryMs }
  const box = createSecretBox(config.secretKeys)
  const listener = await openListener(control)
  const followed = await followCells({ databases, named: config.databases.cells, box, log, listener, ...every })
  const replicas = followReplicas(cells, {
    log,
    maxLagSeconds: config.replicaMaxLagSeconds,
    awaySeconds: config.controlAwaySeconds,
    pool,
    onRead: measureReplicaReads(metrics),
  })
  const findHomes = async () => (await listUsedCells(control)).filter((cell) => !followed.isOff(cell))
  const [watch, presence] = await Promise.all([
    watchDatabases(databases, {
      log,
      extensions: migrations,
      ...every,
      onSeen: (_name, cell, seen) => void replicas.look(cell, seen),
    }),
    announceProcess({ control, kind: 'api', cells, findHomes, log, ...every }),
  ])
  const away = createControlAway(control, listener, config.controlAwaySeconds)
  const keyring = openKeyring(control, box, listener)
  const tokens = createTokens(keyring, publicUrl)
  const usage = countUsage(cells, { log })
  const directory = createDirectory(control, listener, { most: config.directoryBusinesses })
  const origins = createOrigins({ control, listener, publicUrl, allowed: allowedOrigins })
  const customers = createCustomers(control)
  const attempts = createAttempts(control, { addresses: rateLimits })
  const folder = openFolder(config)
  const storage = folder ?? createStorage(config)
  const paying = { payments: openPayments(config), payables, publicUrl, log }
  // By which rules services of businesses are asked.
  const outgoing = { rules: rulesFor(config.outgoing), allowsHttp: config.outgoing.allowLoopback }
  const services = createAskServices({ outgoing, box, log, meter: measureCallouts(metrics) })
  return {
    config,
    metrics,
    databases,
    control,
    cells,
    listener,
    watch,
    replicas,
    away,
    presence,
    box,
    keyring,
    tokens,
    directory,
    usage,
    origins,
    customers,
    attempts,
    paying,
    outgoing,
    services,
    folder,
    storage,
    async close() {
      await Promise.all([followed.stop(), presence.stop(), watch.stop(), usage.stop()])
      await replicas.stop()
      await listener.close()
      await storage?.close()
      await databases.close()
    },
  }
}
