import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { indexOrders } from '#modules/orders/index.ts'
import type { Db } from '#platform/database/database.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { refusal } from '../../support/refusal.ts'
import { item, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })
const silent = pino({ level: 'silent' })

type Order = { id: string; number: string; total: number; createdAt: number; updatedAt: number }
type Page = { items: Order[]; cursor: string | null }
type Query = Record<string, string | number | readonly string[] | undefined>

const search = (query: Query) => {
  const words = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : value === undefined ? [] : [value]) words.append(name, String(one))
  return words.toString()
}
/** What the worker does all the time, once, now. */
async function index(db: Db) {
  await sequenceEvents(db, ['order'])
  await indexOrders(db, silent)
}

async function open() {
  const shop = await openShop(used.make)
  const customer = await used.make.user()
  const goods = await shop.product({
    name: 'Harbour lantern',
    variants: [
      {
        id: 'one',
        sku: 'LAN-RED-2',
        pricing: { markets: [{ marketId: 'us', price: 1_000 }] },
        inventory: { tracked: false },
      },
    ],
  })
  const other = await shop.priced(500, { tracked: false })
  const get = async (query: Query = {}) => {
    const answer = await shop.admin.get(`${shop.orders}?${search(query)}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body as Page
  }
  const idsOf = async (query: Query) => (await get(query)).items.map(({ id }) => id)
  const readAll = async (query: Query, path = shop.orders) => {
    const seen: Order[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await shop.admin.get(`${path}?${search({ ...query, cursor })}`)
      assert.equal(answer.status, 200, answer.text)
      seen.push(...(answer.body as Page).items)
      cursor = answer.body.cursor
    }
    return seen
  }
  /** An order by hand, then with these columns. */
  const make = async (columns: Record<string, unknown> = {}, product = goods, quantity = 1) => {
    const unitPrice = product === goods ? 1_000 : 500
    const sum = unitPrice * quantity
    const answer = await shop.admin.post(shop.orders, {
      customerId: customer.id,
      market: 'us',
      lines: [{ ...item(product, quantity), unitPrice, totalPrice: sum }],
      subtotal: sum,
      tax: 0,
      shipping: 0,
      total: sum,
    })
    assert.equal(answer.status, 201, answer.text)
    const { id } = answer.body as Order
    for (const [column, value] of Object.entries(columns))
      await sql`update orders.orders set ${sql.ref(column)} = ${value} where business_id = ${shop.id} and id = ${id}`.execute(
        shop.db,
      )
    return id
  }
  return { ...shop, customer, goods, other, get, idsOf, readAll, make, index: () => index(shop.db) }
}

test('each filter finds what has its value, several values find any of them, and filters narrow each other', async () => {
  const { make, idsOf, index, goods, other, customer } = await open()
  const one = await make({ status: 'SHIPPED', payment_status: 'PAID', tags: ['gift', 'VIP'] })
  const two = await make(
    { payment_status: 'REFUNDED', fulfillment: 'PARTIALLY_FULFILLED', promo_code: 'SUMMER' },
    other,
  )
  const three = await make({ market: 'de', payment_status: 'FAILED', tags: ['gift'] }, goods, 3)
  await index()
  const cases: [Query, string[]][] = [
    [{}, [three, two, one]],
    [{ id: one }, [one]],
    [{ id: [one, three, one, 'ord_none'] }, [three, one]],
    [{ id: [one, three], sort: 'createdAt' }, [one, three]],
    [{ id: [one, three], sort: '-total' }, [three, one]],
    [{ id: [one, two], paymentStatus: 'REFUNDED' }, [two]],
    [{ id: [one, three], query: 'lantern' }, [three, one]],
    [{ id: 'ord_none' }, []],
    [{ status: 'SHIPPED' }, [one]],
    [{ status: ['SHIPPED', 'PENDING'] }, [three, two, one]],
    [{ status: ['CANCELLED', 'REFUNDED'] }, []],
    [{ paymentStatus: 'PAID' }, [one]],
    [{ paymentStatus: ['FAILED', 'REFUNDED'] }, [three, two]],
    [{ paymentStatus: ['FAILED', 'PAID'] }, [three, one]],
    [{ fulfillment: 'FULFILLED' }, [one]],
    [{ fulfillment: 'PARTIALLY_FULFILLED' }, [two]],
    [{ fulfillment: ['UNFULFILLED', 'PARTIALLY_FULFILLED'] }, [three, two]],
    [{ market: 'de' }, [three]],
    [{ market: ['de', 'us'] }, [three, two, one]],
    [{ tag: 'gift' }, [three, one]],
    [{ tag: ['VIP', 'nothing'] }, [one]],
    [{ tag: 'vip' }, []],
    [{ promoCode: 'summer' }, [two]],
    [{ promoCode: ['SUMMER', 'WINTER'] }, [two]],
    [{ productId: goods.id }, [three, one]],
    [{ productId: [goods.id, other.id] }, [three, two, one]],
    [{ productId: 'prod_none' }, []],
    [{ customerId: customer.id }, [three, two, one]],
    [{ customerId: [customer.id, 'usr_nobody'] }, [three, two, one]],
    [{ customerId: [customer.id, customer.id] }, [three, two, one]],
    [{ totalFrom: 1_000 }, [three, one]],
    [{ totalFrom: 500, totalTo: 1_000 }, [two, one]],
    [{ totalTo: 499 }, []],
    [{ tag: 'gift', productId: goods.id, market: 'us' }, [one]],
    [{ tag: 'gift', status: 'PENDING', totalFrom: 3_000 }, [three]],
    [{ productId: goods.id, paymentStatus: 'FAILED', sort: 'total' }, [three]],
  ]
  for (const [query, expected] of cases) assert.deepEqual(await idsOf(query), expected, JSON.stringify(query))
})

test('orders are found by the time they were made, from then, and before then', async () => {
  const { make, idsOf, index } = await open()
  const at = (day: number) => new Date(Date.UTC(2026, 0, day))
  const seconds = (day: number) => at(day).getTime() / 1000
  const [one, two, three] = [
    await make({ created_at: at(1) }),
    await make({ created_at: at(2) }),
    await make({ created_at: at(3) }),
  ]
  for (const prepare of [async () => {}, index]) {
    await prepare()
    assert.deepEqual(await idsOf({ createdFrom: seconds(2) }), [three, two])
    assert.deepEqual(await idsOf({ createdTo: seconds(2) }), [one])
    assert.deepEqual(await idsOf({ createdFrom: seconds(2), createdTo: seconds(3) }), [two])
    assert.deepEqual(await idsOf({ createdFrom: seconds(4) }), [])
    assert.deepEqual(await idsOf({ createdFrom: seconds(3), createdTo: seconds(2) }), [])
  }
  assert.deepEqual(await idsOf({ createdFrom: seconds(2), createdTo: seconds(3), sort: '-total' }), [two])
})

test('each sort has its order, and whoever pages through equal totals sees each order once', async () => {
  const { make, readAll, index } = await open()
  const made: string[] = []
  for (let n = 0; n < 13; n++) made.push(await make({}, undefined, 1 + (n % 3)))
  await index()
  const expected = {
    '-createdAt': made.toReversed(),
    createdAt: made,
  }
  for (const [sort, ids] of Object.entries(expected))
    for (const limit of [1, 4, 100])
      assert.deepEqual(
        (await readAll({ sort, limit })).map(({ id }) => id),
        ids,
        sort,
      )
  const compare = {
    total: (a: Order, b: Order) => a.total - b.total || (a.id < b.id ? -1 : 1),
    '-total': (a: Order, b: Order) => b.total - a.total || (a.id > b.id ? -1 : 1),
    '-updatedAt': (a: Order, b: Order) => b.updatedAt - a.updatedAt,
  }
  for (const [sort, by] of Object.entries(compare)) {
    for (const query of [{}, { status: 'PENDING' }, { market: 'us' }])
      for (const limit of [1, 5, 100]) {
        const seen = await readAll({ sort, limit, ...query })
        assert.deepEqual(seen.map(({ id }) => id).sort(), made.toSorted(), `${sort} ${limit}`)
        assert.deepEqual(seen, seen.toSorted(by), `${sort} ${limit}`)
      }
  }
})

test('sorted by the last change, an order comes first once it has changed', async () => {
  const { make, idsOf, index, admin, orders } = await open()
  const [one, two] = [await make(), await make()]
  await index()
  assert.deepEqual(await idsOf({ sort: '-updatedAt' }), [two, one])
  await admin.put(`${orders}/${one}/status`, { status: 'SHIPPED' })
  await index()
  assert.deepEqual(await idsOf({ sort: '-updatedAt' }), [one, two])
})

test('the beginning of a number finds the order at once, with or without the hyphen, in any case', async () => {
  const { make, idsOf } = await open()
  const one = await make({ number: 'K7Q2-M9X3' })
  const two = await make({ number: 'K7Q4-AAAA' })
  for (const query of ['K7Q2-M9X3', 'k7q2m9x3', 'K7Q2-', 'k7q2', 'K7Q2-m', ' K7Q2 '])
    assert.deepEqual(await idsOf({ query }), [one], query)
  assert.deepEqual(await idsOf({ query: 'k7' }), [two, one])
  assert.deepEqual(await idsOf({ query: '7Q2' }), [])
})

test('the beginning of an email address finds the order at once; % and _ are letters like any other', async () => {
  const { make, idsOf } = await open()
  const one = await make({ contact_email: 'Ada_100%@example.com' })
  const two = await make({ contact_email: 'adam@example.com' })
  for (const query of ['ada_', 'ADA_100%', 'ada_100%@example.com'])
    assert.deepEqual(await idsOf({ query }), [one], query)
  assert.deepEqual(await idsOf({ query: 'ada' }), [two, one])
  for (const query of ['%', '_', 'äda', 'adа', '%@example.com', '100%', 'example.com'])
    assert.deepEqual(await idsOf({ query }), [], query)
})

test('words of names, companies, cities, goods, SKUs and telephone numbers find the order once the worker has been there', async () => {
  const { make, idsOf, index, other, admin, orders, id, db } = await open()
  const address = {
    name: 'Zoë Müller-Lüdenscheidt',
    company: 'Kontor & Söhne',
    city: 'Åarhus',
    country: 'DK',
    phone: '+45 (20) 12 34 56',
  }
  const one = await make({ shipping_address: JSON.stringify(address), phone: '+49 40 123-456' })
  const two = await make({ blocks: JSON.stringify([{ id: 'name', type: 'TEXT', value: 'Bo 山田太郎' }]) }, other)
  assert.deepEqual(await idsOf({ query: 'zoe' }), [])
  await index()
  const finds = async (expected: string[], ...texts: string[]) => {
    for (const query of texts) assert.deepEqual(await idsOf({ query }), expected, query)
  }
  await finds([one], 'zoe', 'ZOË', 'mul', 'zoe mull', 'ludenscheidt zoe', 'söhne', 'aarhus')
  await finds([one], 'LAN-RED-2', 'lanred2', 'lantern', 'harbour lant', 'red')
  await finds([one], '+49 40 123-456', '4940123456', '+45 20123456')
  await finds([two], 'bo', '山田', '山田太郎')
  await finds([], 'zoe bo', 'mull zoe', '!!', "' | 'nobody & zoe", 'zoe & !bo')
  await sql`update orders.orders set blocks = '[]' where business_id = ${id} and id = ${two}`.execute(db)
  await admin.put(`${orders}/${two}/status`, { status: 'SHIPPED' })
  await index()
  await finds([], 'bo', '山田')
})

test('texts that look like SQL or like a query are only texts', async () => {
  const { make, idsOf, index, admin, orders } = await open()
  const tag = '\'; drop table orders.orders; -- \\ " {a,b}'
  const one = await make({ tags: [tag] })
  await index()
  assert.deepEqual(await idsOf({ tag }), [one])
  for (const query of [
    "' or '1'='1",
    "a' & 'b",
    '\\',
    "''",
    ':*',
    '(',
    '!',
    'a:*',
    "lantern':*",
    '\u{10FFFF}',
    '\u{1F600}',
  ])
    assert.ok(Array.isArray(await idsOf({ query })), query)
  for (const parameter of ['query', 'tag', 'promoCode'])
    assert.match(refusal(await admin.get(`${orders}?${parameter}=a%00b`)), /^4\d\d /, parameter)
  assert.deepEqual(await idsOf({ tag: ['{gift}', 'a,b', "' or true"] }), [])
})

test('without ORDERS_READ, only status and customer can be asked for, and only own orders are found', async () => {
  const { make, orders, customer, goods } = await open()
  const one = await make()
  const refused: Query[] = [
    { id: one },
    { paymentStatus: 'PAID' },
    { fulfillment: 'FULFILLED' },
    { market: 'us' },
    { tag: 'a' },
    { promoCode: 'A' },
    { productId: goods.id },
    { createdFrom: 1 },
    { createdTo: 1 },
    { totalFrom: 0 },
    { totalTo: 1 },
    { query: 'a' },
  ]
  for (const query of refused)
    assert.match(refusal(await customer.get(`${orders}?${search(query)}`)), /^403 FORBIDDEN/, JSON.stringify(query))
  for (const query of [{}, { status: 'PENDING' }, { sort: 'total' }, { sort: '-updatedAt', customerId: customer.id }]) {
    const answer = await customer.get(`${orders}?${search(query)}`)
    assert.deepEqual(
      answer.body.items.map(({ id }: Order) => id),
      [one],
      JSON.stringify(query),
    )
  }
  const stranger = await used.make.user()
  assert.deepEqual((await stranger.get(`${orders}?customerId=${customer.id}&sort=total`)).body.items, [])
  for (const path of ['counts?by=status', 'export'])
    assert.match(refusal(await customer.get(`${orders}/${path}`)), /^403 FORBIDDEN/)
})

test('wrong parameters are refused by their name, and a cursor belongs to its filters and its sort', async () => {
  const { make, admin, orders, get, index } = await open()
  for (let n = 0; n < 3; n++) await make()
  await index()
  const refuses = async (query: Query | string, pattern: RegExp) =>
    assert.match(refusal(await admin.get(`${orders}?${typeof query === 'string' ? query : search(query)}`)), pattern)
  await refuses({ status: ['PENDING', 'PAID'] }, /^422 VALIDATION_FAILED status INVALID/)
  await refuses({ sort: 'number' }, /^422 VALIDATION_FAILED sort/)
  await refuses({ totalFrom: -1 }, /^422 VALIDATION_FAILED totalFrom/)
  await refuses({ createdFrom: 'yesterday' }, /^422 VALIDATION_FAILED createdFrom/)
  await refuses({ market: Array.from({ length: 21 }, (_, n) => `m${n}`) }, /^422 VALIDATION_FAILED market/)
  await refuses({ id: Array.from({ length: 101 }, (_, n) => `ord_${n}`) }, /^422 VALIDATION_FAILED id/)
  await refuses({ tag: 'x'.repeat(51) }, /^422 VALIDATION_FAILED tag/)
  await refuses('by=status', /^422 .*UNKNOWN_PARAMETER/)
  const { cursor } = await get({ limit: 1, market: 'us' })
  assert.ok(cursor)
  for (const query of [
    { market: ['us', 'de'] },
    { market: 'de' },
    { sort: 'total', market: 'us' },
    { query: 'a', market: 'us' },
    {},
  ])
    await refuses({ ...query, cursor }, /^422 VALIDATION_FAILED cursor/)
  const forged = (sort: string, key: number, print: string) =>
    search({ sort, cursor: Buffer.from(JSON.stringify([print, key, 'ord_x'])).toString('base64url') })
  for (const sort of ['-updatedAt', 'total']) {
    const { cursor: real } = await get({ limit: 1, sort, market: 'us' })
    const [print] = JSON.parse(Buffer.from(real ?? '', 'base64url').toString())
    for (const key of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0]) {
      const answer = await admin.get(`${orders}?market=us&${forged(sort, key, print)}`)
      assert.equal(answer.status, 200, answer.text)
    }
  }
})

test('counts are of those that match', async () => {
  const { make, index, admin, orders, goods } = await open()
  const shipped = await make({ status: 'SHIPPED', tags: ['gift', 'vip'] })
  await make({ tags: ['gift'], market: 'de' })
  await make({ payment_status: 'PAID' })
  await index()
  const counts = async (query: Query) => {
    const answer = await admin.get(`${orders}/counts?${search(query)}`)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.isExact, true)
    return Object.fromEntries(
      answer.body.items.map(({ value, count }: { value: string; count: number }) => [value, count]),
    )
  }
  assert.deepEqual(await counts({ by: 'status' }), { PENDING: 2, SHIPPED: 1 })
  assert.deepEqual(await counts({ by: 'paymentStatus' }), { PENDING: 2, PAID: 1 })
  assert.deepEqual(await counts({ by: 'fulfillment' }), { UNFULFILLED: 2, FULFILLED: 1 })
  assert.deepEqual(await counts({ by: 'market' }), { us: 2, de: 1 })
  assert.deepEqual(await counts({ by: 'tag' }), { gift: 2, vip: 1 })
  assert.deepEqual(await counts({ by: 'tag', market: 'de', productId: goods.id }), { gift: 1 })
  assert.deepEqual(await counts({ by: 'tag', query: 'nobody' }), {})
  assert.deepEqual(await counts({ by: 'status', id: [shipped, 'ord_none'] }), { SHIPPED: 1 })
  assert.match(refusal(await admin.get(`${orders}/counts`)), /^422 VALIDATION_FAILED by/)
})

test('another business finds nothing of it', async () => {
  const [mine, others] = [await open(), await open()]
  const id = await mine.make({ tags: ['gift'], contact_email: 'ada@example.com' })
  await mine.index()
  for (const query of [
    { id },
    { tag: 'gift' },
    { query: 'ada' },
    { query: 'lantern' },
    { productId: mine.goods.id },
    { sort: 'total' },
  ])
    assert.deepEqual(await others.idsOf(query), [], JSON.stringify(query))
})

test('search indexes the first 100 words of a name', async () => {
  const { db, idsOf, make } = await open()
  const name = Array.from({ length: 101 }, (_, index) => `word${index}`).join(' ')
  const id = await make({ blocks: JSON.stringify([{ id: 'name', type: 'TEXT', value: name }]) })
  await index(db)
  assert.deepEqual(await idsOf({ query: 'word99' }), [id])
  assert.deepEqual(await idsOf({ query: 'word100' }), [])
})

test('orders with many words are indexed a few at a time', async () => {
  const { db, id: businessId, make } = await open()
  const name = (line: number) => Array.from({ length: 100 }, (_, word) => `w${line}x${word}`).join(' ')
  const lines = JSON.stringify(
    Array.from({ length: 10 }, (_, line) => ({ productId: 'prod_x', variantId: 'one', sku: '', name: name(line) })),
  )
  const made = await Promise.all(Array.from({ length: 25 }, () => make({ lines })))
  await index(db)
  const { rows } = await sql<{ orders: number }>`
    select count(*) as orders from orders.search where business_id = ${businessId} group by xmin::text`.execute(db)
  assert.equal(
    rows.reduce((sum, { orders }) => sum + orders, 0),
    made.length,
  )
  for (const { orders } of rows) assert.ok(orders <= 10, `${orders} orders of a thousand words in one transaction`)
})
