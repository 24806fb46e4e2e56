// A worker for the jobs of accounts alone, as a process of its own.
import { accountJobs } from '#modules/accounts/index.ts'
import { loadConfig } from '#platform/config.ts'
import { openDatabases } from '#platform/database/database.ts'
import { startWorker } from '#platform/jobs/worker.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { openServices } from '#platform/services.ts'

const config = loadConfig(process.env)
const log = createLog(config.logLevel)
startWorker({
  databases: openDatabases(config.databases, { max: 4 }),
  jobs: accountJobs,
  services: openServices(config),
  log,
  metrics: createMetrics(),
  abandon: () => process.exit(1),
})
log.info('Kontor worker started')
