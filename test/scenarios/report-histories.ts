import assert from 'node:assert/strict'
import { sql } from 'kysely'
import pino from 'pino'
import { check, invariants } from '#apps/verify.ts'
import { mergeCustomers } from '#modules/customers/index.ts'
import { followReports, rebuildReports } from '#modules/reports/index.ts'
import { readProducts, readPromoCodes } from '#modules/reports/read-parts.ts'
import { readCustomers, readSales } from '#modules/reports/read-sales.ts'
import { INTERVALS, type Interval, type SalesRow } from '#modules/reports/schemas.ts'
import type { Db } from '#platform/database/database.ts'
import { useFaults } from '#platform/faults.ts'
import { spread } from '#vocabulary/money.ts'

// Random lives of a few orders around clock changes, with events that come twice or late and a worker that loses its connection
// anywhere; then every report is compared with sums over the orders as they are.

const silent = pino({ level: 'silent' })

/** Clock changes of these zones: by whole and half hours, at midnight, just after it; a day that was left out. */
const PLACES: [timeZone: string, around: string[]][] = [
  ['UTC', ['2026-01-01T00:00:00Z']],
  ['Europe/Berlin', ['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z']],
  ['America/New_York', ['2026-03-08T07:00:00Z', '2026-11-01T06:00:00Z']],
  ['America/Havana', ['2026-03-08T05:00:00Z', '2026-11-01T05:00:00Z']],
  ['Africa/Cairo', ['2026-04-23T22:00:00Z', '2026-10-29T21:00:00Z']],
  ['America/St_Johns', ['2026-03-08T05:30:00Z', '2026-11-01T04:30:00Z']],
  ['Australia/Lord_Howe', ['2026-04-04T15:00:00Z', '2026-10-03T15:30:00Z']],
  ['Pacific/Chatham', ['2026-04-04T14:00:00Z', '2026-09-26T14:00:00Z']],
  ['Pacific/Apia', ['2011-12-30T10:00:00Z']],
  ['Asia/Kolkata', ['2026-02-28T18:30:00Z']],
  ['Asia/Kathmandu', ['2026-02-28T18:15:00Z']],
]

export type Random = (below: number) => number

/** Always the same numbers for a seed. */
export function randomOf(seed: number): Random {
  let state = (seed * 2_654_435_761 + 1) >>> 0
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0
    const mixed = Math.imul(state ^ (state >>> 13), 3_266_489_917) >>> 0
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below
  }
}

const oneOf = <Value>(random: Random, values: readonly Value[]) => values[random(values.length)] as Value

type Order = {
  id: string
  customerId: string
  market: string
  currency: string
  promoCode: string | null
  paymentStatus: string
  createdAt: Date
  lines: Line[]
  subtotal: number
  discount: number
  shipping: number
  tax: number
  taxIncluded: number
  total: number
  refundedAmount: number
}
type Line = {
  productId: string
  variantId: string
  quantity: number
  totalPrice: number
  discount: number
  tax: number
}

const PAID = ['PAID', 'PARTIALLY_REFUNDED', 'REFUNDED']
const DAY_MS = 86_400_000

async function addOrder(db: Db, random: Random, businessId: string, n: number, around: number): Promise<string> {
  const id = `ord_${String(n).padStart(6, '0')}`
  const reach = oneOf(random, [2, 40, 1_500]) * 3_600
  const createdAt = new Date(around + (random(2 * reach) - reach) * 1_000)
  const lines = Array.from({ length: 1 + random(3) }, (_, index) => {
    const [quantity, unitPrice] = [1 + random(3), random(5_000)]
    return {
      id: String(index + 1),
      type: 'PRODUCT_VARIANT',
      productId: `prod_${random(3)}`,
      variantId: oneOf(random, ['a', 'b']),
      quantity,
      unitPrice,
      totalPrice: quantity * unitPrice,
      taxClass: 'standard',
      taxBps: null,
      name: `Thing ${random(2)}`,
      sku: '',
      taken: 0,
    }
  })
  const subtotal = lines.reduce((sum, { totalPrice }) => sum + totalPrice, 0)
  const [discount, shipping] = [subtotal === 0 ? 0 : random(subtotal), random(2) * random(900)]
  const [tax, taxIncluded] = oneOf(random, [
    [0, 0],
    [random(1_000), 0],
    [0, random(1_000)],
  ])
  const discounts = spread(
    BigInt(discount),
    lines.map(({ totalPrice }) => BigInt(totalPrice)),
  ).map(Number)
  const left = lines.map(({ totalPrice }, index) => BigInt(totalPrice - (discounts[index] as number)))
  const taxes = spread(BigInt(tax + taxIncluded), [...left, BigInt(shipping)]).map(Number)
  const stored = lines.map((line, index) => ({ ...line, discount: discounts[index], tax: taxes[index] }))
  const shippingTax = tax + taxIncluded - taxes.slice(0, -1).reduce((sum, each) => sum + each, 0)
  const status = oneOf(random, ['PENDING', 'PAID', 'PAID', 'FAILED'])
  const history = JSON.stringify([{ id: 'one', status, timestamp: 0 }])
  await sql`
    insert into orders.orders (business_id, id, number, customer_id, market, currency, lines, subtotal, tax, tax_included, shipping,
                               shipping_tax, taxes, discount, total, promo_code, blocks, statuses, status, payment_statuses,
                               payment_status, trace, created_at, updated_at)
    values (${businessId}, ${id}, ${id}, ${`usr_${random(3)}`}, ${oneOf(random, ['us', 'de'])}, ${oneOf(random, ['USD', 'EUR'])},
            ${JSON.stringify(stored)}, ${subtotal}, ${tax}, ${taxIncluded}, ${shipping}, ${shippingTax}, '{}',
            ${discount}, ${subtotal + tax + shipping - discount}, ${oneOf(random, [null, null, 'SUMMER', 'FRIEND'])}, '[]', '[]',
            'PROCESSING', ${history}, ${status}, null, ${createdAt}, now())`.execute(db)
  return id
}

/** A payment, a refund of an amount or of lines, another customer, another market. */
async function changeOrder(db: Db, random: Random, businessId: string, id: string): Promise<void> {
  const where = sql`where business_id = ${businessId} and id = ${id}`
  const what = random(5)
  if (what === 0) {
    const status = oneOf(random, ['PENDING', 'PAID', 'FAILED', 'REFUNDED'])
    await sql`update orders.orders set payment_status = ${status}, version = version + 1 ${where}`.execute(db)
  } else if (what === 1) {
    await sql`update orders.orders set customer_id = ${`usr_${random(5)}`}, version = version + 1 ${where}`.execute(db)
  } else if (what === 2) {
    await sql`update orders.orders set market = ${oneOf(random, ['us', 'de'])}, version = version + 1 ${where}`.execute(
      db,
    )
  } else {
    const part = random(11)
    await sql`
      update orders.orders
         set refunded_amount = total * ${part} / 10, version = version + 1,
             payment_status = ${part === 0 ? 'PAID' : part === 10 ? 'REFUNDED' : 'PARTIALLY_REFUNDED'} ${where}`.execute(
      db,
    )
    await sql`delete from orders.refund_lines where business_id = ${businessId} and order_id = ${id}`.execute(db)
    if (what === 3)
      await sql`
        insert into orders.refund_lines (business_id, order_id, refund_id, position, line_id, quantity, amount, restocked)
        values (${businessId}, ${id}, 'ref_1', 0, '1', 1, ${random(500)}, false)`.execute(db)
  }
}

/** As an event of it would; the sequencer has its own tests. */
const tell = (db: Db, businessId: string, id: string) =>
  sql`insert into cell.followed (topic, business_id, subject) values ('reports-orders', ${businessId}, ${id})`.execute(
    db,
  )

/** Follows until the queue is empty, however often the connection is lost at any place. Returns how often that was. */
async function followThrough(db: Db, random: Random): Promise<number> {
  let lost = 0
  useFaults(() => {
    if (random(4) !== 0) return
    throw Object.assign(new Error('the connection is gone'), { code: 'ECONNRESET' })
  })
  try {
    for (;;) {
      try {
        await followReports(db, silent)
        return lost
      } catch (error) {
        if ((error as { code?: string }).code !== 'ECONNRESET') throw error
        lost++
      }
    }
  } finally {
    useFaults(undefined)
  }
}

/** Lives one history and compares. Returns what was looked at. */
export async function liveHistory(db: Db, seed: number): Promise<{ rows: number; lost: number }> {
  const random = randomOf(seed)
  const businessId = `biz_history${seed}`
  const [timeZone, changes] = oneOf(random, PLACES)
  const around = Date.parse(oneOf(random, changes))
  const ids: string[] = []
  const late: string[] = []
  let lost = 0
  for (let step = 0, steps = 8 + random(16); step < steps; step++) {
    const what = random(10)
    if (what < 5 || ids.length === 0) ids.push(await addOrder(db, random, businessId, ids.length, around))
    else if (what < 9) await changeOrder(db, random, businessId, oneOf(random, ids))
    else {
      const [guestId, userId] = oneOf(random, [
        ['usr_3', 'usr_0'],
        ['usr_4', 'usr_1'],
      ]) as [string, string]
      await mergeCustomers(db, { businessId, guestId, userId })
    }
    const changed = what < 5 ? (ids.at(-1) as string) : oneOf(random, ids)
    if (random(3) === 0) late.push(...ids)
    else for (const id of random(3) === 0 ? [changed, changed] : ids) await tell(db, businessId, id)
    if (random(4) === 0) lost += await followThrough(db, random)
  }
  for (const id of [...late, ...ids]) await tell(db, businessId, id)
  lost += await followThrough(db, random)
  const rows = await compareAll(db, random, { businessId, timeZone, around })
  if (seed % 5 === 0) await holds(db, businessId)
  if (seed % 3 === 0) await rebuildAlike(db, businessId)
  return { rows, lost }
}

const RULES = [...invariants.keys()].filter((rule) => /reports/.test(rule))

async function holds(db: Db, businessId: string): Promise<void> {
  for (const rule of RULES) assert.deepEqual((await check(db, rule, businessId)).violations, [], rule)
}

async function rebuildAlike(db: Db, businessId: string): Promise<void> {
  const read = async () => {
    const { rows: sums } = await sql`
      select * from reports.sums where business_id = ${businessId} order by kind, grain, at, subject, market, currency`.execute(
      db,
    )
    const { rows: orders } = await sql`
      select * from reports.orders where business_id = ${businessId} order by order_id`.execute(db)
    return { sums, orders }
  }
  const before = await read()
  await rebuildReports(db, businessId)
  assert.deepEqual(await read(), before, 'what was kept is what is made anew')
}

const ALIASES: Record<string, string> = { usr_3: 'usr_0', usr_4: 'usr_1' }

async function readOrders(db: Db, businessId: string): Promise<(Order & { isFirst: boolean })[]> {
  const { rows: aliases } = await sql<{ guestId: string }>`
    select guest_id from customers.aliases where business_id = ${businessId}`.execute(db)
  const merged = new Set(aliases.map(({ guestId }) => guestId))
  const { rows } = await sql<Order>`
    select id, customer_id, market, currency, promo_code, payment_status, created_at, lines, subtotal, discount, shipping, tax,
           tax_included, total, refunded_amount
      from orders.orders where business_id = ${businessId} order by created_at, id`.execute(db)
  const seen = new Set<string>()
  return rows
    .filter(({ paymentStatus }) => PAID.includes(paymentStatus))
    .map((order) => {
      const person = merged.has(order.customerId) ? (ALIASES[order.customerId] as string) : order.customerId
      const isFirst = !seen.has(person)
      seen.add(person)
      return { ...order, isFirst }
    })
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** What a wall calendar with a clock says: the oracle knows nothing of offsets. */
function labelOf(interval: Interval, timeZone: string, at: Date): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
    })
  formats.set(timeZone, format)
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  const day = `${part.year}-${part.month}-${part.day}`
  if (interval === 'hour') return `${day} ${part.hour}`
  if (interval === 'day') return day
  if (interval === 'month') return day.slice(0, 7)
  const date = new Date(`${day}T00:00:00Z`)
  return new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10)
}

const refundedOf = ({ paymentStatus, refundedAmount, total }: Order) =>
  paymentStatus === 'REFUNDED' && refundedAmount === 0 ? total : refundedAmount

function figuresOver(orders: readonly Order[]) {
  const sum = (pick: (order: Order) => number) => orders.reduce((whole, order) => whole + pick(order), 0)
  const [total, refunded] = [sum((order) => order.total), sum(refundedOf)]
  return {
    orders: orders.length,
    units: sum(({ lines }) => lines.reduce((units, { quantity }) => units + quantity, 0)),
    subtotal: sum(({ subtotal }) => subtotal),
    discount: sum(({ discount }) => discount),
    shipping: sum(({ shipping }) => shipping),
    tax: sum(({ tax, taxIncluded }) => tax + taxIncluded),
    total,
    refunded,
    net: total - refunded,
  }
}

type Row = Omit<SalesRow, 'previous'> & { previous?: Omit<SalesRow, 'market' | 'currency' | 'previous'> }

const isIn = ({ from, to }: { from: number; to: number }, { createdAt }: Order) =>
  createdAt.getTime() >= from * 1_000 && createdAt.getTime() < to * 1_000

/** A row and the one before say what the orders in them come to. Returns the orders. */
function sameFigures(row: Row, orders: readonly Order[], what: string): Order[] {
  const here = orders.filter(({ market, currency }) => market === row.market && currency === row.currency)
  const pick = ({ orderQuery: _query, from: _from, to: _to, ...rest }: NonNullable<Row['previous']>) => rest
  const { market: _market, currency: _currency, previous, ...rest } = row
  const within = here.filter((order) => isIn(row, order))
  const { orders: count, ...figures } = pick(rest)
  const shown = {
    orders: count,
    ...Object.fromEntries(Object.entries(figures).filter(([name]) => name in figuresOver([]))),
  }
  assert.deepEqual(shown, figuresOver(within), what)
  if (previous)
    assert.deepEqual(pick(previous), figuresOver(here.filter((order) => isIn(previous, order))), `${what}, before`)
  return within
}

type Place = { businessId: string; timeZone: string; around: number }

async function compareAll(db: Db, random: Random, { businessId, timeZone, around }: Place): Promise<number> {
  const orders = await readOrders(db, businessId)
  const asker = { businessId, timeZone, at: new Date(around) }
  let seen = 0
  for (const interval of INTERVALS) {
    const reach = { hour: 3, day: 70, week: 70, month: 90 }[interval]
    const [from, to] = [-reach, reach].map((days) => Math.floor((around + days * DAY_MS) / 1_000) + random(86_400))
    const query = {
      from: from as number,
      to: to as number,
      interval,
      ...(random(2) === 0 && { compare: 'previous' as const }),
    }
    const what = `${businessId} ${timeZone} ${interval}`
    const { items } = await readSales(db, asker, query)
    const labels = new Map<string, Set<number>>()
    for (const row of items) {
      const within = sameFigures(row, orders, what)
      if (within.length === 0) continue
      assert.equal(new Set(within.map(({ createdAt }) => labelOf(interval, timeZone, createdAt))).size, 1, what)
      const label = labelOf(interval, timeZone, new Date(row.from * 1_000))
      assert.equal(label, labelOf(interval, timeZone, within[0]?.createdAt as Date), what)
      labels.set(label, (labels.get(label) ?? new Set()).add(row.from))
    }
    // An hour comes twice when clocks are put back. Everything else is one interval.
    for (const [label, starts] of labels) assert.ok(starts.size <= (interval === 'hour' ? 2 : 1), `${what} ${label}`)
    const inTime = orders.filter(
      ({ createdAt }) => createdAt.getTime() >= query.from * 1_000 && createdAt.getTime() < query.to * 1_000,
    )
    const inRows = items.reduce((sum, row) => sum + row.orders, 0)
    assert.ok(inRows >= inTime.length, what)
    for (const order of inTime)
      assert.ok(
        items.some((row) => isIn(row, order)),
        what,
      )
    seen += items.length + (await compareCustomers(db, asker, query, orders, what))
  }
  const query = {
    from: Math.floor(around / 1_000) - 80 * 86_400,
    to: Math.floor(around / 1_000) + random(80 * 86_400) + 1,
  }
  return seen + (await compareParts(db, asker, query, orders))
}

async function compareCustomers(
  db: Db,
  asker: Parameters<typeof readCustomers>[1],
  query: Parameters<typeof readCustomers>[2],
  orders: readonly (Order & { isFirst: boolean })[],
  what: string,
): Promise<number> {
  const { items } = await readCustomers(db, asker, query)
  for (const { customer, ...row } of items) {
    const those = orders.filter(({ isFirst }) => isFirst === (customer === 'NEW'))
    sameFigures(row, those, `${what} ${customer}`)
  }
  return items.length
}

async function compareParts(
  db: Db,
  asker: Parameters<typeof readProducts>[1],
  query: { from: number; to: number },
  orders: readonly Order[],
): Promise<number> {
  const codes = (await readPromoCodes(db, asker, { ...query, compare: 'previous' })).items
  for (const { promoCode, ...row } of codes)
    sameFigures(
      row,
      orders.filter((order) => order.promoCode === promoCode),
      `${asker.businessId} ${promoCode}`,
    )
  const { items, cursor } = await readProducts(db, asker, { ...query, limit: 100 })
  assert.equal(cursor, null)
  const [first] = items
  const within = orders.filter((order) => first !== undefined && isIn(first, order))
  const keyOf = (market: string, currency: string, line: Pick<Line, 'productId' | 'variantId'>) =>
    [market, currency, line.productId, line.variantId].join(' ')
  const expected = new Map<string, { orders: Set<string>; units: number; subtotal: number }>()
  for (const { id, market, currency, lines } of within)
    for (const line of lines) {
      const key = keyOf(market, currency, line)
      const known = expected.get(key) ?? { orders: new Set(), units: 0, subtotal: 0 }
      known.orders.add(id)
      expected.set(key, { ...known, units: known.units + line.quantity, subtotal: known.subtotal + line.totalPrice })
    }
  assert.equal(items.length, expected.size)
  for (const row of items) {
    const those = expected.get(keyOf(row.market, row.currency, row))
    assert.deepEqual([row.orders, row.units, row.subtotal], [those?.orders.size, those?.units, those?.subtotal])
    assert.equal(row.net, row.total - row.refunded)
  }
  // What lines and shipping have of a discount, of what was paid and of what went back is the whole of it.
  const sum = (pick: (row: (typeof items)[number]) => number) => items.reduce((whole, row) => whole + pick(row), 0)
  const all = figuresOver(within)
  assert.equal(
    sum(({ discount }) => discount),
    all.discount,
  )
  if (within.every(({ shipping }) => shipping === 0)) {
    assert.equal(
      sum(({ total }) => total),
      all.total,
    )
    assert.ok(sum(({ refunded }) => refunded) <= all.refunded)
  }
  return codes.length + items.length
}
