import { sql } from 'kysely'
import type { Cell, Tx } from '#platform/database/database.ts'
import { createChecker } from '#platform/http/validation.ts'
import type { Business } from '#vocabulary/business.ts'
import { invalidFields } from '#vocabulary/errors.ts'
import { checkListing, readAttributes } from '../listing/filters.ts'
import { ATTRIBUTE_PREFIX } from '../listing/schemas.ts'
import { type Walked, walkListing } from '../listing/walk-listing.ts'
import { MAX_FOUND, matchingOf } from '../products/queries.ts'
import { ProductFilters } from '../schemas.ts'
import { filterUnknown } from './errors.ts'
import type { Filters } from './schemas.ts'

const check = createChecker(ProductFilters, 'querystring')

/** The filters as the list of products would read them from its address. */
function readFilters(filters: Filters) {
  const ofAttributes: [string, string][] = []
  const parameters: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(filters)) {
    if (name.startsWith(ATTRIBUTE_PREFIX)) for (const each of [value].flat()) ofAttributes.push([name, each])
    else if (name in ProductFilters.properties) parameters[name] = Array.isArray(value) ? [...value] : value
    else throw filterUnknown({ name })
  }
  const read = check(parameters)
  if ('details' in read)
    throw invalidFields(read.details.map((detail) => ({ ...detail, field: `select.filters.${detail.field}` })))
  return { ...read.value, attributes: readAttributes(ofAttributes) }
}

/** Refuses filters that the list of products would refuse. */
export async function checkFilters(db: Cell, business: Business, filters: Filters): Promise<void> {
  const { query: _words, ...read } = readFilters(filters)
  checkListing(read, business)
  await matchingOf(db, business.id, read, { seesAll: true })
}

/** Ids of products that these filters find, after those that were found before; undefined: a search finds more than it can tell. */
export async function findSelected(
  db: Cell,
  businessId: string,
  filters: Filters,
  after: string,
): Promise<Walked | undefined> {
  const matching = await matchingOf(db, businessId, readFilters(filters), { seesAll: true })
  if (matching.ranked && matching.ranked.ids.length >= MAX_FOUND) return undefined
  return walkListing(db, matching, after)
}

/** Adds products, numbered on from `total`. Those that are not there are left out. Returns how many were added. */
export async function addItems(
  tx: Tx,
  { businessId, id, total }: { businessId: string; id: string; total: number },
  productIds: readonly string[],
): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into catalog.bulk_edit_items (business_id, bulk_edit_id, number, product_id, status)
    select ${businessId}, ${id}, ${total}::integer + row_number() over (order by product.id), product.id, 'SELECTED'
      from (select distinct wanted.id from unnest(${productIds}::text[]) as wanted (id)) as wanted
     cross join lateral (
       select id from catalog.products
        where business_id = ${businessId} and products.id = wanted.id and status <> 'DELETED'
        limit 1) as product`.execute(tx)
  return Number(numAffectedRows)
}
