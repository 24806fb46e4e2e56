import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { changeStock, type StockChange } from '#modules/catalog/stock/change-stock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Answer } from '../../support/client.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const WIDTH = 12

/** Does all of it, `WIDTH` things at a time. When one fails, the others do not go on beside the next test. */
async function inParallel<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>) {
  const results: Result[] = []
  const waiting = items.entries()
  let failed = false
  const helper = async () => {
    for (const [index, item] of waiting) {
      if (failed) return
      results[index] = await work(item)
    }
  }
  const helpers = Array.from({ length: WIDTH }, () =>
    helper().catch((error: unknown) => {
      failed = true
      throw error
    }),
  )
  for (const ended of await Promise.allSettled(helpers)) if (ended.status === 'rejected') throw ended.reason
  return results
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']

/** A shop with `count` products of six variants each, `quantity` of each in stock. */
async function makeStock({
  count,
  quantity,
  variants = NAMES,
}: {
  count: number
  quantity: number
  variants?: string[]
}) {
  const shop = await used.make.shop()
  const body = { variants: variants.map((id) => ({ id, inventory: { quantity } })) }
  const products = await inParallel(Array.from({ length: count }), () => used.make.product(shop, body))
  return { ...shop, items: products, at: (index: number) => products[index] as (typeof products)[number] }
}

/** Everything that must be true of stock and ledger, and is not. */
async function findLies(db: Db, businessId: string): Promise<unknown[]> {
  const { rows } = await sql`
    with walked as (
      select product_id, variant_id, number, delta, quantity,
             row_number() over each_variant as place, sum(delta) over each_variant as total
        from catalog.stock_movements where business_id = ${businessId}
      window each_variant as (partition by product_id, variant_id order by number)
    ), last as (
      select distinct on (product_id, variant_id) * from walked order by product_id, variant_id, number desc
    )
    select 'movement' as of, product_id, variant_id, number::text, to_jsonb(walked) as seen
      from walked where number <> place or quantity <> total or quantity < 0 or delta = 0
     union all
    select 'stock', stock.product_id, stock.variant_id, stock.version::text, to_jsonb(last)
      from catalog.stock left join last using (product_id, variant_id)
     where business_id = ${businessId}
       and (stock.quantity <> coalesce(last.quantity, 0) or stock.quantity <> coalesce(last.total, 0)
            or stock.version <> coalesce(last.number, 0) or stock.quantity < 0)`.execute(db)
  return rows
}

const countMovements = async (db: Db, businessId: string, reason: string) => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from catalog.stock_movements
     where business_id = ${businessId} and reason = ${reason}`.execute(db)
  return rows[0]?.count
}

class Refused extends Error {}

/** As a checkout does it: all or nothing. Answers how many rows the ledger has got, and how often it was tried. */
async function take(db: Db, businessId: string, changes: StockChange[], reason = 'taken') {
  let tries = 0
  try {
    const moved = await transaction(db, async (tx) => {
      tries++
      const outcomes = await changeStock(tx, businessId, changes, { kind: 'ORDER', reason })
      if (outcomes.length < changes.length || outcomes.some((outcome) => !outcome.moved)) throw new Refused()
      return outcomes.length
    })
    return { moved, tries }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { moved: 0, tries }
  }
}

const PRODUCTS = 3
const product = fc.nat({ max: PRODUCTS - 1 })
const variant = fc.constantFrom(...NAMES)
const amount = fc.integer({ min: 1, max: 6 })
const quantity = fc.nat({ max: 40 })
const some = fc.shuffledSubarray(NAMES)
const key = fc.record({ product, variant })
const basket = fc.uniqueArray(fc.record({ product, variant, amount }), {
  minLength: 1,
  maxLength: 5,
  selector: (line) => `${line.product} ${line.variant}`,
})
const relative = fc.oneof(
  amount,
  amount.map((size) => -size),
)
const operation = fc.oneof(
  { weight: 48, arbitrary: fc.record({ kind: fc.constant('take' as const), basket }) },
  { weight: 28, arbitrary: fc.record({ kind: fc.constant('give' as const), basket }) },
  { weight: 9, arbitrary: fc.record({ kind: fc.constant('adjust' as const), key, delta: relative }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('set' as const), product, variant, quantity }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('setAll' as const), product, order: some, quantity }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('setIfMatch' as const), product, variant, quantity }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('rename' as const), product, name: fc.constantFrom('x', 'y') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reorder' as const), product, order: some }) },
)
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never

test('after 5,000 operations at once, the stock of each variant is what its ledger says', async (t) => {
  const { id, db, admin, items, at } = await makeStock({ count: PRODUCTS, quantity: 30 })
  const put = (index: number, body: object, headers = {}) => admin.put(at(index).path, body, headers)
  const all = (change: (id: string) => object) => NAMES.map((id) => ({ id, ...change(id) }))
  const changesOf = (lines: { product: number; variant: string; amount: number }[], sign: number) =>
    lines.map((line) => ({ productId: at(line.product).id, variantId: line.variant, delta: sign * line.amount }))
  const moved = { taken: 0, given: 0, adjusted: 0 }
  const counts = new Map<string, number>()
  const note = (kind: string, { status, text }: Pick<Answer, 'status' | 'text'>, allowed: number[]) => {
    assert.ok(allowed.includes(status), `${kind}: ${status} ${text}`)
    counts.set(`${kind} ${status}`, (counts.get(`${kind} ${status}`) ?? 0) + 1)
    return status
  }

  async function run(asked: Operation): Promise<unknown> {
    if (asked.kind === 'take') {
      const { moved: rows } = await take(db, id, changesOf(asked.basket, -1))
      moved.taken += rows
      return note('take', { status: rows > 0 ? 201 : 409, text: '' }, [201, 409])
    }
    if (asked.kind === 'give') {
      const { moved: rows } = await take(db, id, changesOf(asked.basket, 1), 'given')
      moved.given += rows
      return
    }
    if (asked.kind === 'adjust') {
      const path = `${at(asked.key.product).path}/variants/${asked.key.variant}/stock`
      const answer = await admin.post(path, { delta: asked.delta, reason: 'adjusted' })
      moved.adjusted += note('adjust', answer, [201, 404, 409]) === 201 ? 1 : 0
      return
    }
    if (asked.kind === 'rename') return note('rename', await put(asked.product, { name: asked.name }), [200])
    if (asked.kind === 'reorder') {
      return note('reorder', await put(asked.product, { variants: asked.order.map((id) => ({ id })) }), [200])
    }
    const { quantity } = asked
    if (asked.kind === 'setAll') {
      const variants = asked.order.map((id) => ({ id, inventory: { quantity } }))
      return note('setAll', await put(asked.product, { variants }), [200])
    }
    const variants = all((id) => (id === asked.variant ? { inventory: { quantity } } : {}))
    if (asked.kind === 'set') return note('set', await put(asked.product, { variants }), [200])
    const { headers } = await admin.get(at(asked.product).path)
    const answer = await put(asked.product, { variants }, { 'if-match': String(headers.get('etag')) })
    return note('setIfMatch', answer, [200, 412])
  }

  const seed = Math.trunc(Math.random() * 2 ** 31)
  t.diagnostic(`seed ${seed}`)
  await inParallel(fc.sample(operation, { numRuns: 5_000, seed }), run)
  t.diagnostic(JSON.stringify(Object.fromEntries(counts)))

  assert.deepEqual(await findLies(db, id), [])
  assert.equal(await countMovements(db, id, 'taken'), moved.taken)
  assert.equal(await countMovements(db, id, 'given'), moved.given)
  assert.equal(await countMovements(db, id, 'adjusted'), moved.adjusted)
  for (const { path } of items) {
    const put = await admin.put(path, { variants: all(() => ({})) })
    const shown = await admin.get(path)
    assert.deepEqual(put.body, shown.body)
    for (const { id, inventory } of shown.body.variants) {
      const ledger = await admin.get(`${path}/variants/${id}/stock?limit=1`)
      assert.equal(ledger.body.items[0].quantity, inventory.quantity)
    }
  }
  for (const outcome of ['take 201', 'take 409', 'adjust 201', 'adjust 404', 'setIfMatch 412']) {
    assert.ok((counts.get(outcome) ?? 0) > 0, `${outcome} has happened`)
  }
})

/** Calls of several kinds, mixed evenly. */
const mix = <Item>(...kinds: [count: number, item: (index: number) => Item][]) =>
  kinds
    .flatMap(([count, item]) =>
      Array.from({ length: count }, (_, index) => ({ at: (index + 0.5) / count, item: item(index) })),
    )
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)

test('500 stale edits beside 2,000 sales lose none of them', async () => {
  const start = 2_500
  const { id, db, admin, at } = await makeStock({ count: 1, quantity: start, variants: ['one'] })
  const { path, id: productId } = at(0)
  const read = await admin.get(path)
  const stale = { 'if-match': String(read.headers.get('etag')) }
  const { inventory, ...variant } = read.body.variants[0]
  const sale = [{ productId, variantId: 'one', delta: -1 }]
  assert.equal((await take(db, id, sale)).moved, 1)

  const answers = await inParallel(
    mix<() => Promise<string | number>>(
      [1_399, () => async () => `sold ${(await take(db, id, sale)).moved}`],
      [600, () => async () => `posted ${(await admin.post(`${path}/variants/one/stock`, { delta: -1 })).status}`],
      [
        250,
        () => async () => `set ${(await admin.put(path, { variants: [{ ...variant, inventory }] }, stale)).status}`,
      ],
      [125, (index) => async () => `edited ${(await admin.put(path, { name: `Edit ${index}` })).status}`],
      [
        125,
        (index) => async () =>
          `edited ${(await admin.put(path, { variants: [{ ...variant, name: `Edit ${index}`, inventory: { tracked: true } }] })).status}`,
      ],
    ),
    (work) => work(),
  )

  const counted = Object.fromEntries([...Map.groupBy(answers, String)].map(([key, { length }]) => [key, length]))
  assert.deepEqual(counted, { 'sold 1': 1_399, 'posted 201': 600, 'set 412': 250, 'edited 200': 250 })
  assert.equal(await at(0).stock('one'), start - 2_000)
  assert.deepEqual(await findLies(db, id), [])
  const [last] = (await admin.get(`${path}/variants/one/stock?limit=1`)).body.items
  assert.deepEqual([last.number, last.quantity], [2_001, start - 2_000])
})

test('who reads, adds one and sets with If-Match, again until it fits, never undoes a sale or another’s count', async () => {
  const start = 1_000
  const { id, db, admin, at } = await makeStock({ count: 1, quantity: start, variants: ['one', 'two'] })
  const { path, id: productId } = at(0)
  let tooLate = 0
  const addOne = async () => {
    for (;;) {
      const { headers, body } = await admin.get(path)
      const quantity = body.variants[0].inventory.quantity + 1
      const variants = [{ id: 'one', inventory: { quantity } }, { id: 'two' }]
      const { status, text } = await admin.put(path, { variants }, { 'if-match': String(headers.get('etag')) })
      assert.ok(status === 200 || status === 412, text)
      if (status === 200) return
      tooLate++
    }
  }
  const sell = async () => {
    assert.equal((await take(db, id, [{ productId, variantId: 'one', delta: -1 }])).moved, 1)
  }
  await inParallel(mix<() => Promise<void>>([20, () => addOne], [400, () => sell]), (work) => work())

  assert.ok(tooLate > 0, 'some were too late')
  assert.equal(await at(0).stock('one'), start + 20 - 400)
  assert.deepEqual(await findLies(db, id), [])
})

test('the last ten are sold to ten of a hundred buyers', async () => {
  const { id, db, admin, at } = await makeStock({ count: 1, quantity: 10, variants: ['one'] })
  const { path, id: productId } = at(0)
  const sold = await inParallel(
    mix<() => Promise<number>>(
      [50, () => async () => (await take(db, id, [{ productId, variantId: 'one', delta: -1 }])).moved],
      [50, () => async () => ((await admin.post(`${path}/variants/one/stock`, { delta: -1 })).status === 201 ? 1 : 0)],
    ),
    (work) => work(),
  )
  assert.equal(sold.filter((count) => count === 1).length, 10)
  assert.equal(await at(0).stock('one'), 0)
  assert.deepEqual(await findLies(db, id), [])
})

test('buyers who take the same variants in opposite orders wait for each other and never deadlock', async () => {
  const { id, db, admin, items } = await makeStock({ count: 4, quantity: 100_000 })
  const lines = items.flatMap(({ id: productId }) => NAMES.map((variantId) => ({ productId, variantId, delta: -1 })))
  const backwards = lines.toReversed()
  const inventory = { quantity: 100_000 }
  const recount = (path: string, order: string[]) => async () => {
    const { status, text } = await admin.put(path, { variants: order.map((id) => ({ id, inventory })) })
    assert.equal(status, 200, text)
    return { moved: 0, tries: 1 }
  }
  const move = (path: string, order: string[]) => async () => {
    const { status, text } = await admin.put(path, { variants: order.map((id) => ({ id })) })
    assert.equal(status, 200, text)
    return { moved: 0, tries: 1 }
  }
  const results = await inParallel(
    mix<() => Promise<{ moved: number; tries: number }>>(
      [300, () => () => take(db, id, lines)],
      [300, () => () => take(db, id, backwards)],
      [50, (index) => recount(items[index % 4]?.path ?? '', index % 2 ? NAMES : NAMES.toReversed())],
      [50, (index) => move(items[index % 4]?.path ?? '', index % 2 ? NAMES : NAMES.toReversed())],
    ),
    (work) => work(),
  )
  assert.deepEqual(
    results.filter(({ tries }) => tries !== 1),
    [],
    'nothing had to be tried again',
  )
  assert.equal(
    results.reduce((sum, { moved }) => sum + moved, 0),
    600 * lines.length,
  )
  assert.deepEqual(await findLies(db, id), [])
})

for (const [what, change, left] of [
  ['a sale', { delta: -6 }, 24],
  ['a count', { quantity: 2 }, 2],
] as const) {
  test(`${what} that waited for a delivery finds what was delivered`, async () => {
    const { id, db, at } = await makeStock({ count: 1, quantity: 0, variants: ['one'] })
    const key = { productId: at(0).id, variantId: 'one' }
    const isWaiting = async () => {
      const { rows } = await sql<{ waiting: boolean }>`
        select exists (select from pg_stat_activity
                        where datname = current_database() and wait_event_type = 'Lock') as waiting`.execute(db)
      return rows[0]?.waiting
    }
    const waited = await transaction(db, async (tx) => {
      await changeStock(tx, id, [{ ...key, delta: 30 }], { kind: 'MANUAL' })
      const second = transaction(db, (other) => changeStock(other, id, [{ ...key, ...change }], { kind: 'ORDER' }))
      await until('the second waits for the first', isWaiting)
      return { second } // not awaited in here: it goes on when this transaction has ended
    })
    const [outcome] = await waited.second
    assert.deepEqual([outcome?.moved, outcome?.quantity, await at(0).stock('one')], [true, left, left])
    assert.deepEqual(await findLies(db, id), [])
  })
}
