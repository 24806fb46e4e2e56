import type { Cell } from '#platform/database/database.ts'
import { fetchRows } from '#platform/database/prepared.ts'
import {
  and,
  baseSql,
  createValues,
  isNamed,
  lookedSql,
  MAX_LOOKED,
  type Matching,
  matchesSql,
  pricedSql,
} from './matching.ts'

/** From each end of the prices, as many rows are looked at for one that matches. */
const LOOKED_AT_END = 4_000

export type Prices = { min: number | null; max: number | null; isExact: boolean }

/**
 * The least and the greatest price of what matches, whatever range is asked for. As a rule both stand near the ends of the
 * order of prices; where one does not, what matches is rare, and is found by its marks.
 */
export async function readPrices(db: Cell, matching: Matching): Promise<Prices> {
  const priced = { ...matching, marketId: matching.market ?? '', priceFrom: undefined, priceTo: undefined }
  const min = await readEnd(db, priced, 'asc')
  const max = min && (await readEnd(db, priced, 'desc'))
  return max ? { min: min.price, max: max.price, isExact: true } : readFound(db, priced)
}

type End = [price: string, isMatch: boolean]

/** Undefined: behind what was looked at there may be one. */
async function readEnd(
  db: Cell,
  matching: Matching,
  way: 'asc' | 'desc',
): Promise<{ price: number | null } | undefined> {
  if (isNamed(matching)) return undefined
  const { values, add } = createValues()
  const matches = matchesSql(matching, add)
  const walked = [baseSql(matching, add), 'listing.status = wanted.status', ...pricedSql(matching, add)]
  // The last row that is looked at comes along, whether it matches or not: it tells that there may be more.
  const text = `
    select ending.price::text, ending.is_match
      from unnest((select ${add(matching.statuses, 'text[]')})) as wanted (status)
     cross join lateral (
       select price, (${matches}) as is_match
         from (select ordered.*, row_number() over () as at
                 from (select *
                         from catalog.listing
                        where ${and(walked)}
                        order by price ${way}, product_id ${way}
                        limit ${LOOKED_AT_END}) as ordered) as looked
        where (${matches}) or at = ${LOOKED_AT_END}
        limit 1) as ending`
  const ends = await fetchRows<End>(db, text, values)
  if (ends.some(([, isMatch]) => !isMatch)) return undefined
  const prices = ends.map(([price]) => Number(price)).sort((a, b) => (way === 'asc' ? a - b : b - a))
  return { price: prices[0] ?? null }
}

type Found = [looked: number, min: string | null, max: string | null]

async function readFound(db: Cell, matching: Matching): Promise<Prices> {
  const { values, add } = createValues()
  const isShown = `status = any (${add(matching.statuses, 'text[]')})`
  const isMatch = and([baseSql(matching, add), isShown, matchesSql(matching, add)])
  const text = `
    select count(*)::integer, (min(price) filter (where ${isMatch}))::text, (max(price) filter (where ${isMatch}))::text
      from (${lookedSql(matching, add)}) as looked`
  const [[looked, min, max] = [0, null, null] as Found] = await fetchRows<Found>(db, text, values)
  return { min: toNumber(min), max: toNumber(max), isExact: looked < MAX_LOOKED }
}

const toNumber = (text: string | null) => (text === null ? null : Number(text))
