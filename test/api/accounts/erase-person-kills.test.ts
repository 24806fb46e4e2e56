import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { verify } from '#apps/verify.ts'
import { startChild } from '../../support/child.ts'
import { openCustomers } from '../../support/customers.ts'
import { useApi } from '../../support/setup.ts'
import { until } from '../../support/until.ts'

const used = useApi()
const ORDERS = 250 // three batches

/** A person with orders whose worker is killed at each of these places, again and again, one after another. */
const PLACES = ['erase-person.before-commit', 'erase-person.after-commit'] as const

for (const place of PLACES) {
  test(`a worker that dies at ${place} leaves nothing by half, and the next one goes on there`, async (t) => {
    const shop = await openCustomers(used.api, used.make)
    const { db, id, admin } = shop
    const { env } = used.api.databases
    const person = await used.make.customer(id)
    const { id: promoId, code } = await shop.promo()
    const { id: orderId } = await shop.sell(person.id, {
      customerNote: 'cnrykilled',
      statuses: [{ status: 'DELIVERED' }],
    })
    await sql`
      update orders.orders set promo_id = ${promoId}, promo_code = ${code}, promo_customer = 'cnrykilled' where id = ${orderId}`.execute(
      db,
    )
    await sql`
      insert into orders.orders
      select (jsonb_populate_record(orders, jsonb_build_object(
               'id', 'ord_more' || lpad(n::text, 5, '0'), 'number', 'MORE-' || n))).*
        from orders.orders, generate_series(1, ${ORDERS - 1}) n
       where business_id = ${id} and id = ${orderId}`.execute(db)
    await sql`insert into catalog.promo_customers values (${id}, ${promoId}, 'cnrykilled', ${ORDERS})`.execute(db)
    await sql`update catalog.promo_codes set redemptions = ${ORDERS} where id = ${promoId}`.execute(db)
    await shop.follow()
    assert.equal((await person.delete('/v1/users/me')).status, 200)

    const state = async () => {
      const { rows } = await sql<{ named: number; events: number; uses: number; step: string }>`
        select (select count(*) from orders.orders where business_id = ${id} and customer_note = 'cnrykilled')::int as named,
               (select count(*) from (select from cell.event_outbox where business_id = ${id} and type = 'order.erased'
                                      union all
                                      select from cell.events where business_id = ${id} and type = 'order.erased') as told)::int as events,
               (select sum(redemptions) from catalog.promo_customers where promo_id = ${promoId})::int as uses,
               (select step from customers.erasures where business_id = ${id}) as step`.execute(db)
      return rows[0]
    }
    const seen: (number | undefined)[] = []
    for (let deaths = 0; deaths < 20 && (await state())?.step !== 'LATE_READERS'; deaths++) {
      const doomed = await startChild('worker', env, { faults: { [place]: 'kill-second' } })
      t.after(() => doomed.kill())
      const ended = await Promise.race([
        doomed.exited.then(() => true),
        until('all is done', async () => (await state())?.step === 'LATE_READERS', { withinMs: 60_000 }).then(
          () => false,
        ),
      ])
      const now = await state()
      seen.push(now?.named)
      assert.equal(now?.uses, ORDERS, 'no use is lost, and none counted twice')
      assert.equal(now?.events, ORDERS - (now?.named ?? 0), 'each order is told once, with its change')
      if (!ended) await doomed.stop()
    }
    assert.ok(new Set(seen).size >= 3, `it died in the middle: ${seen.join(' ')}`)
    assert.deepEqual(await state(), { named: 0, events: ORDERS, uses: ORDERS, step: 'LATE_READERS' })
    const { rows } = await sql<{ names: number }>`
      select count(distinct promo_customer)::int as names from orders.orders where promo_id = ${promoId}`.execute(db)
    assert.deepEqual(rows, [{ names: 1 }])
    assert.equal((await admin.get(`${shop.path.replace('/customers', '')}/orders/${orderId}`)).body.customerNote, null)
    await until('the worker is gone', async () => {
      await shop.follow()
      const broken = (await verify(db, id)).filter(({ violations }) => violations.length > 0)
      return broken.length === 0
    })
  })
}
