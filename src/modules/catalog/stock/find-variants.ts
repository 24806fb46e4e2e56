import { sql } from 'kysely'
import type { Cell, Db } from '#platform/database/database.ts'
import { wordsOf } from '#vocabulary/search-words.ts'
import { searchProductIds } from '../products/queries.ts'
import type { VariantKey } from './change-stock.ts'

const MAX_SKUS = 500
const MAX_PRODUCTS = 500
const MAX_VARIANTS = 2_000
/** Sorts after every text with the same beginning. */
const AFTER_ALL = '\u{10FFFF}'

/** The variants that a text means: by the beginning of their SKU, else by words. */
export async function findVariants(db: Cell, businessId: string, text: string): Promise<VariantKey[]> {
  const bySku = await findBySku(db, businessId, text.trim())
  return bySku.length > 0 ? bySku : findByWords(db, businessId, text)
}

async function findBySku(db: Db, businessId: string, typed: string): Promise<VariantKey[]> {
  const spellings = [...new Set([typed, typed.toUpperCase()])]
  const { rows } = await sql<VariantKey>`
    select product_id, id as variant_id
      from unnest(${spellings}::text[]) as typed (sku)
     cross join lateral (
       select product_id, id
         from catalog.variants
        where business_id = ${businessId} and sku <> '' and position is not null
          and sku >= typed.sku and sku < typed.sku || ${AFTER_ALL}
        order by sku
        limit ${MAX_SKUS}) as found
     group by product_id, id`.execute(db)
  return rows
}

type Named = VariantKey & { name: string }

/**
 * Products are searched; of their variants those are meant that have all the words themselves, or else all of them,
 * because a word may be in a description.
 */
async function findByWords(db: Cell, businessId: string, text: string): Promise<VariantKey[]> {
  const ids = await searchProductIds(db, businessId, text, MAX_PRODUCTS)
  if (ids.length === 0) return []
  const { rows } = await sql<Named>`
    select variant.product_id, variant.id as variant_id, product.name || ' ' || variant.name || ' ' || variant.sku as name
      from unnest(${ids}::text[]) with ordinality as wanted (id, at)
      join catalog.products as product on product.business_id = ${businessId} and product.id = wanted.id
      join catalog.variants as variant on variant.business_id = ${businessId} and variant.product_id = wanted.id
     where variant.position is not null
     order by wanted.at, variant.position
     limit ${MAX_VARIANTS}`.execute(db)
  const words = wordsOf(text)
  const named = rows.filter(({ name }) => {
    const known = wordsOf(name)
    return words.every((word) => known.some((each) => each.startsWith(word)))
  })
  return named.length > 0 ? named : rows
}
