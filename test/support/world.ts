import { after, before } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { accountJobs } from '#modules/accounts/index.ts'
import { catalogJobs } from '#modules/catalog/index.ts'
import { checkoutJobs, endExpired } from '#modules/checkout/index.ts'
import { newsletterJobs } from '#modules/newsletter/index.ts'
import { carryOutRefunds, paymentJobs, reconcileStale } from '#modules/payments/index.ts'
import type { Db } from '#platform/database/database.ts'
import type { AnyJob } from '#platform/jobs/define.ts'
import { openPayments } from '#platform/services.ts'
import { payables } from '../../src/apps/payables.ts'
import { type StripeTwin, startStripeTwin } from '../../twins/stripe/server.ts'
import { startMailServer, startSmsServer } from './mail-server.ts'
import { createMake } from './make.ts'
import { openStore, type StoreKind, storesToTest } from './media-stores.ts'
import { createSendWorker } from './newsletter-api.ts'
import { type StartOptions, startApi, type TestApi } from './start-api.ts'
import { startTestWorker } from './start-worker.ts'
import { until } from './until.ts'

const STRIPE = { secretKey: 'sk_test_twin', webhookSecret: 'whsec_twin', connectWebhookSecret: 'whsec_connected' }

/** Jobs that a world's worker runs. With Stripe, it also runs those of checkouts and payments. */
const JOBS = {
  accounts: accountJobs,
  catalog: catalogJobs.map(({ cron: _cron, ...job }): AnyJob => job), // tests trigger scheduled jobs themselves
  newsletter: newsletterJobs,
}

export type Provider = 'stripe' | 'mail' | 'sms' | 'media'

export type WorldOptions<P extends Provider = never> = StartOptions & {
  /** External services to emulate. Their settings are added to the API's. */
  providers?: readonly P[]
  /** Starts a worker for the jobs of this module. */
  worker?: keyof typeof JOBS
  /** Where media is stored. Defaults to TEST_MEDIA_STORE, or to a folder. */
  store?: StoreKind
  /**
   * Starts a world that no other file uses. Required for files that hold the clock, start or kill processes on the
   * databases, change the schema, or read a whole cell or the API's metrics.
   */
  own?: boolean
}

type PaymentContext = Parameters<typeof endExpired>[0]

type Parts = {
  stripe: {
    env: ReturnType<typeof stripeEnv>
    twin: StripeTwin
    context: PaymentContext
    /** Runs once what the worker does every two seconds. */
    sweep(db: Db): Promise<void>
  }
  mail: {
    mailServer: Awaited<ReturnType<typeof startMailServer>>
    sendWorker: ReturnType<typeof createSendWorker>
  }
  sms: { sms: Awaited<ReturnType<typeof startSmsServer>> }
  media: { store: Awaited<ReturnType<typeof openStore>>; kind: StoreKind }
}
type Base = {
  api: TestApi
  make: ReturnType<typeof createMake>
  /** Settings of the API, without its databases. */
  env: Record<string, string>
  /** Log lines of the API and the worker. Empty without a worker, unless the file passes its own. */
  lines: string[]
  /** Resets the limits on passwords and codes. */
  forgetAttempts(): Promise<unknown>
  /** Waits until Stripe has no event to deliver and no job of newsletters or payments is left. */
  waitUntilIdle(db: Db): Promise<void>
}
type Intersect<U> = (U extends unknown ? (part: U) => void : never) extends (part: infer I) => void ? I : never
export type World<P extends Provider = never> = Base & ([P] extends [never] ? unknown : Intersect<Parts[P]>)

export type StartedWorld<P extends Provider = never> = World<P> & { close(): Promise<void> }

/** Starts an API on databases of its own, with the external services and the worker that a test needs. */
export async function startWorld<const P extends Provider = never>(
  options: WorldOptions<P> = {},
): Promise<StartedWorld<P>> {
  const {
    providers = [],
    worker: workerName,
    store: kind = storesToTest()[0] ?? 'folder',
    own: _own,
    ...rest
  } = options
  const has = (provider: Provider) => (providers as readonly Provider[]).includes(provider)
  const [twin, mailServer, sms, store] = await Promise.all([
    has('stripe') ? startStripeTwin(STRIPE) : undefined,
    has('mail') ? startMailServer() : undefined,
    has('sms') ? startSmsServer() : undefined,
    has('media') ? openStore(kind) : undefined,
  ])
  const env = { ...(twin && stripeEnv(twin)), ...mailServer?.env, ...sms?.env, ...store?.env, ...options.env }
  const jobs = [...(twin ? [...checkoutJobs, ...paymentJobs(payables)] : []), ...(workerName ? JOBS[workerName] : [])]
  const lines = options.lines ?? []
  const api = await startApi({ ...rest, env, ...(jobs.length > 0 && { lines }) })
  twin?.setWebhookUrl(`${api.url}/v1/payments/webhooks/stripe`)
  const worker = jobs.length > 0 ? startTestWorker({ ...api.databases.env, ...env }, jobs, { lines }) : undefined
  const sendWorker = mailServer && createSendWorker(api, { smtpUrl: mailServer.env.SMTP_URL })
  const world = {
    api,
    make: createMake(api),
    env,
    lines,
    ...(twin && stripeParts(twin, api, lines)),
    mailServer,
    sendWorker,
    sms,
    store,
    kind,
    forgetAttempts: () => api.services.databases.control.deleteFrom('accounts.attempts').execute(),
    async waitUntilIdle(db: Db) {
      await twin?.settled()
      await until('no job of newsletters waits', async () => (await jobsOf(db)).length === 0).catch(
        async (error: Error) => {
          throw new Error(`${error.message}: ${(await jobsOf(db)).join('\n')}`)
        },
      )
      await twin?.settled()
    },
    async close() {
      sendWorker?.close()
      await worker?.stop()
      try {
        await api.close()
      } finally {
        await Promise.all([twin?.close(), mailServer?.close(), sms?.close(), store?.close()])
      }
    },
  }
  return world as unknown as StartedWorld<P>
}

const stripeEnv = (twin: StripeTwin) => ({
  STRIPE_SECRET_KEY: STRIPE.secretKey,
  STRIPE_WEBHOOK_SECRET: `${STRIPE.webhookSecret},${STRIPE.connectWebhookSecret}`,
  STRIPE_API_URL: twin.url,
  STRIPE_SHARED_ACCOUNT: 'true',
})

function stripeParts(twin: StripeTwin, { config }: TestApi, lines: string[]): Omit<Parts['stripe'], 'env'> {
  const context = { payments: openPayments(config), payables, publicUrl: config.publicUrl }
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  return {
    twin,
    context,
    async sweep(db) {
      await endExpired(context, db, log)
      await reconcileStale(context, db, log)
      await carryOutRefunds(context, db, log)
    },
  }
}

async function jobsOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ job: string }>`
    select concat_ws(' ', task.identifier, job.attempts, job.last_error) as job
      from graphile_worker._private_jobs as job
      join graphile_worker._private_tasks as task on task.id = job.task_id
     where task.identifier ~ '^(newsletter|payments)[.]'`.execute(db)
  return rows.map(({ job }) => job)
}

type Started = StartedWorld<Provider>
type Stage = { world: Promise<Started>; users: number }

/** Worlds that files of this process share, by their options. */
let stages: Map<string, Stage> | undefined

/** Lets the files of this process share worlds with equal options. The worlds are closed after the last test. */
export function shareWorlds(): void {
  const shared = new Map<string, Stage>()
  stages = shared
  after(() => closeUnused(shared))
}

/**
 * Starts a world before the first test of a file. Files in one process share it, so each test makes its own businesses
 * and users. `prepare` runs for every file.
 */
export function useWorld<const P extends Provider = never>(
  options: WorldOptions<P> = {},
  prepare?: (world: World<P>) => Promise<void>,
): World<P> {
  const used = {} as World<P>
  let release: (() => Promise<void> | void) | undefined
  before(async () => {
    const world = await acquire(options)
    release = world.release
    Object.assign(used, world.started)
    await prepare?.(used)
  })
  after(() => release?.())
  return used
}

async function acquire(options: WorldOptions<Provider>) {
  const { own, routes, lines, databases } = options
  if (!stages || own || routes || lines || databases) {
    const started = await startWorld(options)
    return { started, release: () => started.close() }
  }
  const key = JSON.stringify(options)
  await closeUnused(stages, key) // frees their connections
  const stage = stages.get(key) ?? { world: startWorld(options), users: 0 }
  stages.set(key, stage)
  stage.users++
  const started = await stage.world
  if (stage.users === 1) clear(started)
  return { started, release: () => void stage.users-- }
}

/** Clears what earlier files have logged and sent. */
function clear({ lines, mailServer, sms }: Started): void {
  lines.length = 0
  if (mailServer) mailServer.mails.length = 0
  if (sms) sms.messages.length = 0
}

async function closeUnused(shared: Map<string, Stage>, butNot?: string): Promise<void> {
  for (const [key, { world, users }] of shared) {
    if (users > 0 || key === butNot) continue
    shared.delete(key)
    await (await world).close()
  }
}
