import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { type RedemptionOutcome, redeemPromo, releasePromo } from '#modules/catalog/index.ts'
import { type Databases, type Db, openDatabases } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { useWorld } from '../../support/world.ts'

const CONNECTIONS = 16
let databases: Databases | undefined
after(() => databases?.close())
const used = useWorld()

/** As many connections as callers, so that all of them meet in PostgreSQL, and one to watch them. */
function openCell(): Db {
  const { url } = used.api.databases.main
  databases ??= openDatabases({ control: { url, directUrl: url }, cells: {} }, { max: CONNECTIONS + 1 })
  return databases.cells.get('main') as Db
}

async function makePromo(terms: object = {}) {
  const db = openCell()
  const { id: businessId, admin, path: business } = await used.make.shop({ cell: 'main' })
  const made = await admin.post(`${business}/promo-codes`, { code: 'RACE', type: 'PERCENT', value: 1_000, ...terms })
  assert.equal(made.status, 201, made.text)
  const id = made.body.id as string
  return {
    admin,
    path: `${business}/promo-codes/${id}`,
    redeem: (customer?: string) => transaction(db, (tx) => redeemPromo(tx, businessId, id, customer)),
    release: (customer?: string) => transaction(db, (tx) => releasePromo(tx, businessId, id, customer)),
    /** A checkout that counts its use of the code and then fails. */
    redeemInVain: (customer?: string) =>
      transaction(db, async (tx) => {
        await redeemPromo(tx, businessId, id, customer)
        throw new Error('in vain')
      }).catch((error: Error) => assert.equal(error.message, 'in vain')),
    /** All counters as they stood at one moment. */
    counters: async () => {
      const rows = await db
        .selectFrom('catalog.promoCodes as promo')
        .leftJoin('catalog.promoCustomers as customer', (join) =>
          join.onRef('customer.businessId', '=', 'promo.businessId').onRef('customer.promoId', '=', 'promo.id'),
        )
        .select(['promo.redemptions as total', 'customer.customer', 'customer.redemptions'])
        .where('promo.businessId', '=', businessId)
        .where('promo.id', '=', id)
        .execute()
      const ofCustomers = rows.flatMap(({ customer, redemptions }) =>
        customer === null || !redemptions ? [] : [[customer, redemptions] as const],
      )
      return { total: rows[0]?.total ?? -1, byCustomer: new Map(ofCustomers) }
    },
  }
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0)

/** Lets all of it happen, `CONNECTIONS` at a time. */
async function inParallel(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index).values()
  const worker = async () => {
    for (const index of indexes) await work(index)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}

test('2,000 redemptions of a code at once, some given back: its limits hold at every moment', async () => {
  const promo = await makePromo({ maxRedemptions: 100, maxPerCustomer: 1 })
  const live = new Map<string, number>()
  const outcomes = new Map<RedemptionOutcome, number>()
  let isOver = false
  let looks = 0
  const watch = async () => {
    for (; !isOver; looks++) {
      const { total, byCustomer } = await promo.counters()
      assert.ok(total <= 100, `${total} live`)
      assert.equal(sum(byCustomer.values()), total)
      assert.ok([...byCustomer.values()].every((redemptions) => redemptions === 1))
    }
  }
  const race = inParallel(2_000, async (index) => {
    const customer = `customer${(index * 7) % 150}`
    if (index % 20 === 0) return promo.redeemInVain(customer)
    const outcome = await promo.redeem(customer)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    if (outcome === 'REDEEMED') live.set(customer, (live.get(customer) ?? 0) + 1)
    if (live.size > 0 && index % 3 === 0) {
      const [leaver = ''] = [...live.keys()].slice(index % live.size)
      live.delete(leaver) // before it is given back: from then on somebody else may have it
      assert.equal(await promo.release(leaver), true)
    }
  }).finally(() => {
    isOver = true
  })
  await Promise.all([race, watch()])

  assert.ok(looks > 20, `looked ${looks} times`)
  assert.deepEqual([...outcomes.keys()].sort(), ['CUSTOMER_EXHAUSTED', 'EXHAUSTED', 'REDEEMED'])
  const { total, byCustomer } = await promo.counters()
  assert.deepEqual(byCustomer, live)
  assert.equal(total, live.size)
  assert.equal((await promo.admin.get(promo.path)).body.redemptions, live.size)
})

test('without anybody giving back, exactly as many redeem as may', async () => {
  const promo = await makePromo({ maxRedemptions: 100, maxPerCustomer: 1 })
  let redeemed = 0
  await inParallel(2_000, async (index) => {
    if ((await promo.redeem(`customer${index % 400}`)) === 'REDEEMED') redeemed++
  })
  const { total, byCustomer } = await promo.counters()
  assert.deepEqual([redeemed, total, byCustomer.size], [100, 100, 100])
})

test('of many redemptions by one new customer at once, as many as may succeed', async () => {
  for (let round = 0; round < 25; round++) {
    const promo = await makePromo({ maxPerCustomer: 2 })
    const outcomes = await Promise.all(Array.from({ length: CONNECTIONS }, () => promo.redeem('ada')))
    assert.equal(outcomes.filter((outcome) => outcome === 'REDEEMED').length, 2, outcomes.join())
    assert.deepEqual(await promo.counters(), { total: 2, byCustomer: new Map([['ada', 2]]) })
  }
})

test('edits of a code in use lose no redemption, and no redemption loses an edit', async () => {
  const promo = await makePromo()
  await inParallel(320, async (index) => {
    if (index % 8 > 0) return promo.redeem(index % 2 ? 'ada' : undefined)
    const { status, text } = await promo.admin.put(promo.path, { minSubtotal: index })
    assert.equal(status, 200, text)
  })
  const { total, byCustomer } = await promo.counters()
  assert.deepEqual([total, byCustomer.get('ada')], [280, 160])
  const etag = (await promo.admin.get(promo.path)).headers.get('etag')
  assert.equal(etag, '"41.280"')
})

test('a code that is deleted while it is redeemed counts those who were faster, and no others', async () => {
  for (let round = 0; round < 10; round++) {
    const promo = await makePromo()
    const [deleted, ...outcomes] = await Promise.all([
      promo.admin.delete(promo.path),
      ...Array.from({ length: CONNECTIONS }, (_, index) => promo.redeem(`customer${index % 4}`)),
    ])
    assert.equal(deleted.status, 200, deleted.text)
    const redeemed = outcomes.filter((outcome) => outcome === 'REDEEMED').length
    assert.equal(redeemed + outcomes.filter((outcome) => outcome === 'GONE').length, CONNECTIONS)
    assert.equal((await promo.counters()).total, redeemed)
  }
})

/** The rules, without a database. */
function createModel() {
  const model = {
    total: 0,
    byCustomer: new Map<string, number>(),
    maxRedemptions: null as number | null,
    maxPerCustomer: null as number | null,
    isDeleted: false,
    redeem(customer?: string): RedemptionOutcome {
      const own = customer === undefined ? 0 : (model.byCustomer.get(customer) ?? 0)
      if (model.isDeleted) return 'GONE'
      if (model.maxPerCustomer !== null && customer === undefined) return 'NEEDS_CUSTOMER'
      if (model.maxRedemptions !== null && model.total >= model.maxRedemptions) return 'EXHAUSTED'
      if (model.maxPerCustomer !== null && own >= model.maxPerCustomer) return 'CUSTOMER_EXHAUSTED'
      model.total++
      if (customer !== undefined) model.byCustomer.set(customer, own + 1)
      return 'REDEEMED'
    },
    release(customer?: string): boolean {
      const own = customer === undefined ? 1 : (model.byCustomer.get(customer) ?? 0)
      if (model.total === 0 || own === 0) return false
      model.total--
      if (customer !== undefined && own === 1) model.byCustomer.delete(customer)
      if (customer !== undefined && own > 1) model.byCustomer.set(customer, own - 1)
      return true
    },
  }
  return model
}

const customer = fc.constantFrom('ada', 'bo', undefined)
const limit = fc.constantFrom(null, 1, 2, 3, 5)
const step = fc.oneof(
  { weight: 10, arbitrary: fc.record({ verb: fc.constant('redeem' as const), customer }) },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('release' as const), customer }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('redeemInVain' as const), customer }) },
  {
    weight: 1,
    arbitrary: fc.record({ verb: fc.constant('limit' as const), maxRedemptions: limit, maxPerCustomer: limit }),
  },
)
const steps = fc.array(
  fc.oneof({ weight: 60, arbitrary: step }, { weight: 1, arbitrary: fc.constant({ verb: 'delete' as const }) }),
  { minLength: 1, maxLength: 40 },
)

test('whatever happens to a code, in whatever order, it answers and counts by the rules', async () => {
  await fc.assert(
    fc.asyncProperty(limit, limit, steps, async (maxRedemptions, maxPerCustomer, steps) => {
      const promo = await makePromo({ maxRedemptions, maxPerCustomer })
      const model = Object.assign(createModel(), { maxRedemptions, maxPerCustomer })
      for (const step of steps) {
        if (step.verb === 'redeem') assert.equal(await promo.redeem(step.customer), model.redeem(step.customer))
        if (step.verb === 'release') assert.equal(await promo.release(step.customer), model.release(step.customer))
        if (step.verb === 'redeemInVain') await promo.redeemInVain(step.customer)
        if (step.verb === 'limit') {
          const limits = { maxRedemptions: step.maxRedemptions, maxPerCustomer: step.maxPerCustomer }
          const { status } = await promo.admin.put(promo.path, limits)
          assert.equal(status, model.isDeleted ? 404 : 200)
          if (!model.isDeleted) Object.assign(model, limits)
        }
        if (step.verb === 'delete') {
          const { status } = await promo.admin.delete(promo.path)
          assert.equal(status, model.isDeleted ? 404 : 200)
          model.isDeleted = true
        }
        const { total, byCustomer } = await promo.counters()
        assert.equal(total, model.total)
        assert.deepEqual(byCustomer, model.byCustomer)
      }
    }),
    { numRuns: 60 },
  )
})
