import type { SavedView, ViewState } from '../saved-views/queries.ts'
import { COLUMNS, EXTRA_COLUMNS, FILTER_NAMES, filterKey, type ProductSearch, readProductsSearch } from './filters.ts'

/** What an address shows, as a view keeps it: words, as they stand in the address. */
export function viewOf(search: ProductSearch): ViewState {
  const named = [...FILTER_NAMES, 'market' as const, 'sort' as const].flatMap((name) => {
    const value = search[name]
    return value === undefined ? [] : [[name, String(value)]]
  })
  return { filters: Object.fromEntries(named), columns: search.columns ?? [] }
}

const readView = ({ filters, columns }: ViewState) => readProductsSearch({ ...filters, columns })

export const searchOf = (view: SavedView): ProductSearch => ({ ...readView(view), view: view.id })

export const isSameView = (one: ViewState, other: ViewState) => keyOf(readView(one)) === keyOf(readView(other))

const keyOf = (search: ProductSearch) => {
  const columns = search.columns ?? COLUMNS.filter((id) => !(EXTRA_COLUMNS as readonly string[]).includes(id))
  return JSON.stringify([filterKey(search), search.market, search.sort ?? '-createdAt', [...columns].sort()])
}
