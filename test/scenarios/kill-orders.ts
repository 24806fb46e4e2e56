import { sql } from 'kysely'
import pino from 'pino'
import { reconcileStale } from '#modules/payments/index.ts'
import type { Db } from '#platform/database/database.ts'
import { openPayments } from '#platform/services.ts'
import { payables } from '../../src/apps/payables.ts'
import { compareWithProvider } from '../../src/apps/verify.ts'
import { startStripeTwin } from '../../twins/stripe/server.ts'
import { type Child, startChild } from '../support/child.ts'
import type { Faults } from '../support/child-preload.ts'
import { type Answer, createClient } from '../support/client.ts'
import { startMailServer } from '../support/mail-server.ts'
import { createMake } from '../support/make.ts'
import { createTestDatabases, startApi } from '../support/start-api.ts'
import { until } from '../support/until.ts'
import { findViolations } from './buyers.ts'

type Flow = 'checkout' | 'refusal' | 'webhook' | 'expiry' | 'cancel' | 'refund' | 'ship'
export type FaultPoint = { name: string; during: Flow; in: 'api' | 'worker' }

const points = (during: Flow, app: 'api' | 'worker', ...names: string[]): FaultPoint[] =>
  names.map((name) => ({ name, during, in: app }))

/** Every place where an order can be left half-way, and in which process that happens. */
export const FAULT_POINTS: readonly FaultPoint[] = [
  ...points('checkout', 'api', 'checkout.before-transaction', 'checkout.before-commit', 'checkout.after-commit'),
  ...points('checkout', 'api', 'checkout.before-page', 'checkout.after-page', 'checkout.page-noted'),
  ...points('refusal', 'api', 'order.moved', 'give-up.before-commit', 'give-up.after-commit'),
  ...points('webhook', 'api', 'webhook.received', 'webhook.stored', 'webhook.after-commit'),
  ...points('webhook', 'worker', 'sync-page.read', 'order.moved', 'settle.before-commit', 'settle.after-commit'),
  ...points('webhook', 'worker', 'apply-event.synced', 'apply-event.applied'),
  ...points('expiry', 'worker', 'expiry.taken', 'close-page.before-provider', 'close-page.expired', 'order.moved'),
  ...points('expiry', 'worker', 'settle.before-commit', 'settle.after-commit', 'expiry.page-closed', 'expiry.ended'),
  ...points('cancel', 'api', 'close-page.before-provider', 'close-page.expired', 'settle.before-commit'),
  ...points('cancel', 'api', 'settle.after-commit', 'set-status.before-transaction', 'order.moved'),
  ...points('cancel', 'api', 'set-status.after-commit'),
  ...points('refund', 'api', 'refund.asked', 'idempotency.before-commit', 'idempotency.after-commit'),
  ...points('refund', 'worker', 'refund.before-provider', 'refund.after-provider', 'refund.closed', 'refund.synced'),
  ...points('ship', 'api', 'shipment.written'),
  ...points('ship', 'worker', 'shipment.mailed'),
]

const MAX_HEAL_MS = 15_000
const RETRIES = Array.from({ length: 200 }, () => 200) // as patient as the real provider, only faster

export type KillWorld = Awaited<ReturnType<typeof openKillWorld>>

/** Databases, the provider's twin, an API here to prepare things with, and an API and a worker that can be killed. */
export async function openKillWorld() {
  const secrets = { secretKey: 'sk_test_twin', webhookSecret: 'whsec_twin' }
  const [databases, twin, mailServer] = await Promise.all([
    createTestDatabases(),
    startStripeTwin({ ...secrets, retryMs: RETRIES }),
    startMailServer(),
  ])
  const env = {
    ...databases.env,
    ...mailServer.env,
    STRIPE_SECRET_KEY: secrets.secretKey,
    STRIPE_WEBHOOK_SECRET: secrets.webhookSecret,
    STRIPE_API_URL: twin.url,
    STRIPE_SHARED_ACCOUNT: 'true',
  }
  const api = await startApi({ databases, env })
  const payments = openPayments(api.config)
  const start = async () => {
    const [apiChild, worker] = await Promise.all([startChild('api', env), startChild('worker', env)])
    return { api: apiChild, worker }
  }
  let running: { api: Child; worker: Child } = await start()
  const listen = (to: { url: string } | undefined) => twin.setWebhookUrl(to && `${to.url}/v1/payments/webhooks/stripe`)

  return {
    twin,
    mails: mailServer.mails,
    make: createMake(api),
    context: { payments, payables, publicUrl: api.config.publicUrl },
    running: () => running,
    listen,
    /** All of it ends without a word, and begins anew. */
    async restart() {
      await Promise.all([running.api.kill(), running.worker.kill()])
      running = await start()
      listen(running.api)
    },
    /** Everything that `verify --provider` finds, and pages that nobody knows of or that are doubled. */
    async findViolations(): Promise<string[]> {
      const found: string[] = []
      for (const cell of api.services.databases.cells.values()) {
        found.push(...(await findViolations(cell)))
        const { check, violations } = await compareWithProvider(cell, payments)
        found.push(...violations.map((violation) => `${check}: ${JSON.stringify(violation)}`))
      }
      const subjects = twin.sessions().map(({ client_reference_id }) => client_reference_id)
      if (new Set(subjects).size < subjects.length) found.push('an order has two pages')
      return found
    },
    async close() {
      await Promise.all([running.api.kill(), running.worker.kill()])
      await api.close()
      await twin.close()
      await mailServer.close()
      await databases.drop()
    },
  }
}

type Scene = Awaited<ReturnType<typeof prepare>>

/** A shop with two articles and a promo code, and two buyers. */
async function prepare({ make, twin, context }: KillWorld) {
  const shop = await make.shop({ cell: 'second' })
  const products = [await make.product(shop), await make.product(shop)]
  await shop.admin.post(`${shop.path}/promo-codes`, { code: 'TEN', type: 'PERCENT', value: 1_000, maxPerCustomer: 1 })
  const buyers = [await make.user(), await make.user()]
  const body = {
    market: 'us',
    promoCode: 'TEN',
    items: products.map(({ id }) => ({ productId: id, variantId: 'one', quantity: 2 })),
  }
  const { db, id: businessId } = shop
  const checkout = (url: string, token: string) =>
    createClient(url, { authorization: `Bearer ${token}` }).post(`${shop.path}/orders/checkout`, body, {
      'idempotency-key': 'cart-1',
    })
  const admin = (url: string) => createClient(url, { authorization: `Bearer ${shop.admin.token}` })
  const pageOf = (orderId: string) =>
    twin.sessions().find(({ client_reference_id }) => client_reference_id === `order:${orderId}`)
  return {
    shop,
    products,
    buyers,
    checkout,
    admin,
    pageOf,
    pay(orderId: string) {
      const page = pageOf(orderId)
      if (page?.status === 'open') twin.pay(page.id)
    },
    /** Placed by an API that nobody kills. */
    async place(url: string): Promise<string[]> {
      const answers: Answer[] = []
      for (const { token } of buyers) answers.push(await checkout(url, token))
      return answers.map(({ status, body: { orderId }, text }) => {
        if (status !== 200) throw new Error(text)
        return orderId as string
      })
    },
    /** As if the provider's event had come: nobody is listening yet. */
    async settle(cell: Db): Promise<void> {
      await sql`update payments.payments set checked_at = 'epoch' where business_id = ${businessId}`.execute(cell)
      await reconcileStale(context, cell, pino({ level: 'silent' }))
    },
    async states(): Promise<string[]> {
      const { rows } = await sql<{ state: string }>`
        select status || '/' || payment_status as state from orders.orders where business_id = ${businessId}`.execute(
        db,
      )
      return rows.map(({ state }) => state)
    },
    stock: () => Promise.all(products.map(({ stock }) => stock())),
    async promoUses(): Promise<number> {
      const { body: page } = await shop.admin.get(`${shop.path}/promo-codes`)
      return page.items[0].redemptions as number
    },
    /** How often it was told that each of them is paid. */
    async toldPaid(): Promise<number[]> {
      const { rows } = await sql<{ times: number }>`
        select count(*)::integer as times
          from (select subject from cell.event_outbox where business_id = ${businessId} and type = 'order.paid'
                 union all
                select subject from cell.events where business_id = ${businessId} and type = 'order.paid') as told
         group by subject`.execute(db)
      return rows.map(({ times }) => times)
    },
  }
}

type Steps = {
  /** What leads to the fault point. Requests that get no answer are no surprise. */
  act: () => Promise<unknown>
  /** What the clients do who got no answer; throws when they are told something wrong. */
  repeat: () => Promise<unknown>
  /** What is to be true in the end, besides all rules. */
  isDone: () => Promise<boolean>
}

const unanswered = (sent: Promise<Answer>) => sent.catch(() => undefined)
const every = (values: readonly string[], expected: string) =>
  values.length === 2 && values.every((value) => value === expected)
const equal = (values: readonly number[], expected: number) => values.every((value) => value === expected)

function expectStatus(answer: Answer, ...statuses: number[]): Answer {
  if (!statuses.includes(answer.status)) throw new Error(`${answer.status} ${answer.text}`)
  return answer
}

async function isSold(scene: Scene): Promise<boolean> {
  const isPaid = every(await scene.states(), 'PROCESSING/PAID')
  return isPaid && equal(await scene.stock(), 96) && (await scene.promoUses()) === 2 && equal(await scene.toldPaid(), 1)
}

async function isGivenBack(scene: Scene): Promise<boolean> {
  const states = await scene.states()
  const isCancelled = states.length === 2 && states.every((state) => state.startsWith('CANCELLED/'))
  return isCancelled && equal(await scene.stock(), 100) && (await scene.promoUses()) === 0
}

const FLOWS: Record<Flow, (world: KillWorld, scene: Scene, preparedAt: string) => Promise<Steps>> = {
  async checkout({ running }, scene) {
    const before: (Answer | undefined)[] = []
    return {
      async act() {
        for (const { token } of scene.buyers) before.push(await unanswered(scene.checkout(running().api.url, token)))
      },
      async repeat() {
        for (const [index, { token }] of scene.buyers.entries()) {
          const { body } = expectStatus(await scene.checkout(running().api.url, token), 200)
          const told = before[index]?.body.orderId
          if (told !== undefined && told !== body.orderId) throw new Error(`first ${told}, then ${body.orderId}`)
          if (!body.checkoutUrl) throw new Error('no address to pay at')
          scene.pay(body.orderId)
        }
      },
      isDone: () => isSold(scene),
    }
  },

  async refusal({ running, twin }, scene) {
    let behaveAgain = () => {}
    return {
      async act() {
        behaveAgain = twin.behave({ next: 'refuse', path: 'POST /v1/checkout/sessions', times: 2 })
        for (const { token } of scene.buyers) await unanswered(scene.checkout(running().api.url, token))
      },
      async repeat() {
        behaveAgain()
        for (const { token } of scene.buyers) {
          const { status, body } = expectStatus(await scene.checkout(running().api.url, token), 200, 409)
          if (status === 409 && body.details[0].error !== 'ORDER_CANCELLED') throw new Error(JSON.stringify(body))
          if (status === 200) scene.pay(body.orderId)
        }
      },
      async isDone() {
        const states = await scene.states()
        const [sold, ended] = ['PROCESSING/PAID', 'CANCELLED/FAILED'].map(
          (wanted) => states.filter((state) => state === wanted).length,
        ) as [number, number]
        return sold + ended === 2 && equal(await scene.stock(), 100 - 2 * sold) && (await scene.promoUses()) === sold
      },
    }
  },

  async webhook(_world, scene, url) {
    const orders = await scene.place(url)
    return {
      async act() {
        for (const id of orders) scene.pay(id)
      },
      repeat: async () => {},
      isDone: () => isSold(scene),
    }
  },

  async expiry(_world, scene, url) {
    await scene.place(url)
    const { db, id } = scene.shop
    return {
      act: () =>
        sql`update orders.orders set expires_at = now() - interval '1 second' where business_id = ${id}`.execute(db),
      // Nobody else tries for half a minute what somebody was trying when they died: that half minute is over now.
      repeat: () => sql`update orders.orders set swept_at = null where business_id = ${id}`.execute(db),
      isDone: () => isGivenBack(scene),
    }
  },

  async cancel({ running }, scene, url) {
    const orders = await scene.place(url)
    const cancel = (id: string) =>
      scene.admin(running().api.url).put(`${scene.shop.path}/orders/${id}/status`, { status: 'CANCELLED' })
    return {
      async act() {
        for (const id of orders) await unanswered(cancel(id))
      },
      async repeat() {
        for (const id of orders) expectStatus(await cancel(id), 200)
      },
      isDone: () => isGivenBack(scene),
    }
  },

  async refund({ running, twin }, scene, url) {
    const orders = await scene.place(url)
    for (const id of orders) scene.pay(id)
    const { db, id: businessId, path } = scene.shop
    await scene.settle(db)
    const before: (Answer | undefined)[] = []
    const refund = (id: string) =>
      scene
        .admin(running().api.url)
        .post(`${path}/orders/${id}/refunds`, { amount: 100 }, { 'idempotency-key': `refund-${id}` })
    return {
      async act() {
        for (const id of orders) before.push(await unanswered(refund(id)))
      },
      async repeat() {
        for (const [index, id] of orders.entries()) {
          // PostgreSQL may need a moment to see that the dead process holds nothing any more.
          const answer = await until('the repeat is answered', async () => {
            const sent = await refund(id)
            return sent.status === 409 && sent.body.details[0].error === 'STILL_RUNNING' ? undefined : sent
          })
          const told = before[index]?.body.id
          const { body } = expectStatus(answer, 201)
          if (told !== undefined && told !== body.id) throw new Error(`first ${told}, then ${body.id}`)
        }
        // As above.
        await sql`update payments.refunds set due_at = now() where business_id = ${businessId}`.execute(db)
      },
      async isDone() {
        const { rows } = await sql<{ status: string }>`
          select status from payments.refunds where business_id = ${businessId}`.execute(db)
        const isDone = every(
          rows.map(({ status }) => status),
          'SUCCEEDED',
        )
        const intents = orders.map((id) => scene.pageOf(id)?.payment_intent)
        const made = twin.events().filter(({ type, data: { object } }) => {
          const { payment_intent } = object as { payment_intent?: string }
          return type === 'charge.refunded' && intents.includes(payment_intent ?? '')
        })
        return isDone && made.length === 2 && every(await scene.states(), 'PROCESSING/PARTIALLY_REFUNDED')
      },
    }
  },

  async ship({ running, mails }, scene, url) {
    const orders = await scene.place(url)
    for (const id of orders) scene.pay(id)
    const { db, id: businessId, path } = scene.shop
    await scene.settle(db)
    const ship = (id: string) =>
      scene.admin(running().api.url).post(`${path}/orders/${id}/shipments`, {}, { 'idempotency-key': `ship-${id}` })
    return {
      async act() {
        for (const id of orders) await unanswered(ship(id))
      },
      async repeat() {
        for (const id of orders) {
          await until('the repeat is answered', async () => {
            const sent = await ship(id)
            if (sent.status === 409 && sent.body.details[0].error === 'STILL_RUNNING') return undefined
            return expectStatus(sent, 201)
          })
        }
      },
      async isDone() {
        const { rows } = await sql<{ isMailed: boolean }>`
          select mailed_at is not null as is_mailed from orders.shipments where business_id = ${businessId}`.execute(db)
        const told = mails.filter(({ to }) => scene.buyers.some(({ email }) => to?.[0]?.address === email))
        const isTold = told.filter(({ subject }) => subject?.includes('on its way')).length >= 2
        const isShipped = every(await scene.states(), 'SHIPPED/PAID')
        return isShipped && isTold && rows.length === 2 && rows.every(({ isMailed }) => isMailed)
      },
    }
  },
}

/** Faults for a process that runs already. */
async function arm(child: Child, faults: Faults): Promise<void> {
  child.process.send(faults)
  await child.untilHeld('armed')
}

export type KillReport = { point: string; problems: string[]; healedSeconds: number }

/** One kill, and what has become of it. `second`: at the point, but only when it is reached for the second time. */
export async function killAt(world: KillWorld, point: FaultPoint, which: 'first' | 'second'): Promise<KillReport> {
  const name = `${point.name} (${point.during}, ${which})`
  world.listen(undefined)
  const { api, worker } = world.running()
  const victim = point.in === 'api' ? api : worker
  const scene = await prepare(world)
  const steps = await FLOWS[point.during](world, scene, api.url)
  await arm(victim, { [point.name]: which === 'first' ? 'kill' : 'kill-second' })
  world.listen(api)
  await steps.act()
  const problems: string[] = []
  await until('the process is dead', () => victim.process.signalCode === 'SIGKILL', { withinMs: 20_000 }).catch(() =>
    problems.push('never came there'),
  )
  await world.restart()
  const start = performance.now()
  const note = (error: unknown) => problems.push(error instanceof Error ? error.message : String(error))
  await steps.repeat().catch(note)
  let violations: string[] = []
  await until(
    'everything is right again',
    async () => (await steps.isDone()) && (violations = await world.findViolations()).length === 0,
    { withinMs: MAX_HEAL_MS, everyMs: 100 },
  ).catch(async () => {
    violations = await world.findViolations()
    const seen = { states: await scene.states(), stock: await scene.stock(), promo: await scene.promoUses() }
    problems.push(`not right after ${MAX_HEAL_MS / 1000} s: ${JSON.stringify(seen)}`, ...violations)
  })
  return { point: name, problems, healedSeconds: (performance.now() - start) / 1000 }
}
