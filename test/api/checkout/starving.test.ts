import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { endExpired } from '#modules/checkout/index.ts'
import { payables } from '../../../src/apps/payables.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true, providers: ['stripe'] }) // counts what it does in the whole cell

test('orders that cannot be ended, however many, hold up nobody who comes after them', async () => {
  const shop = await used.make.shop({ cell: 'second' })
  const product = await used.make.product(shop)
  const buyer = await used.make.user()
  const items = [{ productId: product.id, variantId: 'one', quantity: 1 }]
  const buy = async () => {
    const bought = await buyer.post(`${shop.path}/orders/checkout`, { market: 'us', items })
    assert.equal(bought.status, 200, bought.text)
    return bought.body.orderId as string
  }
  await Promise.all(Array.from({ length: 55 }, buy))
  const last = await buy()
  await sql`
    update orders.orders set expires_at = now() - case id when ${last} then interval '1 minute' else interval '2 minutes' end
     where business_id = ${shop.id}`.execute(shop.db)
  await sql`update payments.payments set status = 'ENDED' where subject = ${`order:${last}`}`.execute(shop.db)

  // Without the provider no page can be closed; the last one's has ended.
  const away = { payments: { providers: [], sharedAccount: true }, payables, publicUrl: 'http://localhost:3000' }
  const sweep = () => endExpired(away, shop.db, pino({ level: 'silent' }))
  assert.deepEqual([await sweep(), await sweep(), await sweep()], [50, 6, 0])
  const { rows } = await sql<{ id: string }>`
    select id from orders.orders where business_id = ${shop.id} and status = 'CANCELLED'`.execute(shop.db)
  assert.deepEqual(rows, [{ id: last }])
})
