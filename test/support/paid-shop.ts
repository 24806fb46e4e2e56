import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { findOrder, type OrderRow } from '#modules/orders/index.ts'
import { findPayment } from '#modules/payments/index.ts'
import type { Db } from '#platform/database/database.ts'
import type { StripeTwin } from '../../twins/stripe/server.ts'
import type { Client } from './client.ts'
import { until } from './until.ts'
import type { World } from './world.ts'

export type PaidShop = Awaited<ReturnType<typeof openPaidShop>>
export type Bought = ReturnType<typeof watch>

type PaidShopOptions = {
  /** How much there is of the product. */
  quantity?: number
  /** The connected account on which the business is paid. */
  account?: string
  contactEmail?: string
  cell?: string
}

/** A shop with one product at 10.00 (11.00 with tax), and a key of its owner, which lasts however the clock is moved. */
export async function openPaidShop(
  service: World<'stripe'>,
  { quantity = 100, account, contactEmail, cell }: PaidShopOptions = {},
) {
  const { make, twin } = service
  const shop = await make.shop(cell === undefined ? {} : { cell })
  if (account !== undefined) await connect(service, shop, account)
  if (contactEmail !== undefined) await shop.admin.put(shop.path, { contactEmail })
  const pricing = { markets: [{ marketId: 'us', price: 1_000 }] }
  const variant = { id: 'one', name: 'One size', sku: 'SALT-1', pricing, inventory: { tracked: true, quantity } }
  const product = await make.product(shop, { name: 'Sea salt', variants: [variant] })
  const owner = await make.apiKey(shop.admin.id, shop.id)
  const { db, id: businessId } = shop

  async function buy({ shopper, quantity = 1, key, ...body }: Buying = {}): Promise<Bought> {
    const buyer = shopper ?? (await make.guest())
    const items = [{ productId: product.id, variantId: 'one', quantity }]
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
    const answer = await buyer.post(`${shop.path}/orders/checkout`, { market: 'us', items, ...body }, headers)
    assert.equal(answer.status, 200, answer.text)
    return watch(twin, db, shop, answer.body.orderId, answer.body.checkoutUrl)
  }

  async function stock(): Promise<number> {
    const stock = db.selectFrom('catalog.stock').select('quantity')
    const { quantity } = await stock
      .where((row) => row.and({ businessId, productId: product.id }))
      .executeTakeFirstOrThrow()
    return quantity
  }

  return { shop, product, owner, db, buy, stock }
}

/** An order, and all that is known of it. */
function watch(twin: StripeTwin, db: Db, shop: { id: string; path: string }, id: string, checkoutUrl: string) {
  const { id: businessId } = shop
  const pageId = checkoutUrl.split('/').at(-1) ?? ''
  const row = async () => (await findOrder(db, businessId, id)) as OrderRow
  const page = () => {
    const found = twin.sessions().find((session) => session.id === pageId)
    assert.ok(found)
    return found
  }
  return {
    id,
    checkoutUrl,
    pageId,
    path: `${shop.path}/orders/${id}`,
    row,
    /** `PROCESSING/PAID`. */
    async state() {
      const { status, paymentStatus } = await row()
      return `${status}/${paymentStatus}`
    },
    async payment() {
      const found = await findPayment(db, businessId, `order:${id}`)
      assert.ok(found)
      return found
    },
    page,
    intentId: () => page().payment_intent as string,
    ledger: () => ledgerOf(db, businessId, id),
    events: () => eventsAbout(db, businessId, id),
    refunds: async () => {
      const { id: paymentId } = (await findPayment(db, businessId, `order:${id}`)) ?? { id: '' }
      const refunds = db.selectFrom('payments.refunds').selectAll()
      return refunds
        .where((refund) => refund.and({ businessId, paymentId }))
        .orderBy('id')
        .execute()
    },
  }
}

type Buying = { shopper?: Pick<Client, 'post'>; quantity?: number; key?: string; [field: string]: unknown }

/** As the operator does it; the second step is how whoever caches the business hears of it. */
export async function connect(
  { api }: World<'stripe'>,
  shop: { id: string; path: string; admin: Client },
  account: string,
) {
  const { control } = api.services.databases
  await control.updateTable('access.businesses').set({ paymentAccount: account }).where('id', '=', shop.id).execute()
  const { status, text } = await shop.admin.put(shop.path, { name: 'A business with an account' })
  assert.equal(status, 200, text)
}

export const historyOf = (entries: readonly { status: string }[]) => entries.map(({ status }) => status).join(' ')

/** What an order has moved, oldest first: `ORDER -1, CANCEL 1`. */
async function ledgerOf(db: Db, businessId: string, orderId: string): Promise<string> {
  const rows = await db
    .selectFrom('catalog.stockMovements')
    .select(['kind', 'delta'])
    .where((movement) => movement.and({ businessId, reference: orderId }))
    .orderBy('number')
    .execute()
  return rows.map(({ kind, delta }) => `${kind} ${delta}`).join(', ')
}

export type RecordedEvent = { type: string; subject: string; actorKind: string; data: Record<string, unknown> }

/** What the business was told of it, oldest first. */
async function eventsAbout(db: Db, businessId: string, subject: string): Promise<RecordedEvent[]> {
  const { rows } = await sql<RecordedEvent>`
    select type, subject, actor_kind, data
      from (select 0 as place, number as position, type, subject, actor_kind, data
              from cell.events
             where business_id = ${businessId} and subject = ${subject}
            union all
            select 1, position, type, subject, actor_kind, data
              from cell.event_outbox
             where business_id = ${businessId} and subject = ${subject}) as told
     order by place, position`.execute(db)
  return rows
}

/** When the twin has nothing more to deliver and no job of checkout or payments waits: whatever an event was to do is done. */
export async function waitUntilIdle({ twin }: Pick<World<'stripe'>, 'twin'>, db: Db, withinMs = 10_000): Promise<void> {
  await twin.settled()
  const waiting = async () => {
    const { rows } = await sql<{ job: string }>`
      select concat_ws(' ', task.identifier, job.attempts, job.last_error) as job
        from graphile_worker._private_jobs as job
        join graphile_worker._private_tasks as task on task.id = job.task_id
       where task.identifier ~ '^(checkout|payments)[.]'`.execute(db)
    return rows.map(({ job }) => job)
  }
  await until('no job waits', async () => (await waiting()).length === 0, { withinMs }).catch(async (error: Error) => {
    throw new Error(`${error.message}: ${(await waiting()).join('\n')}`)
  })
}

/** Log lines that say that something is our fault. */
export const faultsIn = (lines: readonly string[]) =>
  lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)
