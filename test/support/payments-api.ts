import { after, before } from 'node:test'
import pino from 'pino'
import { checkoutJobs, endExpired } from '#modules/checkout/index.ts'
import { carryOutRefunds, paymentJobs, reconcileStale } from '#modules/payments/index.ts'
import type { Db } from '#platform/database/database.ts'
import { openPayments } from '#platform/services.ts'
import { payables } from '../../src/apps/payables.ts'
import { type StripeTwin, startStripeTwin } from '../../twins/stripe/server.ts'
import { createMake, type Make } from './make.ts'
import { type StartOptions, startApi, type TestApi } from './start-api.ts'
import { startTestWorker } from './start-worker.ts'

export type PaymentsApi = Awaited<ReturnType<typeof startPaymentsApi>>

/** The API with a payment provider (our twin of it), and a worker for what the provider sends. */
export async function startPaymentsApi(options: StartOptions = {}) {
  const secrets = { secretKey: 'sk_test_twin', webhookSecret: 'whsec_twin', connectWebhookSecret: 'whsec_connected' }
  const twin: StripeTwin = await startStripeTwin(secrets)
  const env = {
    STRIPE_SECRET_KEY: secrets.secretKey,
    STRIPE_WEBHOOK_SECRET: `${secrets.webhookSecret},${secrets.connectWebhookSecret}`,
    STRIPE_API_URL: twin.url,
    STRIPE_SHARED_ACCOUNT: 'true',
    ...options.env,
  }
  const lines = options.lines ?? []
  const api: TestApi = await startApi({ ...options, env, lines })
  twin.setWebhookUrl(`${api.url}/v1/payments/webhooks/stripe`)
  const jobs = [...checkoutJobs, ...paymentJobs(payables)]
  const worker = startTestWorker({ ...api.databases.env, ...env }, jobs, { lines })
  const context = { payments: openPayments(api.config), payables, publicUrl: api.config.publicUrl }
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const make: Make = createMake(api)
  return {
    api,
    make,
    twin,
    lines,
    env,
    context,
    /** What the worker does every two seconds, once, now. */
    sweep: async (db: Db) => {
      await endExpired(context, db, log)
      await reconcileStale(context, db, log)
      await carryOutRefunds(context, db, log)
    },
    async close() {
      await worker.stop()
      try {
        await api.close()
      } finally {
        await twin.close()
      }
    },
  }
}

/** One for all tests of a file. */
export function usePaymentsApi(options?: StartOptions): PaymentsApi {
  const used = {} as PaymentsApi
  before(async () => void Object.assign(used, await startPaymentsApi(options)))
  after(() => used.close())
  return used
}
