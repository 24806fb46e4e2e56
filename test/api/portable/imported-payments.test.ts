import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { Stripe } from 'stripe'
import type { SubscriptionRow } from '#modules/newsletter/subscriptions/subscription.ts'
import { cancel } from '#modules/newsletter/subscriptions/unsubscribe.ts'
import {
  carryOutRefunds,
  closeSessionOf,
  findPayment,
  listRefunds,
  openSession,
  paymentJobs,
} from '#modules/payments/index.ts'
import type { Cell } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { openPayments } from '#platform/services.ts'
import { newId } from '#vocabulary/ids.ts'
import { payables } from '../../../src/apps/payables.ts'
import { openArchive } from '../../../src/apps/portable/archive.ts'
import { importBusiness } from '../../../src/apps/portable/import-business.ts'
import { cellTables } from '../../../src/apps/portable/tables.ts'
import { asMoved } from '../../../src/platform/portable/tables.ts'
import type { Client } from '../../support/client.ts'
import { forgeArchive, type Row } from '../../support/forge-archive.ts'
import { createMake } from '../../support/make.ts'
import { type Newsletter, openNewsletter, PLANS } from '../../support/newsletter-api.ts'
import { type Bought, openPaidShop, type PaidShop, waitUntilIdle } from '../../support/paid-shop.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

/** Two deployments with one account of the provider. */
let home: StartedWorld<'stripe'>
let away: TestApi
let folder: string
const LOG = pino({ level: 'silent' })

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'kontor-imported-'))
  home = await startWorld({ providers: ['stripe'] })
  away = await startApi({ env: home.env })
})
after(async () => {
  await home.close()
  await away.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => home.twin.mischief())

type Plan = { subscriptionId: string; subject: string }
type Forgery = { payment?: Row; subscription?: Row; jobs?: readonly Row[] }

const cell = () => away.services.databases.cells.get('main') as Cell
const context = () => ({ payments: openPayments(away.config), payables, publicUrl: away.config.publicUrl })
const requests = () => home.twin.requests.map(({ method, path: at }) => `${method} ${at.split('?')[0]}`)

/** An archive of the business, with rows as somebody wants them. */
const exported = (id: string, { payment = {}, subscription = {}, jobs = [] }: Forgery): Promise<string> =>
  forgeArchive(home.api.services.databases, id, folder, {
    rows: (table, lines) => {
      const changes = { 'payments.payments': payment, 'newsletter.subscriptions': subscription }[table]
      return changes && lines.map((line) => ({ ...(JSON.parse(line) as Row), ...changes }))
    },
    jobs: jobs.map((job) => ({ run_at: '2020-01-01T00:00:00Z', max_attempts: 3, key: null, priority: 0, ...job })),
  })

/** Brings it to the other deployment and opens it there; answers a key of its owner. */
async function moveAway(id: string, forgery: Forgery = {}): Promise<Client> {
  const { databases, box } = away.services
  const archive = await openArchive(await exported(id, forgery))
  await importBusiness(databases, archive, { cellName: 'main', storage: undefined, box })
  const { control } = databases
  await control.updateTable('access.businesses').set({ suspendedAt: null }).where('id', '=', id).execute()
  const make = createMake(away)
  const owner = await make.user()
  await sql`
    insert into access.memberships (business_id, user_id, role_id, created_at)
    select business_id, ${owner.id}, id, now() from access.roles where business_id = ${id}`.execute(control)
  return make.apiKey(owner.id, id)
}

/** An order of 11.00 that is paid. */
async function paid(shop: PaidShop): Promise<Bought> {
  const order = await shop.buy()
  home.twin.pay(order.pageId, { email: 'payer@example.com' })
  await waitUntilIdle(home, shop.db)
  assert.equal(await order.state(), 'PROCESSING/PAID')
  return order
}

/** Asks for it as the owner does there, and has it carried out; answers how it ended, and what the provider was asked. */
async function refund(owner: Client, { shop }: PaidShop, order: Bought, amount: number) {
  home.twin.mischief({ drop: 1 }) // or the first deployment would hear of it, and ask, too
  const before = requests().length
  const asked = await owner.post(`${order.path}/refunds`, { amount })
  assert.equal(asked.status, 201, asked.text)
  await carryOutRefunds(context(), cell(), LOG)
  const payment = await findPayment(cell(), shop.id, `order:${order.id}`)
  assert.ok(payment)
  const [{ status } = { status: 'none' }] = await listRefunds(cell(), payment, { limit: 1, after: undefined })
  return { status, payment, asked: requests().slice(before) }
}

const stripe = () => new Stripe('sk_test_twin', home.twin.clientOptions)

async function refundedOf(order: Bought, account?: string): Promise<number> {
  const { data } = await stripe().refunds.list(
    { payment_intent: order.intentId() },
    account ? { stripeAccount: account } : {},
  )
  return data.reduce((sum, { amount }) => sum + amount, 0)
}

test('an imported payment is looked at once before money goes back, and then like any other', async () => {
  const shop = await openPaidShop(home)
  const order = await paid(shop)
  const owner = await moveAway(shop.shop.id)
  const page = `GET /v1/checkout/sessions/${order.pageId}`

  const first = await refund(owner, shop, order, 300)
  assert.deepEqual([first.status, first.payment.refunded], ['SUCCEEDED', 300])
  assert.deepEqual(first.asked, [page, 'GET /v1/refunds', 'POST /v1/refunds', page])
  const second = await refund(owner, shop, order, 200)
  assert.deepEqual([second.status, second.payment.refunded], ['SUCCEEDED', 500])
  assert.deepEqual(second.asked, ['GET /v1/refunds', 'POST /v1/refunds', page])
  assert.equal(await refundedOf(order), 500)
})

for (const [what, account] of [
  ['on the account that they share', undefined],
  ['on an account of its own', 'acct_victim_refund'],
] as const)
  test(`a forged payment takes no money of another business ${what}, and learns nothing of who paid it`, async () => {
    const victim = await openPaidShop(home, account ? { account } : {})
    const theirs = await paid(victim)
    const shop = await openPaidShop(home)
    const order = await paid(shop)
    const payment = { page_id: theirs.pageId, intent_id: theirs.intentId(), account: account ?? null, email: null }
    const owner = await moveAway(shop.shop.id, { payment })

    const tried = await refund(owner, shop, order, 300)
    assert.deepEqual([tried.status, tried.payment.email, tried.payment.refunding], ['FAILED', null, 0])
    assert.deepEqual(new Set(tried.asked), new Set([`GET /v1/checkout/sessions/${theirs.pageId}`]))
    assert.equal(await refundedOf(theirs, account), 0)
    assert.equal((await refund(owner, shop, order, 300)).status, 'FAILED', 'nor the second time')
    assert.equal(await refundedOf(theirs, account), 0)
  })

test('an intent of another business beside a session of its own does not count: the session says which it is', async () => {
  const theirs = await paid(await openPaidShop(home))
  const shop = await openPaidShop(home)
  const order = await paid(shop)
  const owner = await moveAway(shop.shop.id, { payment: { intent_id: theirs.intentId() } })
  assert.equal((await refund(owner, shop, order, 300)).status, 'SUCCEEDED')
  assert.deepEqual([await refundedOf(order), await refundedOf(theirs)], [300, 0])
})

test('a payment that says more than its session confirms gives nothing back', async () => {
  const shop = await openPaidShop(home)
  const order = await shop.buy()
  const said = { status: 'PAID', paid: 1_100, intent_id: (await paid(await openPaidShop(home))).intentId() }
  await moveAway(shop.shop.id, { payment: said })
  // Its order is not paid, so nobody can ask for this one: it comes with the archive.
  const payment = await findPayment(cell(), shop.shop.id, `order:${order.id}`)
  assert.ok(payment)
  await cell()
    .insertInto('payments.refunds')
    .values({
      businessId: shop.shop.id,
      id: newId('ref'),
      paymentId: payment.id,
      amount: 300,
      status: 'PENDING',
      dueAt: new Date(0),
      createdAt: new Date(),
      updatedAt: new Date(),
    })
    .execute()
  const before = requests().length
  await carryOutRefunds(context(), cell(), LOG)
  const [ended] = await listRefunds(cell(), payment, { limit: 1, after: undefined })
  assert.equal(ended?.status, 'FAILED')
  assert.deepEqual(
    requests()
      .slice(before)
      .filter((each) => each.endsWith('refunds')),
    [],
  )
})

test('an open session of another business is not closed; one of its own is, after a look at it', async () => {
  const theirs = await (await openPaidShop(home)).buy()
  const shop = await openPaidShop(home)
  const [forged, own] = [await shop.buy(), await shop.buy()]
  const { shop: business } = shop
  await moveAway(business.id)
  const close = ({ id }: Bought) => closeSessionOf(context(), cell(), business.id, `order:${id}`)
  await cell()
    .updateTable('payments.payments')
    .set({ pageId: theirs.pageId })
    .where('subject', '=', `order:${forged.id}`)
    .execute()
  assert.equal((await close(forged))?.status, 'ENDED')
  assert.equal(theirs.page().status, 'open')
  assert.equal((await close(own))?.status, 'ENDED')
  assert.equal(own.page().status, 'expired')
})

test('for an imported payment without a session none is opened, on whatever account it says', async () => {
  const shop = await openPaidShop(home)
  const order = await shop.buy()
  const { id: businessId } = shop.shop
  await moveAway(businessId, { payment: { status: 'OPENING', url: null, page_id: null, account: 'acct_of_others' } })
  const payable = payables.find(({ kind }) => kind === 'order')
  const subject = await payable?.find(cell(), businessId, order.id)
  assert.ok(payable && subject)
  const before = requests().length
  await assert.rejects(openSession(context(), cell(), payable, subject), /502|payment/i)
  assert.deepEqual(requests().slice(before), [])
})

test('neither a row nor a job of an archive cancels a plan of another business; its own ends', async () => {
  const pay = async (letters: Newsletter, email: string): Promise<Plan> => {
    const guest = await home.make.guest()
    const { body } = await letters.subscribe(guest, { email, planId: 'monthly' })
    const pageId = (body.checkoutUrl as string).split('/').at(-1) ?? ''
    home.twin.pay(pageId)
    await waitUntilIdle(home, letters.db)
    const session = home.twin.sessions().find(({ id }) => id === pageId)
    return { subscriptionId: session?.subscription as string, subject: session?.client_reference_id as string }
  }
  const open = () => openNewsletter(home.make, { plans: PLANS })
  const theirs = await pay(await open(), 'reader@example.com')
  const letters = await open()
  const own = await pay(letters, 'ada@example.com')
  const other = await pay(letters, 'bob@example.com')
  const { id: businessId } = letters
  const cancelling = (subscriptionId: string) => ({
    identifier: 'payments.cancel-subscription',
    payload: { businessId, subject: own.subject, subscriptionId },
  })
  const jobs = [cancelling(theirs.subscriptionId), cancelling(own.subscriptionId)]
  await moveAway(businessId, { subscription: { provider_id: theirs.subscriptionId }, jobs })
  const waiting = () => sql`select from graphile_worker._private_jobs where payload ->> 'businessId' = ${businessId}`
  assert.equal((await waiting().execute(cell())).rows.length, 0, 'an archive carries no such jobs')
  // Nor would they do anything if they had come in.
  for (const { identifier, payload } of jobs)
    await sql`select graphile_worker.add_job(${identifier}, ${JSON.stringify(payload)}::json)`.execute(cell())
  const rows = await cell()
    .selectFrom('newsletter.subscriptions')
    .selectAll()
    .where('businessId', '=', businessId)
    .execute()
  assert.equal(rows.length, 2)
  for (const row of rows) await transaction(cell(), (tx) => cancel(tx, row as SubscriptionRow))

  const worker = startTestWorker({ ...away.databases.env, ...home.env }, paymentJobs(payables))
  try {
    await waitUntilIdle(home, cell())
  } finally {
    await worker.stop()
  }
  const statusOf = async ({ subscriptionId }: Plan) => (await stripe().subscriptions.retrieve(subscriptionId)).status
  assert.equal(await statusOf(theirs), 'active')
  assert.equal(await statusOf(other), 'active', 'nobody asked for it')
  assert.equal(await statusOf(own), 'canceled')
})

test('a business that moves to another cell keeps its payments as they are', () => {
  const [payments] = cellTables.filter(({ table }) => table === 'payments.payments').map(asMoved)
  assert.deepEqual([payments?.set, payments?.without], [{}, []])
})
