import pino from 'pino'
import { accountJobs } from '#modules/accounts/index.ts'
import { openDatabases } from '#platform/database/database.ts'
import { startWorker } from '#platform/jobs/worker.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { openServices } from '#platform/services.ts'
import { startMailServer, startSmsServer } from './mail-server.ts'
import { createMake } from './make.ts'
import { type StartOptions, startApi } from './start-api.ts'

export type AccountsApi = Awaited<ReturnType<typeof startAccountsApi>>

/** API, worker, SMTP server and SMS server: all that signing in needs. */
export async function startAccountsApi(options: StartOptions = {}) {
  const [mailServer, sms] = await Promise.all([startMailServer(), startSmsServer()])
  const env = { ...mailServer.env, ...sms.env, ...options.env }
  const api = await startApi({ ...options, env })
  const databases = openDatabases(api.config.databases, { max: 4 })
  const services = openServices(api.config)
  const worker = startWorker({
    databases,
    jobs: accountJobs,
    services,
    log: options.lines
      ? pino({ level: 'debug' }, { write: (line: string) => void options.lines?.push(line) })
      : pino({ level: process.env.TEST_LOG ?? 'silent' }),
    metrics: createMetrics(),
    abandon: () => {},
  })
  return {
    api,
    mailServer,
    sms,
    make: createMake(api),
    env,
    /** As if it were another day: the limits that guard passwords and codes hold in every test. */
    forgetAttempts: () => databases.control.deleteFrom('accounts.attempts').execute(),
    async close() {
      await worker.stop()
      services.mail?.close()
      await databases.close()
      await api.close()
      await Promise.all([mailServer.close(), sms.close()])
    },
  }
}
