import { openPayments } from '#platform/services.ts'
import { compareWithProvider } from '../../src/apps/verify.ts'
import { startStripeTwin } from '../../twins/stripe/server.ts'
import { type Child, startChild } from '../support/child.ts'
import { startMailServer } from '../support/mail-server.ts'
import { createMake } from '../support/make.ts'
import { createTestDatabases, startApi, type TestDatabases } from '../support/start-api.ts'
import { until } from '../support/until.ts'
import { findViolations } from './buyers.ts'
import type { MixedLoad } from './mixed-load.ts'

const RETRIES = Array.from({ length: 300 }, () => 500) // as patient as the real provider, only faster

export type LoadWorld = Awaited<ReturnType<typeof openLoadWorld>>

/** Databases, the payment provider's twin and a mail server; an API here to make and to look at things; others in processes. */
export async function openLoadWorld(given?: TestDatabases, more: Record<string, string> = {}) {
  const secrets = { secretKey: 'sk_test_twin', webhookSecret: 'whsec_twin' }
  const databases = given ?? (await createTestDatabases())
  const [twin, mailServer] = await Promise.all([startStripeTwin({ ...secrets, retryMs: RETRIES }), startMailServer()])
  const env = {
    ...databases.env,
    ...mailServer.env,
    DATABASE_POOL_SIZE: '8',
    STRIPE_SECRET_KEY: secrets.secretKey,
    STRIPE_WEBHOOK_SECRET: secrets.webhookSecret,
    STRIPE_API_URL: twin.url,
    STRIPE_SHARED_ACCOUNT: 'true',
    ...more,
  }
  const aside = await startApi({ databases, env })
  const children = new Set<Child>()
  const start = async (app: 'api' | 'worker', from: { root?: string } = {}) => {
    const child = await startChild(app, env, from)
    children.add(child)
    void child.exited.then(() => children.delete(child))
    return child
  }
  /** Everything that `verify --provider` finds. */
  async function findAllViolations(): Promise<string[]> {
    const payments = openPayments(aside.config)
    const found: string[] = []
    for (const cell of aside.services.databases.cells.values()) {
      found.push(...(await findViolations(cell)))
      const { check, violations } = await compareWithProvider(cell, payments)
      found.push(...violations.map((violation) => `${check}: ${JSON.stringify(violation)}`))
    }
    return found
  }
  return {
    twin,
    aside,
    make: createMake(aside),
    start,
    listen: (url: string) => twin.setWebhookUrl(`${url}/v1/payments/webhooks/stripe`),
    findViolations: findAllViolations,
    /** Stops the load, waits for its payments, and compares what was acknowledged with the databases. Notes the differences. */
    async settle(load: MixedLoad, note: (text: string) => void, { withinMs = 180_000 } = {}) {
      await load.stop()
      const stopped = performance.now()
      await until('all payments are known', async () => (await load.unpaid()) === 0, {
        withinMs,
        everyMs: 500,
      }).catch(() => note('not all payments are known'))
      const seconds = (performance.now() - stopped) / 1000
      const unpaid = await load.unpaid()
      const { lost, doubled } = await load.compare()
      const violations = await findAllViolations()
      for (const found of [load.failures, lost, doubled, firstOfEach(violations)]) found.slice(0, 10).forEach(note)
      return { seconds, unpaid, lost: lost.length, doubled: doubled.length, violations: violations.length }
    },
    async close() {
      await Promise.all([...children].map((child) => child.kill()))
      await aside.close()
      await Promise.all([twin.close(), mailServer.close()])
      if (!given) await databases.drop()
    },
  }
}

/** One row of each rule that is broken. */
const firstOfEach = (violations: readonly string[]): string[] =>
  [...Map.groupBy(violations, (violation) => violation.split(':')[0])].map(([, [first = '']]) => first)
