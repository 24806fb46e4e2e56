import { sql } from 'kysely'
import { openPool } from '#platform/database/connection.ts'
import type { Cell } from '#platform/database/database.ts'

export type Filling = { businessId: string; products: number; businesses: number; productsEach: number }

const COLOURS = "'{red,blue,green,black,white,amber,coral,ivory,olive,plum}'::text[]"
const THINGS = "'{shirt,trousers,jacket,lantern,chair,mug,poster,satchel,hat,scarf,kettle,blanket}'::text[]"

/**
 * One business with many products, and many businesses with some, straight into the tables: two variants each, half of the words
 * rare. Far too many to go through the API; what is measured on them does.
 */
export async function fillCatalog(
  db: Cell,
  { businessId, products, businesses, productsEach }: Filling,
  note?: (text: string) => void,
): Promise<void> {
  const pool = openPool(db.address.directUrl, { max: 1, statementTimeoutMs: 3_600_000 })
  const run = async (label: string, text: string) => {
    const start = performance.now()
    await pool.query(text)
    note?.(`${label}: ${((performance.now() - start) / 1000).toFixed(1)} s`)
  }
  const rows = `
    select '${businessId}' as business_id, n from generate_series(1, ${products}) as n
     union all
    select 'biz_other' || b, b * 1000 + n from generate_series(1, ${businesses}) as b, generate_series(1, ${productsEach}) as n`
  await run(
    'products',
    `
    insert into catalog.products
    select business_id, id, name, 'p-' || n, description, thing, '[]', '[]', '[]',
           case when n % 20 = 0 then 'DRAFT' else 'ACTIVE' end, 1,
           '{"id":"' || id || '","businessId":"' || business_id || '","name":"' || name || '","slug":"p-' || n || '","description":"'
             || description || '","category":"' || thing || '","gallery":[],"variants":[{"id":"a","name":"A","sku":"S-' || n
             || '-A","attributes":[],"pricing":{"markets":[{"marketId":"us","currency":"USD","price":1999}]},"inventory":{"tracked":true,"quantity":'
             || chr(1) || '},"gallery":[]},{"id":"b","name":"B","sku":"S-' || n
             || '-B","attributes":[],"pricing":{"markets":[]},"inventory":{"tracked":true,"quantity":' || chr(1)
             || '},"gallery":[]}],"statuses":[],"blocks":[],"createdAt":1789000000,"updatedAt":1789000000}',
           now(), now()
      from (${rows}) as wanted
     cross join lateral (
       select 'prod_' || lpad(n::text, 26, '0') as id,
              (${COLOURS})[1 + n % 10] as colour, (${THINGS})[1 + n / 10 % 12] as thing) as parts
     cross join lateral (
       select initcap(colour) || ' ' || thing || ' no ' || n as name,
              'A ' || colour || ' ' || thing || ' made with care in workshop w' || n % 5000
                || '. ' || repeat('Soft, durable, washable. ', 12) as description) as texts`,
  )
  await run(
    'variants',
    `
    insert into catalog.variants
    select business_id, id, variant, ascii(variant) - 97, upper(variant), 'S-' || substr(slug, 3) || '-' || upper(variant),
           '[]', '[{"marketId":"us","currency":"USD","price":1999}]', '[]'
      from catalog.products, unnest('{a,b}'::text[]) as variant`,
  )
  await run(
    'stock',
    `
    insert into catalog.stock (business_id, product_id, variant_id, position, tracked, quantity, version)
    select business_id, product_id, id, position, true, 10, 1 from catalog.variants`,
  )
  await run(
    'search',
    `
    insert into catalog.search
    select business_id, id, status, category,
           (select string_agg(format('%L:1%s', word, weight), ' ')
              from (select lower(word) as word, min(weight) as weight
                      from (select unnest(regexp_split_to_array(name, '\\W+')) as word, 'A' as weight
                             union all select unnest(regexp_split_to_array(description, '\\W+')), 'D'
                             union all select 's' || substr(slug, 3) || 'a', 'B') as words
                     where word <> '' group by 1) as distinct_words)::tsvector
      from catalog.products`,
  )
  await run(
    'spellings',
    `
    insert into catalog.spellings
    select business_id, spelling, word
      from (select distinct business_id, unnest(${COLOURS} || ${THINGS} || '{made,with,care,workshop,soft,durable,washable}') as word
              from catalog.products) as words
     cross join lateral (
       select word as spelling union
       select overlay(word placing '' from at for 1) from generate_series(1, length(word)) as letter (at)) as shortened`,
  )
  await run(
    'analyze',
    'vacuum analyze catalog.products, catalog.variants, catalog.stock, catalog.search, catalog.spellings',
  )
  await pool.end()
}

export const sizeOf = async (db: Cell, table: string) =>
  (await sql<{ size: string }>`select pg_size_pretty(pg_total_relation_size(${table}::regclass)) as size`.execute(db))
    .rows[0]?.size
