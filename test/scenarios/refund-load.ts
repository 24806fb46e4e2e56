import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { StripeTwin } from '../../twins/stripe/server.ts'
import type { Make } from '../support/make.ts'

const PART = 300
const MAX_PAID_MS = 30_000

/** Somebody who buys, pays, and gets a part of the money back, again and again, in a shop of its own. */
export async function startRefundLoad({ make, twin }: { make: Make; twin: StripeTwin }) {
  const shop = await make.shop({ cell: 'second' })
  // Never sold out: what is shown is that nothing fails.
  const variant = { id: 'one', pricing: { markets: [{ marketId: 'us', price: 1_000 }] }, inventory: { tracked: false } }
  const product = await make.product(shop, { variants: [variant] })
  const owner = await make.apiKey(shop.admin.id, shop.id)
  const shopper = await make.user()
  const failures: string[] = []
  const requested: string[] = []
  let isOver = false

  async function once(): Promise<void> {
    const cart = { market: 'us', items: [{ productId: product.id, variantId: 'one', quantity: 1 }] }
    const bought = await shopper.post(`${shop.path}/orders/checkout`, cart, { 'idempotency-key': randomUUID() })
    if (bought.status >= 300) return void failures.push(`checkout: ${bought.status} ${bought.text}`)
    twin.pay(String(bought.body.checkoutUrl).split('/').at(-1) ?? '')
    const path = `${shop.path}/orders/${bought.body.orderId}`
    if (!(await isPaid(path))) return void failures.push(`${path}: not known to be paid`)
    const refund = await owner.post(`${path}/refunds`, { amount: PART }, { 'idempotency-key': randomUUID() })
    if (refund.status !== 201) return void failures.push(`refund: ${refund.status} ${refund.text}`)
    requested.push(refund.body.id)
  }

  async function isPaid(path: string): Promise<boolean> {
    for (const end = performance.now() + MAX_PAID_MS; performance.now() < end; await sleep(100)) {
      const { status, body, text } = await owner.get(path)
      if (status !== 200) failures.push(`${path}: ${status} ${text}`)
      if (body?.paymentStatus?.at(-1)?.status === 'PAID') return true
    }
    return false
  }

  const running = (async () => {
    for (; !isOver; await sleep(50)) await once()
  })()

  return {
    failures,
    requested: () => requested.length,
    async stop() {
      isOver = true
      await running
    },
    /** Requested and not carried out; and rows that nobody has requested. */
    async open(): Promise<number> {
      const { rows } = await sql<{ id: string; status: string }>`
        select id, status from payments.refunds where business_id = ${shop.id}`.execute(shop.db)
      const done = new Set(rows.filter(({ status }) => status === 'SUCCEEDED').map(({ id }) => id))
      return requested.filter((id) => !done.has(id)).length + Math.max(0, rows.length - requested.length)
    },
  }
}
