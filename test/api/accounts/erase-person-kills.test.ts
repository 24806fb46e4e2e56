import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { verify } from '#apps/verify.ts'
import { startChild } from '../../support/child.ts'
import { openCustomers } from '../../support/customers.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const ORDERS = 250 // three batches

/** A worker that comes to this place, and no further. */
async function dieAt(t: TestContext, place: string, action: 'kill' | 'kill-second'): Promise<void> {
  const doomed = await startChild('worker', used.api.databases.env, { faults: { [place]: action } })
  t.after(() => doomed.kill())
  let signal: string | null | undefined
  void doomed.exited.then((exit) => {
    signal = exit.signal
  })
  await until(`the worker dies at ${place}`, () => signal === 'SIGKILL', { withinMs: 30_000 })
}

/** Where a worker dies, how often, and how many orders still named the person after each death. */
const PLACES = [
  { place: 'erase-person.begun', action: 'kill', deaths: 1, named: [250] },
  { place: 'erase-person.before-commit', action: 'kill-second', deaths: 3, named: [250, 150, 50] },
  { place: 'erase-person.after-commit', action: 'kill', deaths: 4, named: [250, 150, 50, 0] },
] as const

for (const { place, action, deaths, named } of PLACES) {
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
    for (let death = 0; death < deaths; death++) {
      await dieAt(t, place, action)
      const now = await state()
      seen.push(now?.named)
      assert.equal(now?.uses, ORDERS, 'no use is lost, and none counted twice')
      assert.equal(now?.events, ORDERS - (now?.named ?? 0), 'each order is told once, with its change')
    }
    assert.deepEqual(seen, named)
    const next = await startChild('worker', env)
    t.after(() => next.kill())
    await until('all is done', async () => (await state())?.step === 'LATE_READERS')
    assert.equal((await next.stop()).code, 0)
    assert.deepEqual(await state(), { named: 0, events: ORDERS, uses: ORDERS, step: 'LATE_READERS' })
    const { rows } = await sql<{ names: number }>`
      select count(distinct promo_customer)::int as names from orders.orders where promo_id = ${promoId}`.execute(db)
    assert.deepEqual(rows, [{ names: 1 }])
    assert.equal((await admin.get(`${shop.path.replace('/customers', '')}/orders/${orderId}`)).body.customerNote, null)
    await shop.follow()
    assert.deepEqual(
      (await verify(db, id)).filter(({ violations }) => violations.length > 0),
      [],
    )
  })
}

test('a worker that dies while it looks at orders that had to wait leaves them for the next one', async (t) => {
  const shop = await openCustomers(used.api, used.make)
  const { db, id, admin, orders } = shop
  const { env } = used.api.databases
  const person = await used.make.customer(id)
  const sold = await shop.sell(person.id, { customerNote: 'waits', statuses: [{ status: 'PROCESSING' }] })
  const kept = async () => {
    const { rows } = await sql`select from customers.kept_orders where business_id = ${id}`.execute(db)
    return rows.length
  }
  const noted = async () => (await admin.get(`${orders}/${sold.id}`)).body.customerNote
  assert.equal((await person.delete('/v1/users/me')).status, 200)
  const worker = await startChild('worker', env)
  t.after(() => worker.kill())
  await until('it waits', async () => (await kept()) === 1)
  await worker.stop()

  assert.equal((await admin.put(`${orders}/${sold.id}/status`, { status: 'DELIVERED' })).status, 200)
  await sql`update customers.kept_orders set due_at = now()`.execute(db)
  await sql`select graphile_worker.add_job('customers.sweep-erasures', '{}')`.execute(db)
  for (const place of ['erase-kept.before-commit', 'erase-kept.after-commit']) {
    await dieAt(t, place, 'kill')
    const isDone = place === 'erase-kept.after-commit'
    assert.deepEqual([await kept(), await noted()], isDone ? [0, null] : [1, 'waits'])
  }
})

test('a file whose worker dies is made anew, and is whole', async (t) => {
  const me = await used.make.user()
  const { env } = used.api.databases
  const { id } = (await me.post('/v1/users/me/export', undefined)).body
  const path = `/v1/users/me/exports/${id}`
  for (const place of ['make-export.part', 'make-export.before-commit']) {
    await dieAt(t, place, 'kill')
    assert.equal((await me.get(path)).body.status, 'RUNNING')
  }
  const next = await startChild('worker', env)
  t.after(() => next.kill())
  await until('it is made', async () => (await me.get(path)).body.status === 'READY')
  assert.equal((await me.get(`${path}/file`)).body.account.user.id, me.id)
})
