import { notFound } from 'next/navigation'
import { readFacets, readProducts } from '../lib/catalog.ts'
import { hrefTo, type ListQuery, readListQuery, toFilter } from '../lib/list-query.ts'
import type { Page, SearchParams } from '../lib/page.ts'
import { minorUnits } from '../lib/prices.ts'
import { ProductGrid } from './product-grid.tsx'

type Props = { page: Page; path: string; params: SearchParams; categoryId?: string }

/** Products with filters and pages. A form and links: nothing of it needs JavaScript. */
export async function ProductList({ page, path, params, categoryId }: Props) {
  const query = readListQuery(params, page.market.currency)
  const filter = { ...toFilter(query), ...(categoryId !== undefined && { categoryId }) }
  const [products, facets] = await Promise.all([
    readProducts(page.view, { ...filter, sort: query.sort, cursor: query.cursor }),
    readFacets({ market: page.market.id }, filter),
  ])
  if (!products || !facets) notFound()
  return (
    <div className="list">
      <Filters page={page} path={path} query={query} facets={facets} />
      <div>
        {products.items.length > 0 ? (
          <ProductGrid page={page} products={products.items} />
        ) : (
          <p className="notice">{page.words.nothing}</p>
        )}
        {products.cursor !== null && (
          <a className="button quiet next" href={hrefTo(path, params, { cursor: products.cursor })} rel="next">
            {page.words.next}
          </a>
        )}
      </div>
    </div>
  )
}

type Facets = NonNullable<Awaited<ReturnType<typeof readFacets>>>

function Filters({ page, path, query, facets }: { page: Page; path: string; query: ListQuery; facets: Facets }) {
  const { words, market } = page
  const units = minorUnits(market.currency)
  const { min, max } = facets.price
  const isSet = Object.keys(toFilter(query)).some((name) => name !== 'query' && name !== 'categoryId')
  const sorts = {
    ...(query.query === undefined ? {} : { relevance: words.sortRelevance }),
    '-createdAt': words.sortNewest,
    '-sold': words.sortSold,
    price: words.sortCheap,
    '-price': words.sortDear,
    name: words.sortName,
  }
  return (
    <details className="filters" open={isSet}>
      <summary>{words.chooseFilters}</summary>
      <form action={path}>
        {query.query !== undefined && <input type="hidden" name="query" value={query.query} />}
        <label className="field">
          {words.sort}
          <select name="sort" defaultValue={query.sort}>
            {Object.entries(sorts).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {query.attributes.map(({ name, chosen }) => (
          <Choices
            key={name}
            name={name}
            label={words.names[name] ?? name}
            chosen={chosen}
            values={facets[`attribute.${name}`]?.values ?? []}
          />
        ))}
        <fieldset className="prices">
          <legend>
            {words.price} ({market.currency})
          </legend>
          <input
            name="priceFrom"
            inputMode="decimal"
            aria-label={words.priceFrom}
            placeholder={min === null ? '' : String(Math.floor(min / units))}
            defaultValue={query.priceFrom === undefined ? '' : query.priceFrom / units}
          />
          <span aria-hidden>–</span>
          <input
            name="priceTo"
            inputMode="decimal"
            aria-label={words.priceTo}
            placeholder={max === null ? '' : String(Math.ceil(max / units))}
            defaultValue={query.priceTo === undefined ? '' : query.priceTo / units}
          />
        </fieldset>
        <label className="check">
          <input type="checkbox" name="inStock" value="true" defaultChecked={query.inStock} />
          {words.inStockOnly}
        </label>
        <p className="actions">
          <button className="button">{words.apply}</button>
          {isSet && (
            <a href={query.query === undefined ? path : hrefTo(path, {}, { query: query.query })}>{words.all}</a>
          )}
        </p>
      </form>
    </details>
  )
}

type ChoicesProps = {
  name: string
  label: string
  chosen: readonly string[]
  values: readonly { value: string; count: number }[]
}

/** With how many there are. What was chosen stays, even if nothing has it any more. */
function Choices({ name, label, chosen, values }: ChoicesProps) {
  const gone = chosen.filter((value) => !values.some((each) => each.value === value))
  const shown = [...values, ...gone.map((value) => ({ value, count: 0 }))]
  if (shown.length === 0) return null
  return (
    <fieldset>
      <legend>{label}</legend>
      {shown.map(({ value, count }) => (
        <label className="check" key={value}>
          <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} />
          {value} <span className="count">{count}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** Whether it is the list itself, without filters: the one that search engines are to know. */
export const isPlainList = (params: SearchParams): boolean => Object.keys(params).length === 0
