import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { brokenSql, findBroken, type Rule } from '#modules/checks/index.ts'
import type { Tx } from '#platform/database/database.ts'
import { check, compareWithProvider, invariants, queryOf, verify } from '../../../src/apps/verify.ts'
import { runKontor } from '../../support/child.ts'
import { follow } from '../../support/customers.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'], own: true })

type Scene = Awaited<ReturnType<typeof makeScene>>
let scene: Scene

/** Orders: paid and shipped in part, waiting, cancelled, free and shipped, refunded in part. Everything adds up. */
async function makeScene(cell: string) {
  const shop = await used.make.shop({ cell })
  const product = await used.make.product(shop)
  const promo = await shop.admin.post(`${shop.path}/promo-codes`, {
    code: 'HALF',
    type: 'PERCENT',
    value: 5_000,
    maxPerCustomer: 5,
  })
  assert.equal(promo.status, 201, promo.text)
  await shop.admin.post(`${shop.path}/promo-codes`, { code: 'ALL', type: 'PERCENT', value: 10_000 })
  const goods = await shop.admin.post(`${shop.path}/categories`, {
    name: 'Goods',
    translations: { de: { slug: 'waren' } },
  })
  assert.equal(goods.status, 201, goods.text)
  await shop.admin.post(`${shop.path}/categories`, { name: 'Lamps', parentId: goods.body.id })
  const raised = await shop.admin.post(`${shop.path}/bulk-edits`, {
    list: 'products',
    select: { ids: [product.id] },
    changes: [{ field: 'price', marketId: 'us', op: 'percent', bps: 500 }],
  })
  assert.equal(raised.status, 202, raised.text)
  const buyer = await used.make.user()
  const buy = async (promoCode: string | undefined, key: string) => {
    const items = [{ productId: product.id, variantId: 'one', quantity: 2 }]
    const path = `${shop.path}/orders/checkout`
    const answer = await buyer.post(path, { market: 'us', items, promoCode }, { 'idempotency-key': key })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.orderId as string
  }
  const [paid, waiting, cancelled, free, refunded] = [
    await buy('HALF', 'k1'),
    await buy(undefined, 'k2'),
    await buy('HALF', 'k3'),
    await buy('ALL', 'k4'),
    await buy(undefined, 'k5'),
  ]
  const pageOf = (orderId: string) =>
    used.twin.sessions().find(({ client_reference_id }) => client_reference_id === `order:${orderId}`)?.id ?? ''
  used.twin.pay(pageOf(paid))
  used.twin.pay(pageOf(refunded))
  const statusOf = async (id: string) => (await shop.admin.get(`${shop.path}/orders/${id}`)).body.statuses.at(-1).status
  for (const id of [paid, refunded]) await until('it is paid', async () => (await statusOf(id)) === 'PROCESSING')
  await shop.admin.put(`${shop.path}/orders/${cancelled}/status`, { status: 'CANCELLED' })
  await refundPiece(shop, refunded)
  for (const [id, quantity] of [
    [paid, 1],
    [free, 2],
  ] as const) {
    const { body } = await shop.admin.get(`${shop.path}/orders/${id}`)
    const lines = [{ lineId: body.lines[0].id, quantity }]
    const { status, text } = await shop.admin.post(`${shop.path}/orders/${id}/shipments`, { lines })
    assert.equal(status, 201, text)
  }
  const counted = await shop.admin.post(`${shop.path}/stocktakes`, {
    items: [{ productId: product.id, variantId: 'one', delta: 1 }],
  })
  assert.equal(counted.status, 201, counted.text)
  await makeSend(shop)
  await follow(used.api, shop.db)
  return { shop, product, orders: { paid, waiting, cancelled, free, refunded } }
}

/** One of the two pieces, and it came back. */
async function refundPiece({ admin, path }: Awaited<ReturnType<typeof used.make.shop>>, orderId: string) {
  const order = await admin.get(`${path}/orders/${orderId}`)
  const lines = [{ lineId: order.body.lines[0].id, quantity: 1 }]
  const made = await admin.post(`${path}/orders/${orderId}/refunds`, { lines, restock: true })
  assert.equal(made.status, 201, made.text)
  return made.body.id as string
}

/** A newsletter with one entry, sent to two: one got it, one could not. */
async function makeSend({ admin, path, id, db }: Awaited<ReturnType<typeof used.make.shop>>) {
  const collection = await admin.post(`${path}/collections`, { name: 'Letters', type: 'NEWSLETTER' })
  const entry = await admin.post(`${path}/entries`, { collectionId: collection.body.id, blocks: [] })
  assert.equal(entry.status, 201, entry.text)
  await sql`
    insert into newsletter.sends (business_id, id, entry_id, collection_id, status, on_uncertain, scheduled_at, is_planned, total,
                                  sent, failed, created_at, updated_at)
    values (${id}, 'snd_1', ${entry.body.id}, ${collection.body.id}, 'DONE', 'SKIP', now(), true, 2, 1, 1, now(), now())`.execute(
    db,
  )
  await sql`
    insert into newsletter.recipients (business_id, send_id, subscription_id, state, due_at, updated_at)
    values (${id}, 'snd_1', 'sub_1', 'SENT', now(), now()), (${id}, 'snd_1', 'sub_2', 'FAILED', now(), now())`.execute(
    db,
  )
}

before(async () => {
  scene = await makeScene('second')
})

/** How each rule is broken. Constraints that would not let it happen are taken away first: all of it is undone. */
const VIOLATIONS: Record<string, (scene: Scene) => ReturnType<typeof sql>[]> = {
  'a bulk edit counts its items as they are': () => [sql`update catalog.bulk_edits set total = total + 1`],
  'the room that a business has used is the size of its files that are not rejected': ({ shop }) => [
    sql`insert into media.used (business_id, bytes) values (${shop.id}, 1)`,
  ],
  'a picture that is READY has a width, a height and a placeholder, and nothing else has': ({ shop }) => [
    sql`
      insert into media.files (business_id, id, status, file_name, sort_name, mime_type, kind, size, sha256, alt, tags, words,
                               upload_expires_at, created_at, updated_at)
      values (${shop.id}, 'med_1', 'READY', 'a', 'a', 'image/png', 'image', 1, '', '{}', '{}', '{}', now(), now(), now())`,
    sql`insert into media.used (business_id, bytes) values (${shop.id}, 1)`,
  ],
  'stock is the sum of its ledger': () => [sql`update catalog.stock set quantity = quantity + 1`],
  'no stock is below zero': () => [
    sql`alter table catalog.stock drop constraint stock_quantity_check`,
    sql`update catalog.stock set quantity = -1`,
  ],
  "movements are numbered from 1 without a gap, the last is the stock's version": () => [
    sql`delete from catalog.stock_movements where number = 2`,
  ],
  'each movement notes what was there after it': () => [
    sql`update catalog.stock_movements set quantity = quantity + 1 where number = 2`,
  ],
  "an order's total is subtotal + tax + shipping − discount, none of them below zero": () => [
    sql`alter table orders.orders drop constraint orders_total_check`,
    sql`update orders.orders set total = total + 1`,
  ],
  "an order's subtotal is the sum of its lines": () => [
    sql`update orders.orders set subtotal = subtotal + 1, total = total + 1`,
  ],
  "a line's total is its unit price × its quantity": () => [
    sql`update orders.orders set lines = replace(lines::text, '"unitPrice":1000', '"unitPrice":999')::json`,
  ],
  "the shares of lines and shipping add up to an order's discount and tax": () => [
    sql`update orders.orders set shipping_tax = shipping_tax + 1`,
  ],
  "an order's taxes add up to its tax": () => [
    sql`update orders.orders set tax = tax + 1, shipping_tax = shipping_tax + 1, total = total + 1`,
  ],
  "an order's statuses are the last of their histories": () => [
    sql`update orders.orders set status = 'SHIPPED' where status = 'PROCESSING'`,
  ],
  'an order holds the stock that its lines took, and once it is given back, only what they kept': ({ orders }) => [
    sql`delete from catalog.stock_movements where reference = ${orders.cancelled} and kind = 'CANCEL'`,
  ],
  'no more of a line comes back than was ordered': () => [
    sql`update orders.orders set lines = replace(lines::text, '"taken"', '"returned":3,"taken"')::json`,
  ],
  'no more of a line is refunded than was ordered': ({ orders }) => [
    sql`update orders.refund_lines set quantity = 3 where order_id = ${orders.refunded}`,
  ],
  "an order's refunded amount is what its payment says": () => [
    sql`update orders.orders set refunded_amount = 1 where status = 'PROCESSING'`,
  ],
  'a refund gives at least what its parts say, and they count unless it failed': () => [
    sql`update payments.refunds set status = 'FAILED'`,
  ],
  'what is cancelled has given its stock back, what is not has not': () => [
    sql`update orders.orders set released_at = null`,
  ],
  'a promo code is counted once for each order that uses it': () => [
    sql`update catalog.promo_codes set redemptions = redemptions + 1`,
  ],
  'a promo code is counted for each customer as often as it is used': () => [
    sql`update catalog.promo_customers set redemptions = redemptions + 1`,
  ],
  'no more is refunded, or asked to be, than was paid': () => [
    sql`alter table payments.payments drop constraint payments_refunds_check`,
    sql`update payments.payments set refunding = paid + 1`,
  ],
  'a payment that is paid is paid in full, and no other has money': () => [
    sql`update payments.payments set paid = paid - 1 where status = 'PAID'`,
  ],
  'what is set apart for refunds is asked for': () => [
    sql`update payments.payments set refunding = 1 where status = 'PAID'`,
  ],
  'an order that is to be paid has a payment of its total': ({ orders }) => [
    sql`delete from payments.payments where subject = ${`order:${orders.waiting}`}`,
  ],
  'a payment is for an order': ({ orders }) => [sql`delete from orders.orders where id = ${orders.waiting}`],
  "an order's payment status is what its payment says": () => [
    sql`update payments.payments set refunded = 1 where status = 'PAID'`,
  ],
  'no order waits for money that has come': () => [
    sql`update payments.payments set status = 'PAID', paid = amount`, //
  ],
  'money for a cancelled order is on its way back, unless a person cancelled it': () => [
    sql`update payments.payments set status = 'PAID', paid = amount`,
    sql`update orders.orders set statuses = replace(statuses::text, 'USER', 'SYSTEM')::json`,
  ],
  'a key of a customer makes one order': () => [
    sql`drop index orders.orders_request_key`,
    sql`update orders.orders set request_key = 'k1'`,
  ],
  "an order's number is its own": () => [
    sql`alter table orders.orders drop constraint orders_number_key`,
    sql`update orders.orders set number = '2222-2222'`,
  ],
  'no more of a line is shipped than was ordered': ({ orders }) => [
    sql`update orders.shipments set lines = replace(lines::text, ':1', ':3')::json where order_id = ${orders.paid}`,
  ],
  "an order's fulfillment is what its shipments say": ({ orders }) => [
    sql`delete from orders.shipments where order_id = ${orders.paid}`,
  ],
  'a document has a gap for the stock of each variant': () => [
    sql`update catalog.products set document = document || chr(1)`,
  ],
  'lists know every product as it is, and none that is deleted': () => [
    sql`delete from catalog.listing where product_id in (select min(product_id) from catalog.listing)`,
  ],
  'lists know a product in a market only where it has a price, and only as it is known without a market': () => [
    sql`update catalog.listing set is_in_stock = not is_in_stock where market_id <> ''`,
  ],
  'categories are a tree, at most six deep': () => [
    sql`update catalog.categories set parent_id = (select id from catalog.categories where slug = 'lamps') where slug = 'goods'`,
  ],
  'the slugs of categories are those of their locales': () => [
    sql`update catalog.category_slugs set slug = 'gueter' where slug = 'waren'`,
  ],
  'the lines of an import that is finished, or of a dry run, add up to its file': () => [
    sql`insert into catalog.imports (business_id, id, status, total, created, created_at, updated_at)
        select business_id, 'imp_short', 'DONE', 2, 1, now(), now() from catalog.products limit 1`,
  ],
  'the report of an import that can be undone has its lines': () => [
    sql`insert into catalog.imports (business_id, id, status, total, created, is_undoable, created_at, updated_at)
        select business_id, 'imp_lost', 'DONE', 1, 1, true, now(), now() from catalog.products limit 1`,
  ],
  "a customer's orders and sums are those of the orders that are counted": () => [
    sql`update customers.spent set total = total + 1`,
  ],
  'what is counted of an order is what the order says': ({ orders }) => [
    sql`update customers.counted set version = version - 1 where order_id = ${orders.free}`,
    sql`update orders.orders set updated_at = now() - interval '1 hour' where id = ${orders.free}`,
  ],
  'what a customer bought last is what their paid orders say': () => [
    sql`update customers.bought set last_at = last_at - interval '1 second'`,
  ],
  'what reports count of an order is what the order says': ({ orders }) => [
    sql`update reports.orders set version = version - 1 where order_id = ${orders.free}`,
    sql`update orders.orders set updated_at = now() - interval '1 hour' where id = ${orders.free}`,
  ],
  'the sums of reports are those of the orders that are counted': () => [
    sql`update reports.sums set units = units + 1 where grain = 1 and kind = 'PROMO'`,
  ],
  'long spans of reports are the sums of their quarters of an hour': () => [
    sql`update reports.sums set refunded = refunded + 1 where grain = 96 and kind = 'PRODUCT'`,
  ],
  'the first order of a customer that counts is marked in reports, and no other': () => [
    sql`update reports.orders set is_first = not is_first where is_counted`,
  ],
  'reports count an order for the customer whom its guest became': () => [
    sql`
      insert into customers.aliases (business_id, guest_id, user_id)
      select distinct business_id, customer_id, 'usr_another' from reports.orders where is_counted`,
  ],
  'the readers of a newsletter who came, less those who left, are those who are there': ({ shop }) => [
    sql`
      insert into reports.readers (business_id, collection_id, grain, at, joined, "left")
      values (${shop.id}, 'col_1', 1, 0, 1, 0)`,
  ],
  'reports know of every subscription whether it is active': ({ shop }) => [
    sql`
      insert into newsletter.subscriptions
             (business_id, id, collection_id, email, email_key, name, status, created_at, updated_at)
      select ${shop.id}, 'sub_unknown', id, 'a@example.com', 'a@example.com', '', 'ACTIVE', now(), now() - interval '1 hour'
        from content.collections where business_id = ${shop.id} limit 1`,
  ],
  'a stocktake has changed the ledger by what it says': () => [sql`update catalog.stocktakes set delta = delta + 1`],
  'the list of stock has every variant that is tracked, and nothing else': () => [
    sql`update catalog.products set updated_at = now() - interval '1 hour'`,
    sql`delete from catalog.stock_list`,
  ],
  'what orders hold and have not sent is counted as committed': () => [
    sql`update orders.orders set updated_at = now() - interval '1 hour'`,
    sql`update orders.committed set pieces = pieces + 1`,
  ],
  "a send counts what its recipients' states are": () => [sql`update newsletter.sends set sent = 2, failed = 0`],
  'a send that is done has nobody left': () => [sql`update newsletter.sends set is_planned = false`],
  'a remainder goes to recipients of its first send, each in one remainder of it only': () => [
    sql`update newsletter.sends set remainder_of = 'snd_other'`,
  ],
  'whoever gets a letter that goes out by itself was due, and whoever was planned for it has a row': () => [
    sql`update newsletter.sends set automation_id = 'aut_other'`,
  ],
  'no entry is of a schema that its collection never had': () => [sql`update content.entries set schema_version = 99`],
}

class Undo extends Error {}

async function undone(work: (tx: Tx) => Promise<void>): Promise<void> {
  const done = scene.shop.db.transaction().execute(async (tx) => {
    await work(tx)
    throw new Undo()
  })
  await assert.rejects(done, Undo)
}

test('where everything adds up, no rule finds anything', async () => {
  for (const { check, violations } of await verify(scene.shop.db)) assert.deepEqual(violations, [], check)
  const { payments } = used.context
  assert.deepEqual((await compareWithProvider(scene.shop.db, payments)).violations, [])
})

test('every rule is broken by one of the tests here', () => {
  assert.deepEqual(Object.keys(VIOLATIONS).sort(), [...invariants.keys()].sort())
})

for (const [rule, plant] of Object.entries(VIOLATIONS)) {
  test(`it is noticed when this is not true: ${rule}`, () =>
    undone(async (tx) => {
      for (const statement of plant(scene)) await statement.execute(tx)
      assert.notDeepEqual((await check(tx, rule)).violations, [])
      assert.notDeepEqual((await check(tx, rule, scene.shop.id)).violations, [])
      assert.deepEqual((await check(tx, rule, 'biz_another')).violations, [])
      await assertNamed(tx, ruleOf(rule))
    }))
}

function ruleOf(sentence: string): Rule {
  const rule = invariants.get(sentence)
  assert.ok(rule, sentence)
  return rule
}

/** It is found among other businesses, with rows to look at; and in two pieces as in one. */
async function assertNamed(tx: Tx, rule: Rule) {
  const ids = ['biz_another', scene.shop.id]
  const broken = await findBroken(tx, rule, ids)
  assert.deepEqual([...broken.keys()], [scene.shop.id])
  const { count, examples } = broken.get(scene.shop.id) ?? { count: 0, examples: [] }
  assert.ok(count > 0 && examples.length === Math.min(count, 10))
  assert.ok(
    examples.every((example) => Object.keys(example).some((name) => /Id$|^number$|^counted$|^subject$/.test(name))),
  )
  if (!rule.pieces) return
  const keyName = rule.pieces.key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const [middle] = examples.map((example) => String(example[keyName])).sort()
  assert.ok(middle)
  const below = await findBroken(tx, rule, ids, { after: null, until: middle })
  const above = await findBroken(tx, rule, ids, { after: middle, until: null })
  const counts = [below, above].map((found) => found.get(scene.shop.id)?.count ?? 0)
  assert.ok((counts[0] ?? 0) > 0, 'the piece with the row finds it')
  assert.equal((counts[0] ?? 0) + (counts[1] ?? 0), count)
}

/** Read for all businesses at once. It is always short. */
const OF_THE_CELL = 'event_outbox'

type Plan = { Plans?: Plan[] } & Record<string, unknown>
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

for (const rule of invariants.keys()) {
  test(`for one business, the rows of others are left out of every table: ${rule}`, () =>
    undone(async (tx) => {
      await sql`set local enable_seqscan = off`.execute(tx)
      const { rows } = await sql<Record<string, [{ Plan: Plan }]>>`
        explain (format json) ${queryOf(rule, scene.shop.id)}`.execute(tx)
      const scans = rows
        .flatMap((row) => Object.values(row))
        .flatMap(([{ Plan: plan }]) => nodesOf(plan))
        .filter((node) => 'Relation Name' in node)
      assert.notDeepEqual(scans, [])
      for (const scan of scans) {
        const { 'Index Cond': found, 'Recheck Cond': rechecked, Filter: kept } = scan
        assert.match([found, rechecked, kept].join(' '), /business_id = /, JSON.stringify(scan))
      }
    }))
}

for (const rule of invariants.keys()) {
  test(`for many businesses at once, and in pieces, every table is read by an index: ${rule}`, () =>
    undone(async (tx) => {
      await sql`set local enable_seqscan = off`.execute(tx)
      const range = { after: 'a', until: 'b' }
      const { rows } = await sql<Record<string, [{ Plan: Plan }]>>`
        explain (format json) ${brokenSql(ruleOf(rule), ['biz_another', scene.shop.id], range)}`.execute(tx)
      const scans = rows
        .flatMap((row) => Object.values(row))
        .flatMap(([{ Plan: plan }]) => nodesOf(plan))
        .filter((node) => 'Relation Name' in node && node['Relation Name'] !== OF_THE_CELL)
      assert.notDeepEqual(scans, [])
      for (const scan of scans) {
        const { 'Index Cond': found, 'Recheck Cond': rechecked, 'Index Name': index } = scan
        if (index === 'refunds_pending') continue // an index of the few that are under way
        assert.match([found, rechecked].join(' '), /business_id = /, JSON.stringify(scan))
      }
    }))
}

test('it is noticed when the provider says something else', async (t) => {
  const { db } = scene.shop
  const { payments } = used.context
  const subject = `order:${scene.orders.paid}`
  t.after(() => sql`update payments.payments set status = 'PAID', paid = amount where subject = ${subject}`.execute(db))
  await sql`update payments.payments set status = 'OPEN', paid = 0 where subject = ${subject}`.execute(db)
  const [violation] = (await compareWithProvider(db, payments)).violations
  assert.deepEqual(
    [violation?.subject, violation?.ours, violation?.theirs],
    [subject, { status: 'OPEN', paid: 0, refunded: 0 }, { status: 'PAID', paid: 1_100, refunded: 0 }],
  )
})

test('a page that the provider does not know is told of, and the others are looked at all the same', async (t) => {
  const { db } = scene.shop
  const { payments } = used.context
  const { paid, waiting, cancelled } = scene.orders
  const [known] = (
    await sql<{ subject: string; pageId: string }>`
    select subject, page_id from payments.payments where subject = ${`order:${waiting}`}`.execute(db)
  ).rows
  const pages = (
    await sql<{ subject: string; pageId: string }>`select subject, page_id from payments.payments`.execute(db)
  ).rows
  t.after(async () => {
    for (const { subject, pageId } of pages)
      await sql`update payments.payments set page_id = ${pageId} where subject = ${subject}`.execute(db)
    await sql`update payments.payments set status = 'OPEN' where subject = ${known?.subject}`.execute(db)
  })
  await sql`update payments.payments set page_id = 'cs_' || id where subject <> ${known?.subject}`.execute(db)
  await sql`update payments.payments set status = 'ENDED' where subject = ${known?.subject}`.execute(db)
  const { violations } = await compareWithProvider(db, payments)

  // Of the one that was cancelled both sides say the same: nobody can pay it.
  assert.equal(
    violations.some(({ subject }) => subject === `order:${cancelled}`),
    false,
  )
  const theirs = Object.fromEntries(violations.map(({ subject, theirs }) => [subject, theirs]))
  assert.equal(theirs[`order:${paid}`], 'unknown')
  assert.deepEqual(theirs[`order:${waiting}`], { status: 'OPEN', paid: 0, refunded: 0 })
})

test('a payment for a newsletter is no order’s: only the rules of money and nobody else look at it', async () => {
  const { payments } = used.context
  await undone(async (tx) => {
    await sql`
      insert into payments.payments (business_id, id, subject, attempt, page_id, amount, currency, status, paid, expires_at,
                                     checked_at, created_at, updated_at)
      values (${scene.shop.id}, 'pay_letter', 'newsletter:chk_1', 1, 'cs_of_nobody', 500, 'EUR', 'PAID', 500, now(), now(),
              now(), now())`.execute(tx)
    for (const { check, violations } of await verify(tx)) assert.deepEqual(violations, [], check)
    assert.deepEqual((await compareWithProvider(tx, payments)).violations, [])

    await sql`update payments.payments set paid = 499 where id = 'pay_letter'`.execute(tx)
    const broken = (await verify(tx)).filter(({ violations }) => violations.length > 0)
    assert.deepEqual(
      broken.map(({ check }) => check),
      ['a payment that is paid is paid in full, and no other has money'],
    )
  })
})

test('the command looks at every cell, with the provider’s help if asked, and its exit code tells', async (t) => {
  const env = { ...used.api.databases.env, ...used.env }
  const fine = await runKontor(['cli', 'verify', '--provider'], env)
  assert.equal(fine.code, 0, fine.output)
  for (const cell of ['main', 'second']) {
    assert.match(fine.output, new RegExp(`^${cell}  stock is the sum of its ledger +ok$`, 'm'))
    assert.match(fine.output, new RegExp(`^${cell}  the payment provider says the same +ok$`, 'm'))
  }

  const { db } = scene.shop
  t.after(() => sql`update catalog.stock set quantity = quantity - 1`.execute(db))
  await sql`update catalog.stock set quantity = quantity + 1`.execute(db)
  const wrong = await runKontor(['cli', 'verify'], env)
  assert.equal(wrong.code, 1, wrong.output)
  assert.match(wrong.output, /^main {2}stock is the sum of its ledger +ok$/m)
  assert.match(wrong.output, /^second {2}stock is the sum of its ledger +1 violations$/m)
  assert.match(wrong.output, new RegExp(`^second +.*${scene.product.id}`, 'm'))

  const elsewhere = await used.make.business({ cell: 'second' })
  const [fineOne, wrongOne, nowhere] = await Promise.all(
    [elsewhere.id, scene.shop.id, 'biz_nowhere'].map((id) => runKontor(['cli', 'verify', '--business', id], env)),
  )
  assert.deepEqual([fineOne?.code, wrongOne?.code, nowhere?.code], [0, 1, 1])
  assert.match(fineOne?.output ?? '', /^second {2}stock is the sum of its ledger +ok$/m)
  assert.match(wrongOne?.output ?? '', /^second {2}stock is the sum of its ledger +1 violations$/m)
  assert.doesNotMatch(wrongOne?.output ?? '', /^main /m)
  assert.match(nowhere?.output ?? '', /Business biz_nowhere not found/)

  const { STRIPE_SECRET_KEY: _, STRIPE_WEBHOOK_SECRET: __, ...without } = env
  const nobody = await runKontor(['cli', 'verify', '--provider'], without)
  assert.equal(nobody.code, 1)
  assert.match(nobody.output, /No payment provider is configured/)
})
