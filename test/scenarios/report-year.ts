import { sql } from 'kysely'
import { READER_GRAINS } from '#modules/reports/count-subscriptions.ts'
import { GRAINS } from '#modules/reports/sums.ts'
import type { Db } from '#platform/database/database.ts'

// The sums of a year of ten million orders in one business, and of the year before it, as the worker would have left them, written
// by SQL. In a time zone whose days begin at no full hour of UTC, so that every report needs spans of every length.

export const TIME_ZONE = 'Asia/Kathmandu'
const MIDNIGHT_SECONDS = 18.25 * 3_600
const DAY_SECONDS = 86_400
/** Up to the end of today there. */
const END = Math.ceil((Date.now() / 1_000 - MIDNIGHT_SECONDS) / DAY_SECONDS) * DAY_SECONDS + MIDNIGHT_SECONDS
export const YEAR = { from: END - 365 * DAY_SECONDS, to: END }
export const MONTH = { from: END - 30 * DAY_SECONDS, to: END }
export const HOURS = { from: END - 33 * DAY_SECONDS, to: END }

const DAY = 96
/** The year in quarters of an hour. */
const [FIRST, LAST] = [Math.floor(YEAR.from / 900), Math.floor(YEAR.to / 900)]
const QUARTERS = LAST - FIRST
const ORDERS_A_DAY = 27_500
const LINES_AN_ORDER = 2
const WITH_CODE = 0.2

export const SIZES = { variants: 20_000, codes: 500, newsletters: 3 }
export type Sizes = typeof SIZES

/** What of all orders each market has. */
const MARKETS = sql`(values ('us', 'USD', 0.55), ('de', 'EUR', 0.25), ('uk', 'GBP', 0.15), ('at', 'EUR', 0.05))
                    as place (market, currency, share)`
const INTO = sql`
  insert into reports.sums (business_id, kind, grain, at, subject, market, currency, orders, units, subtotal, discount, shipping, tax,
                            total, refunded)`

type Write = (from: number, to: number) => Promise<unknown>

async function inSteps(from: number, to: number, step: number, write: Write) {
  for (let at = from; at < to; at += step) await write(at, Math.min(at + step, to))
}

/** Writes all of it, and says what is there. */
export async function fillYear(db: Db, businessId: string, sizes: Sizes, note: (text: string) => void) {
  await fillSales(db, businessId)
  note('sales are written')
  await fillParts(db, businessId, 'PRODUCT', sizes.variants, ORDERS_A_DAY * LINES_AN_ORDER)
  note('variants are written')
  await fillParts(db, businessId, 'PROMO', sizes.codes, ORDERS_A_DAY * WITH_CODE)
  await fillReaders(db, businessId, sizes.newsletters)
  for (const table of ['sums', 'readers', 'subjects'])
    await sql`vacuum analyze ${sql.table(`reports.${table}`)}`.execute(db)
  const { rows } = await sql<{ rows: number; orders: number }>`
    select (select count(*) from reports.sums where business_id = ${businessId})::integer as rows,
           (select sum(orders) from reports.sums
             where business_id = ${businessId} and kind = 'SALES' and subject = 0 and grain = 1 and at >= ${FIRST} and at < ${LAST})::integer
             as orders`.execute(db)
  return rows[0] ?? { rows: 0, orders: 0 }
}

/** Both years: a row for each quarter of an hour and market, of all orders and of first ones. More is sold in the evening. */
async function fillSales(db: Db, businessId: string): Promise<void> {
  await inSteps(FIRST - QUARTERS, LAST, 5_000, (from, to) =>
    sql`
      ${INTO}
      select ${businessId}, 'SALES', 1, at, subject, market, currency, orders, orders * 2, orders * 4000, orders * 100, orders * 500,
             orders * 700, orders * 5100, orders * 50
        from generate_series(${from}::int, ${to}::int - 1) as at
       cross join (values (0, 1.0), (1, 0.3)) as customers (subject, part)
       cross join ${MARKETS}
       cross join lateral (
         select round(${ORDERS_A_DAY / DAY}::float8 * share * part * (1 + 0.8 * sin(at % ${DAY} * pi() / 48)))::bigint as orders) as made
       where orders > 0`.execute(db),
  )
  for (const grain of GRAINS.SALES.slice(1)) await addUp(db, businessId, 'SALES', grain, 1, FIRST - QUARTERS, LAST)
}

const addUp = (db: Db, businessId: string, kind: string, grain: number, of: number, first: number, last: number) =>
  inSteps(first - (first % 24_576), last, 24_576, (from, to) =>
    sql`
      ${INTO}
      select business_id, kind, ${grain}, at - at % ${grain}::int, subject, market, currency, sum(orders), sum(units), sum(subtotal),
             sum(discount), sum(shipping), sum(tax), sum(total), sum(refunded)
        from reports.sums
       where business_id = ${businessId} and kind = ${kind} and grain = ${of} and at >= ${from} and at < ${to}
       group by 1, 2, 4, 5, 6, 7`.execute(db),
  )

/**
 * What is sold of each variant in each market on each day, the first often and the last rarely. Quarters of an hour only for the
 * days where a report begins or ends, because they are read there alone; all longer spans for the whole year.
 */
async function fillParts(db: Db, businessId: string, kind: 'PRODUCT' | 'PROMO', size: number, perDay: number) {
  await sql`
    insert into reports.subjects (business_id, kind, key, variant_id, name)
    select ${businessId}, ${kind}, ${kind === 'PRODUCT' ? 'prod_' : 'CODE'} || n, ${kind === 'PRODUCT' ? 'one' : ''}, 'Thing ' || n
      from generate_series(1, ${size}::int) as n`.execute(db)
  const write = (grain: number, from: number, to: number, perSpan: number) =>
    sql`
      ${INTO}
      select ${businessId}, ${kind}, ${grain}, at, number, market, currency, sold, sold, sold * 2000, sold * 50, 0, sold * 350,
             sold * 2300, sold * 20
        from generate_series(${from}::int, ${to}::int - 1, ${grain}::int) as at
       cross join (select number, row_number() over (order by number) as n from reports.subjects
                    where business_id = ${businessId} and kind = ${kind}) as subject
       cross join ${MARKETS}
       cross join lateral (select ${perSpan}::float8 * share / (n * ${Math.log(size) + 0.58}::float8) as mean) as expected
       cross join lateral (
         select floor(mean)::bigint
                + (hashint8extended(n * 7919 + at, length(market || currency) + ascii(market)) & 65535 < (mean - floor(mean)) * 65536)::int
                as sold) as made
       where sold > 0`.execute(db)
  const [begin, end] = [FIRST - (FIRST % DAY) - DAY, LAST - (LAST % DAY) + DAY]
  await inSteps(begin, end, DAY * 8, (from, to) => write(DAY, from, to, perDay))
  for (const days of [367, 32, 9, 2])
    await inSteps(end - days * DAY, end - (days - 2) * DAY, DAY, (from, to) => write(1, from, to, perDay / DAY))
  let below = DAY
  for (const grain of GRAINS[kind].filter((each) => each > DAY)) {
    await addUp(db, businessId, kind, grain, below, begin, end)
    below = grain
  }
}

async function fillReaders(db: Db, businessId: string, newsletters: number): Promise<void> {
  for (const grain of READER_GRAINS)
    await sql`
      insert into reports.readers (business_id, collection_id, grain, at, joined, "left")
      select ${businessId}, 'col_' || n, ${grain}, at - at % ${grain}::int, sum(3), sum(1)
        from generate_series(${FIRST - QUARTERS}::int, ${LAST}::int) as at
       cross join generate_series(1, ${newsletters}::int) as n
       group by 2, 4`.execute(db)
}

/**
 * Orders of two lines each between two times, in four markets, every fifth with a promo code; a few were refunded, a few never paid,
 * the newest hundredth waits to be shipped. Nobody has counted them yet.
 */
export async function addOrders(
  db: Db,
  businessId: string,
  { count, from, to }: { count: number; from: Date; to: Date },
) {
  await inSteps(0, count, 50_000, (first, last) =>
    sql`
      insert into orders.orders (business_id, id, number, customer_id, market, currency, lines, subtotal, tax, shipping, discount, total,
                                 promo_code, blocks, statuses, status, payment_statuses, payment_status, refunded_amount, created_at,
                                 updated_at, tax_included, shipping_tax, taxes)
      select ${businessId}, 'ord_' || lpad(n::text, 26, '0'), 'N' || n, 'usr_' || n * 7919::bigint % ${Math.ceil(count / 3)}::int,
             market, currency, lines, 4000, 0, 500, 0, 4500, case when n % 5 = 0 then 'CODE' || n / 5 % 500 end, '[]', '[]',
             case when n > ${count * 0.99}::int then 'PROCESSING' else 'DELIVERED' end, '[]', paid,
             case when paid = 'REFUNDED' then 4500 else 0 end, at, at, 0, 0, '{}'
        from generate_series(${first}::int + 1, ${last}::int) as n
       cross join lateral (
         select (array['us', 'de', 'uk', 'at'])[place] as market, (array['USD', 'EUR', 'GBP', 'EUR'])[place] as currency,
                case when n % 33 = 0 then 'PENDING' when n % 31 = 0 then 'REFUNDED' else 'PAID' end as paid,
                ${from}::timestamptz + (${to}::timestamptz - ${from}::timestamptz) * (n::float8 / ${count}::int) as at
           from (select case when n % 20 < 11 then 1 when n % 20 < 16 then 2 when n % 20 < 19 then 3 else 4 end as place) as places) as parts
       cross join lateral (
         select json_agg(json_build_object(
                  'id', 'line_' || line, 'type', 'PRODUCT_VARIANT', 'productId', 'prod_' || variant, 'variantId', 'one', 'quantity', 1,
                  'unitPrice', 2000, 'totalPrice', 2000, 'discount', 0, 'taxClass', 'standard', 'taxBps', 0, 'tax', 0,
                  'name', 'Thing ' || variant, 'sku', 'SKU-' || variant, 'taken', 0)) as lines
           from generate_series(1, 2) as line
          cross join lateral (
            select floor(exp((hashint8extended(n, line) & 1048575) / 1048576.0 * ln(${SIZES.variants}::float8)))::int as variant) as sold
         ) as made`.execute(db),
  )
}

/** Payments and refunds that wait for a person, for some of these orders. */
export async function addTroubles(db: Db, businessId: string): Promise<void> {
  await sql`
    insert into payments.payments (business_id, id, subject, attempt, amount, currency, status, paid, expires_at, checked_at, created_at,
                                   updated_at)
    select business_id, 'pay_' || id, 'order:' || id, 1, total, currency, case when n <= 30 then 'WRONG' else 'PAID' end, total, created_at,
           created_at, created_at, created_at
      from (select *, row_number() over (order by id) as n from orders.orders
             where business_id = ${businessId} order by id limit 20000) as orders`.execute(db)
  await sql`
    insert into payments.refunds (business_id, id, payment_id, amount, status, due_at, created_at, updated_at)
    select business_id, 'ref_' || id, id, 1, case when n <= 20 then 'FAILED' else 'SUCCEEDED' end, now(), now() - interval '1 day', now()
      from (select *, row_number() over (order by id) as n from payments.payments
             where business_id = ${businessId} and status = 'PAID' order by id limit 5000) as payments`.execute(db)
}

/** As their events would. */
export const tellAll = (db: Db, businessId: string, above = 0) =>
  sql`
    insert into cell.followed (topic, business_id, subject)
    select 'reports-orders', business_id, id from orders.orders
     where business_id = ${businessId} and id > 'ord_' || lpad(${above}::text, 26, '0')
     order by id`.execute(db)
