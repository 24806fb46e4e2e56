import { sql } from 'kysely'
import { openPool } from '#platform/database/connection.ts'
import type { Cell } from '#platform/database/database.ts'

/** A kind of thing has this many categories below its own. */
export const SHELVES = 8
/** Of the product with the number n, in no order. */
const PRICE = '(500 + n::bigint * 7919 % 100000)'

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
           (business_id, id, name, slug, description, category, gallery, blocks, statuses, status, version, document, public_document, created_at, updated_at)
    select business_id, id, name, 'p-' || n, description, category, '[]', '[]', '[]',
           case when n % 20 = 0 then 'DRAFT' else 'ACTIVE' end, 1,
           '{"id":"' || id || '","businessId":"' || business_id || '","name":"' || name || '","slug":"p-' || n || '","description":"'
             || description || '","category":"' || category || '","gallery":[],"variants":[{"id":"a","name":"A","sku":"S-' || n
             || '-A","attributes":[],"pricing":{"markets":[{"marketId":"us","currency":"USD","price":1999}]},"inventory":{"tracked":true,"quantity":'
             || chr(1) || '},"gallery":[]},{"id":"b","name":"B","sku":"S-' || n
             || '-B","attributes":[],"pricing":{"markets":[]},"inventory":{"tracked":true,"quantity":' || chr(1)
             || '},"gallery":[]}],"statuses":[],"blocks":[],"createdAt":1789000000,"updatedAt":1789000000}',
           '{"id":"' || id || '","businessId":"' || business_id || '","name":"' || name || '","slug":"p-' || n || '","description":"'
             || description || '","category":"' || category || '","taxClass":"standard","tags":[],"seo":{"title":"","description":""},'
             || '"translations":{},"options":[],"gallery":[],"variants":[' || public_variants
             || '],"blocks":[],"createdAt":1789000000,"updatedAt":1789000000}',
           now(), now()
      from (${rows}) as wanted
     cross join lateral (
       select 'prod_' || lpad(n::text, 26, '0') as id,
              (${COLOURS})[1 + n % 10] as colour, (${THINGS})[1 + n / 10 % 12] as thing,
              (${THINGS})[1 + n / 10 % 12] || '-' || n / 120 % ${SHELVES} as category) as parts
     cross join lateral (
       select string_agg('{"id":"' || variant || '","name":"' || upper(variant) || '","sku":"S-' || n || '-' || upper(variant)
                || '","attributes":[],"pricing":{"markets":[' || chr(2) || 'us' || chr(4) || '{"marketId":"us","currency":"USD","price":'
                || ${PRICE} || '}' || chr(6) || ']},"gallery":[],"inventory":{"tracked":true' || chr(1) || 't' || chr(6) || '}', ',')
              as public_variants
         from unnest('{a,b}'::text[]) as variant) as shown
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
    'slugs',
    `insert into catalog.product_slugs (business_id, slug, product_id) select business_id, slug, id from catalog.products`,
  )
  // Of a hundred products one is on each shelf and one has each common tag; a workshop and a rare tag have one of five thousand.
  await run(
    'listing',
    `
    drop index catalog.listing_by_mark_key; -- made in one go afterwards
    insert into catalog.listing (business_id, market_id, product_id, status, name_key, price, category, is_in_stock, sold, marks)
    select business_id, market_id, id, status, lower(name), case when market_id <> '' then ${PRICE} end, category, n % 50 <> 0, n * 13 % 5000,
           array['c:' || category, 't:common' || n % 100, 't:rare' || n * 31 % 5000, 'a:Colour=' || (${COLOURS})[1 + n % 10],
                 'a:Workshop=w' || n % 5000, 'a:Size=' || (n / 7) % 5]
           || case when n % 10 = 3 then array['t:new'] else '{}' end
      from (select business_id, id, status, name, category, substr(slug, 3)::bigint as n from catalog.products) as product,
           (values (''), ('us')) as market (market_id);
    create index listing_by_mark_key on catalog.listing
      using gin (catalog.mark_keys(business_id, market_id, marks)) with (fastupdate = off)`,
  )
  await run(
    'analyze',
    'vacuum analyze catalog.products, catalog.variants, catalog.stock, catalog.search, catalog.spellings, catalog.product_slugs, catalog.listing',
  )
  await pool.end()
}

export const sizeOf = async (db: Cell, table: string) =>
  (await sql<{ size: string }>`select pg_size_pretty(pg_total_relation_size(${table}::regclass)) as size`.execute(db))
    .rows[0]?.size
