import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { offsetMs } from '#vocabulary/time-zones.ts'
import { assertError } from '../../support/assert-error.ts'
import { openReports } from '../../support/reports.ts'
import { market } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const open = (timeZone?: string) => openReports(used.api, used.make, timeZone)
const seconds = (at: string) => Date.parse(at) / 1_000

test('a business that changes its time zone sees its old orders in the new days', async () => {
  const shop = await open('America/St_Johns')
  const ada = await used.make.user()
  await shop.sellAt(ada.id, '2026-01-10T03:29:59Z')
  await shop.sellAt(ada.id, '2026-01-10T03:30:00Z')
  await shop.follow()
  const range = { from: seconds('2026-01-08T00:00:00Z'), to: seconds('2026-01-12T00:00:00Z') }
  const days = async () =>
    (await shop.report('sales', range)).items.map(({ from, orders }: Record<string, number>) => [
      new Date((from as number) * 1_000).toISOString(),
      orders,
    ])
  assert.deepEqual(await days(), [
    ['2026-01-09T03:30:00.000Z', 1],
    ['2026-01-10T03:30:00.000Z', 1],
  ])
  await shop.configure({ timeZone: 'Asia/Kolkata' })
  assert.deepEqual(await days(), [['2026-01-09T18:30:00.000Z', 2]])
  for (const name of ['products', 'customers'])
    assert.deepEqual(
      (await shop.report(name, range)).items.reduce((sum: number, row: { orders: number }) => sum + row.orders, 0),
      2,
      name,
    )
})

test('an offset is that of the moment, also on a day in which the clocks change', () => {
  const hours = (timeZone: string, at: string) => offsetMs(timeZone, Date.parse(at)) / 3_600_000
  for (let again = 0; again < 2; again++) {
    assert.equal(hours('Europe/Berlin', '2026-03-29T00:59:59Z'), 1)
    assert.equal(hours('Europe/Berlin', '2026-03-29T01:00:00Z'), 2)
    assert.equal(hours('Europe/Berlin', '2026-03-28T12:00:00Z'), 1)
    assert.equal(hours('Europe/Berlin', '2026-03-30T12:00:00Z'), 2)
    assert.equal(hours('Australia/Lord_Howe', '2026-04-04T14:59:59Z'), 11)
    assert.equal(hours('Australia/Lord_Howe', '2026-04-04T15:00:00Z'), 10.5)
    assert.equal(hours('UTC', '2026-04-04T15:00:00Z'), 0)
  }
})

test('odd times are refused, and extreme ones are answered', async () => {
  const shop = await open('Pacific/Chatham')
  const names = ['sales', 'customers', 'products', 'promo-codes', 'subscribers']
  const odd = [
    'from=-1',
    'from=1.5',
    'from=today',
    'to=253402300800',
    'from=2&to=2',
    'to=0',
    'from=0&to=1740000000',
    'compare=next',
  ]
  const extreme = [
    'from=0&to=1',
    'from=0&to=1&compare=previous',
    'from=253402300798&to=253402300799&compare=previous',
    'to=1',
  ]
  for (const name of names) {
    const ask = (query: string) => shop.admin.get(`${shop.base}/reports/${name}?${query}`)
    for (const query of odd) assertError(await ask(query), 422, 'VALIDATION_FAILED')
    for (const query of extreme) {
      const { status, text, body } = await ask(query)
      assert.equal(status, 200, `${name} ${query} ${text}`)
      assert.deepEqual(body.items, [])
    }
  }
})

test('currencies are never added to one another, whatever their decimals', async () => {
  const shop = await open()
  const markets = ['USD', 'JPY', 'KWD'].map((currency) =>
    market({ id: currency.toLowerCase(), currency, name: currency }),
  )
  await shop.configure({ markets: [...markets, market({ id: 'us' })] })
  const ada = await used.make.user()
  for (const { id } of markets) await shop.sellAt(ada.id, '2026-03-02T10:00:00Z', { market: id })
  await shop.follow()
  const range = { from: seconds('2026-03-02T00:00:00Z'), to: seconds('2026-03-03T00:00:00Z') }
  for (const name of ['sales', 'products']) {
    const { items } = await shop.report(name, range)
    assert.deepEqual(
      items.map((row: Record<string, unknown>) => [row.market, row.currency, row.total]).sort(),
      [
        ['jpy', 'JPY', 1_000],
        ['kwd', 'KWD', 1_000],
        ['usd', 'USD', 1_000],
      ],
      name,
    )
    for (const row of items) assert.equal((await shop.listed(row.orderQuery)).length, 1)
  }
  assert.equal((await shop.report('sales', { ...range, currency: 'JPY' })).items.length, 1)
})

test('an answer of more figures than can be carried is refused, and one market of it is answered', async () => {
  const shop = await open()
  await sql`
    insert into reports.sums (business_id, kind, grain, at, subject, market, currency, orders, units, subtotal, discount, shipping,
                              tax, total, refunded)
    select ${shop.id}, 'SALES', 4, at * 4, 0, 'm' || n, 'USD', 1, 1, 1, 0, 0, 0, 1, 0
      from generate_series(400000, 400799) as at, generate_series(1, 26) as n`.execute(shop.db)
  const query = `from=${400_000 * 3_600}&to=${400_800 * 3_600}&interval=hour`
  const ask = (more: string) => shop.admin.get(`${shop.base}/reports/sales?${query}${more}`)
  assertError(await ask(''), 422, 'VALIDATION_FAILED')
  const one = await ask('&market=m7')
  assert.equal(one.status, 200, one.text)
  assert.equal(one.body.items.length, 800)
})

test('each report needs its permission', async () => {
  const shop = await open()
  const needs: [string, 'ORDERS_READ' | 'SUBSCRIBERS_READ'][] = [
    ['sales', 'ORDERS_READ'],
    ['customers', 'ORDERS_READ'],
    ['products', 'ORDERS_READ'],
    ['promo-codes', 'ORDERS_READ'],
    ['subscribers', 'SUBSCRIBERS_READ'],
  ]
  const orders = await used.make.member(shop.id, 'ORDERS_READ')
  const readers = await used.make.member(shop.id, 'SUBSCRIBERS_READ')
  const stranger = await used.make.user()
  for (const [name, permission] of needs) {
    const path = `${shop.base}/reports/${name}`
    assert.equal((await orders.get(path)).status, permission === 'ORDERS_READ' ? 200 : 403, name)
    assert.equal((await readers.get(path)).status, permission === 'SUBSCRIBERS_READ' ? 200 : 403, name)
    assertError(await stranger.get(path), 403, 'FORBIDDEN')
  }
  assert.equal((await orders.get(`${shop.base}/reports/home`)).status, 200)
  assertError(await stranger.get(`${shop.base}/reports/home`), 403, 'FORBIDDEN')
})
