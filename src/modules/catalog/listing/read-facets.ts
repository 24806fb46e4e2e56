import type { Cell } from '#platform/database/database.ts'
import { fetchRows } from '#platform/database/prepared.ts'
import {
  type Add,
  and,
  baseSql,
  createValues,
  foundSql,
  isNamed,
  MAX_LOOKED,
  type Matching,
  matchesSql,
  namedSql,
} from './matching.ts'
import { attributePrefix } from './rows.ts'
import { ATTRIBUTE_PREFIX, type Facets, MAX_FACET_VALUES } from './schemas.ts'

type Row = [
  at: number,
  found: number,
  mark: string | null,
  count: number | null,
  min: string | null,
  max: string | null,
]
type Value = { value: string; count: number }

/** How often each value is there among what matches, each facet without its own filter. */
export async function readFacets(db: Cell, matching: Matching, names: readonly string[]): Promise<Facets> {
  const readings = readingsOf(matching, names)
  const { values, add } = createValues()
  const parts = readings.map((reading, at) => `(${countedSql(reading, at, add)})`)
  const rows = await fetchRows<Row>(db, parts.join(' union all '), values)
  const items = names.map((name) => {
    const at = readings.findIndex((reading) => reading.names.includes(name))
    const found = rows.filter((row) => row[0] === at)
    const [, matches = 0, , , min = null, max = null] = found[0] ?? []
    const isExact = matches <= MAX_LOOKED
    if (name === 'price') return { name, min: toNumber(min), max: toNumber(max), isExact }
    return { name, values: valuesOf(prefixOf(name), found), isExact }
  })
  return { items }
}

const toNumber = (text: string | null) => (text === null ? null : Number(text))

function valuesOf(prefix: string, rows: readonly Row[]): Value[] {
  return rows
    .flatMap(([, , mark, count]) =>
      mark?.startsWith(prefix) ? { value: mark.slice(prefix.length), count: count ?? 0 } : [],
    )
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}

type Reading = { matching: Matching; names: string[] }

/** Facets of which none has a filter of its own count the same products: those are read once for all of them. */
function readingsOf(matching: Matching, names: readonly string[]): Reading[] {
  const readings = new Map<string, Reading>()
  for (const name of names) {
    const own = name === 'price' ? ofPrices(matching) : without(name, matching)
    const key = JSON.stringify([name === 'price', own.isWithoutCategory, ...own.marks.map(({ facet }) => facet)])
    const reading = readings.get(key) ?? { matching: own, names: [] }
    reading.names.push(name)
    readings.set(key, reading)
  }
  return [...readings.values()]
}

/** Prices are read from the rows of the market, whatever else is asked. */
const ofPrices = (matching: Matching): Matching => ({
  ...matching,
  marketId: matching.market ?? '',
  priceFrom: undefined,
  priceTo: undefined,
})

const without = (name: string, matching: Matching): Matching => ({
  ...matching,
  marks: matching.marks.filter(({ facet }) => facet !== name),
  isWithoutCategory: matching.isWithoutCategory && name !== 'category',
})

const prefixOf = (name: string) =>
  name.startsWith(ATTRIBUTE_PREFIX)
    ? attributePrefix(name.slice(ATTRIBUTE_PREFIX.length))
    : name === 'category'
      ? 'c:'
      : 't:'

/** A product may have 200 marks: counting stops after so many, however many products that is. */
const MAX_COUNTED = 200_000

function countedSql({ matching, names }: Reading, at: number, add: Add): string {
  const isOfPrices = names.includes('price')
  const isShown = `status = any (${add(matching.statuses, 'text[]')})`
  const matched = (columns: string) => `
    with looked as materialized (${lookedSql(matching, add)}
    ), matched as materialized (
      select ${columns}
        from (select * from looked limit ${MAX_LOOKED}) as first
       where ${and([baseSql(matching, add), isShown, matchesSql(matching, add)])}
    )`
  const found = '(select count(*)::integer from looked)'
  if (isOfPrices)
    return `${matched('price')}
      select ${at}, ${found}, null::text, null::integer, min(price)::text, max(price)::text from matched`
  // Unnesting in the list of columns takes half the time of a join with unnest.
  return `${matched('marks, sum(cardinality(marks)) over (rows unbounded preceding) as so_far')}, counted as materialized (
      select mark, count(*)::integer as count
        from (select unnest(marks) as mark from matched where so_far <= ${MAX_COUNTED}) as unnested
       group by mark
    )
    select ${at}, total.found, valued.mark, valued.count, null, null
      from (select case when max(so_far) > ${MAX_COUNTED} then ${MAX_LOOKED + 1} else ${found} end as found from matched) as total
      left join (unnest(${add(names.map(prefixOf), 'text[]')}) as prefix
                 cross join lateral (
                   select mark, count from counted
                    where starts_with(mark, prefix)
                    order by count desc, mark
                    limit ${MAX_FACET_VALUES}) as valued) on true`
}

/** One row more than is counted tells that there are more. */
function lookedSql(matching: Matching, add: Add): string {
  if (isNamed(matching)) return namedSql(matching, add)
  const most = MAX_LOOKED + 1
  return (
    foundSql(matching, most, add) ??
    `select * from catalog.listing
      where ${and([baseSql(matching, add), `status = any (${add(matching.statuses, 'text[]')})`])}
      order by product_id desc
      limit ${most}`
  )
}
