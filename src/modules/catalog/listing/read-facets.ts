import type { Cell } from '#platform/database/database.ts'
import { fetchRows } from '#platform/database/prepared.ts'
import { type Add, and, baseSql, createValues, lookedSql, MAX_LOOKED, type Matching, matchesSql } from './matching.ts'
import { readPrices } from './read-prices.ts'
import { attributePrefix } from './rows.ts'
import { ATTRIBUTE_PREFIX, type Facets, MAX_FACET_VALUES } from './schemas.ts'

type Row = [at: number, isExact: boolean, mark: string | null, count: number | null]
type Value = { value: string; count: number }

/** How often each value is there among what matches, each facet without its own filter. */
export async function readFacets(db: Cell, matching: Matching, names: readonly string[]): Promise<Facets> {
  const prices = names.includes('price') ? await readPrices(db, matching) : undefined
  const readings = readingsOf(
    matching,
    names.filter((name) => name !== 'price'),
  )
  const rows = await readCounts(db, readings)
  const items = names.map((name) => {
    if (name === 'price' && prices) return { name, ...prices }
    const at = readings.findIndex((reading) => reading.names.includes(name))
    const found = rows.filter((row) => row[0] === at)
    return { name, values: valuesOf(prefixOf(name), found), isExact: found[0]?.[1] ?? true }
  })
  return { items }
}

async function readCounts(db: Cell, readings: readonly Reading[]): Promise<Row[]> {
  if (readings.length === 0) return []
  const { values, add } = createValues()
  const parts = readings.map((reading, at) => `(${countedSql(reading, at, add)})`)
  return fetchRows<Row>(db, parts.join(' union all '), values)
}

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
    const own = without(name, matching)
    const key = JSON.stringify([own.isWithoutCategory, ...own.marks.map(({ facet }) => facet)])
    const reading = readings.get(key) ?? { matching: own, names: [] }
    reading.names.push(name)
    readings.set(key, reading)
  }
  return [...readings.values()]
}

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

/** Not a mark of any product: each row that is looked at counts once by it, whether it matches or not. */
const LOOKED = ''

/** One pass over the rows, none of which is copied: unnesting in the list of columns takes half the time of a join with unnest. */
function countedSql({ matching, names }: Reading, at: number, add: Add): string {
  const isShown = `status = any (${add(matching.statuses, 'text[]')})`
  const isMatch = and([baseSql(matching, add), isShown, matchesSql(matching, add)])
  return `
    with counted as materialized (
      select mark, count(*)::integer as count
        from (select unnest(case when ${isMatch} then array['${LOOKED}'] || marks else array['${LOOKED}'] end) as mark
                from (${lookedSql(matching, add)}) as looked
               limit ${MAX_COUNTED}) as unnested
       group by mark
    )
    select ${at}, total.is_exact, valued.mark, valued.count
      from (select coalesce(sum(count), 0) < ${MAX_COUNTED}
                   and coalesce(max(count) filter (where mark = '${LOOKED}'), 0) < ${MAX_LOOKED} as is_exact
              from counted) as total
      left join (unnest(${add(names.map(prefixOf), 'text[]')}) as prefix
                 cross join lateral (
                   select mark, count from counted
                    where starts_with(mark, prefix)
                    order by count desc, mark
                    limit ${MAX_FACET_VALUES}) as valued) on true`
}
