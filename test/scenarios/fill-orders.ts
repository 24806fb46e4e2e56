import type pg from 'pg'
import { openPool } from '#platform/database/connection.ts'
import type { Cell } from '#platform/database/database.ts'

export type OrderFilling = { businessId: string; orders: number; businesses: number; ordersEach: number }

const FIRST =
  "'{Ada,Bo,Carla,Dmitri,Esra,Farid,Greta,Hana,Ivo,Jun,Kofi,Lena,Mats,Nadia,Olga,Pavel,Quinn,Rosa,Sven,Tala}'::text[]"
const CITIES = "'{Hamburg,Berlin,Oslo,Porto,Reno,Austin,Leeds,Turku,Kyoto,Lima}'::text[]"
const THINGS = "'{shirt,trousers,jacket,lantern,chair,mug,poster,satchel,hat,scarf,kettle,blanket}'::text[]"

/** The id of the nth of all that are filled in; ids are in the order of creation. */
export const filledId = (n: number) => `ord_${String(n).padStart(26, '0')}`

/**
 * One business with many orders, and many businesses with some, straight into the tables, as three years of trade leave them: old
 * orders are delivered, the newest wait; a few are tagged, used a promo code, or were refunded. One product is in every tenth order,
 * the other ones are in few. Far too many to go through the API; what is measured on them does.
 */
export async function fillOrders(
  db: Cell,
  { businessId, orders, businesses, ordersEach }: OrderFilling,
  note?: (text: string) => void,
): Promise<void> {
  const pool = openPool(db.address.directUrl, { max: 1, statementTimeoutMs: 3_600_000 })
  const run = async (label: string, text: string) => {
    const start = performance.now()
    await pool.query(text)
    note?.(`${label}: ${((performance.now() - start) / 1000).toFixed(1)} s`)
  }
  const others =
    businesses > 0
      ? `union all select 'biz_other' || b, n, ${ordersEach} from generate_series(1, ${businesses}) as b, generate_series(1, ${ordersEach}) as n`
      : ''
  const areFilled = `(business_id = '${businessId}' or business_id ~ '^biz_other')`
  const indexes = await dropIndexes(pool)
  await run(
    'orders',
    `
    insert into orders.orders (business_id, id, number, customer_id, market, currency, lines, subtotal, tax, shipping, discount,
      total, promo_code, payment_method, blocks, contact_email, statuses, status, payment_statuses, payment_status, created_at,
      updated_at, shipping_address, phone, tags, fulfillment, tax_included, shipping_tax, taxes)
    select business_id, 'ord_' || lpad(n::text, 26, '0'),
           substr(mixed, 1, 4) || '-' || substr(mixed, 5, 4),
           'usr_' || n % greatest(1, of_all / 5), market, 'USD',
           json_build_array(json_build_object('id', 'line_1', 'type', 'PRODUCT_VARIANT', 'productId', product, 'variantId', 'one',
             'quantity', 1, 'unitPrice', price, 'totalPrice', price, 'discount', 0, 'taxClass', 'standard', 'taxBps', 0, 'tax', 0,
             'name', initcap(thing) || ', Red, XL', 'sku', 'SKU-' || product_number, 'taken', 0)),
           price, 0, 0, 0, price, case when n % 33 = 0 then 'SUMMER' when n % 9973 = 0 then 'RARE' end, 'CREDIT_CARD',
           json_build_array(json_build_object('id', 'note', 'type', 'TEXT', 'value', repeat('As agreed by telephone. ', 8))),
           lower(first_name) || '.' || last_name || '.' || n || '@example.com',
           json_build_array(json_build_object('id', 'one', 'status', status, 'changedBy', 'SYSTEM', 'timestamp', 1789000000)), status,
           json_build_array(json_build_object('id', 'one', 'status', paid, 'changedBy', 'SYSTEM', 'timestamp', 1789000000)), paid,
           made_at, made_at + interval '1 hour' * (n % 100),
           json_build_object('name', first_name || ' ' || last_name, 'street', 'Hafenstraße ' || n % 90, 'city', city, 'country', 'DE'),
           '+4940' || n,
           case when n % 20 = 0 then '{gift}' when n % 7919 = 0 then '{fraud}' else '{}' end::text[],
           case when n % 5003 = 0 then 'PARTIALLY_FULFILLED' end, 0, 0, '{}'
      from (select '${businessId}' as business_id, n, ${orders} as of_all from generate_series(1, ${orders}) as n ${others}) as wanted
     cross join lateral (
       select lpad(upper(to_hex(n * 2654435761 % 4294967296)), 8, '0') as mixed,
              case when n % 1009 = 0 then 'is' when n % 10 < 3 then 'de' else 'us' end as market,
              case when n % 10 = 4 then 1 else 2 + n % 4999 end as product_number,
              100 + (n * 7919::bigint) % 50000 as price,
              (${FIRST})[1 + n % 20] as first_name, 'name' || (n * 31) % 20011 as last_name, (${CITIES})[1 + n / 7 % 10] as city,
              (${THINGS})[1 + n % 12] as thing,
              case when n > of_all - of_all / 200 then case when n % 3 = 0 then 'PENDING' else 'PROCESSING' end
                   when n % 10 = 0 then 'CANCELLED' when n % 37 = 0 then 'REFUNDED' when n % 41 = 0 then 'SHIPPED'
                   else 'DELIVERED' end as status,
              case when n % 101 = 0 then 'FAILED' when n % 10 = 0 then 'PENDING' when n % 37 = 0 then 'REFUNDED'
                   when n % 211 = 0 then 'PARTIALLY_REFUNDED' else 'PAID' end as paid,
              timestamptz '2024-01-01' + interval '3 years' * (n::float8 / of_all) as made_at) as parts
     cross join lateral (select 'prod_' || lpad(product_number::text, 26, '0') as product) as goods`,
  )
  await run(
    'search',
    `
    insert into orders.search (business_id, order_id, number, email, terms, tags, total, version, created_at, updated_at)
    select business_id, id, number, lower(contact_email),
           (select string_agg('''' || word || '''', ' ')
              from unnest(array['m:' || market, 'p:' || (lines -> 0 ->> 'productId'), ltrim(phone, '+'), 'red', 'xl', 'sku',
                                lower(split_part(lines -> 0 ->> 'name', ',', 1)), lower(shipping_address ->> 'city'),
                                lower(split_part(shipping_address ->> 'name', ' ', 1)), split_part(shipping_address ->> 'name', ' ', 2),
                                split_part(lines -> 0 ->> 'sku', '-', 2), lower(replace(lines -> 0 ->> 'sku', '-', ''))]) as word
           )::tsvector, tags, total, version, created_at, updated_at
      from orders.orders
     where ${areFilled}`,
  )
  await run(
    'words',
    `
    insert into orders.words (business_id, word, orders)
    select business_id, word, count(*)
      from (select business_id, unnest(tsvector_to_array(terms)) as word from orders.search
             union all select business_id, 't:' || unnest(tags) from orders.search
             union all select business_id, '' from orders.search) as words
     where word !~ '^49' and ${areFilled}
     group by 1, 2`,
  )
  for (const { name, definition } of indexes) await run(name, definition)
  await run('analyze', 'vacuum analyze orders.orders, orders.search, orders.words')
  await pool.end()
}

/** Millions of rows go in many times faster when each index is made once, after them. Answers how to make them. */
async function dropIndexes(pool: pg.Pool) {
  const { rows } = await pool.query<{ name: string; definition: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
      from pg_index
     where indrelid in ('orders.orders'::regclass, 'orders.search'::regclass)
       and not exists (select from pg_constraint where conindid = indexrelid)`)
  for (const { name } of rows) await pool.query(`drop index ${name}`)
  await pool.query(`set maintenance_work_mem = '1GB'`)
  return rows
}
