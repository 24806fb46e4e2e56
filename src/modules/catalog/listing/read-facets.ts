import type { Cell } from '#platform/database/database.ts'
import { fetchRows } from '#platform/database/prepared.ts'
import { type Add, and, conditionsOf, createValues, MAX_LOOKED, type Matching, sourceOf } from './matching.ts'
import { attributePrefix } from './rows.ts'
import { ATTRIBUTE_PREFIX, type Facets, MAX_FACET_VALUES } from './schemas.ts'

type Row = [
  at: number,
  found: number,
  value: string | null,
  count: number | null,
  min: string | null,
  max: string | null,
]

/** How often each value is there among what matches, each facet without its own filter. */
export async function readFacets(db: Cell, matching: Matching, names: readonly string[]): Promise<Facets> {
  const { values, add } = createValues()
  const parts = names.map((name, at) => `(${facetSql(name, at, without(name, matching), add)})`)
  const rows = await fetchRows<Row>(db, `${parts.join(' union all ')} order by 1, 4 desc nulls last, 3`, values)
  const items = names.map((name, at) => {
    const found = rows.filter((row) => row[0] === at)
    const [, matches = 0, , , min = null, max = null] = found[0] ?? []
    const isExact = matches <= MAX_LOOKED
    if (name === 'price') return { name, min: toNumber(min), max: toNumber(max), isExact }
    const counted = found.flatMap(([, , value, count]) => (value === null ? [] : { value, count: count ?? 0 }))
    return { name, values: counted, isExact }
  })
  return { items }
}

const toNumber = (text: string | null) => (text === null ? null : Number(text))

/** Prices are read from the rows of the market, whatever else is asked. */
function without(name: string, matching: Matching): Matching {
  if (name === 'price')
    return { ...matching, marketId: matching.market ?? '', priceFrom: undefined, priceTo: undefined }
  return {
    ...matching,
    marks: matching.marks.filter(({ facet }) => facet !== name),
    ...withoutCategory(name, matching),
  }
}
const withoutCategory = (name: string, { isWithoutCategory }: Matching) => ({
  isWithoutCategory: isWithoutCategory && name !== 'category',
})

const prefixOf = (name: string) =>
  name.startsWith(ATTRIBUTE_PREFIX)
    ? attributePrefix(name.slice(ATTRIBUTE_PREFIX.length))
    : name === 'category'
      ? 'c:'
      : 't:'

function facetSql(name: string, at: number, matching: Matching, add: Add): string {
  const { base, range, marked, named, rest } = conditionsOf(matching, add)
  const isShown = `status = any (${add(matching.statuses, 'text[]')})`
  const column = name === 'price' ? 'price' : 'marks'
  const matched = `
    with matched as materialized (
      select ${column} from ${sourceOf(matching, add)}
       where ${and([base, isShown, ...range, ...marked, ...named, ...rest])}
       order by product_id -- so that no plan begins at the start of the table
       limit ${MAX_LOOKED + 1}
    ), first as materialized (
      select ${column} from matched limit ${MAX_LOOKED}
    )`
  if (name === 'price')
    return `${matched}
      select ${at}, (select count(*)::integer from matched), null::text, null::integer, min(price)::text, max(price)::text from first`
  const prefix = add(prefixOf(name), 'text')
  return `${matched}
    select ${at}, counted.found, valued.value, valued.count, null, null
      from (select count(*)::integer as found from matched) as counted
      left join (select substr(mark, length(${prefix}) + 1) collate "C" as value, count(*)::integer as count
                   from first
                  cross join unnest(marks) as mark
                  where starts_with(mark, ${prefix})
                  group by 1
                  order by 2 desc, 1
                  limit ${MAX_FACET_VALUES}) as valued on true`
}
