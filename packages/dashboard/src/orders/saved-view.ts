import type { SavedView, ViewState } from '../saved-views/queries.ts'
import { COLUMNS, EXTRA_COLUMNS, FILTER_NAMES, filterKey, type OrderSearch, readOrdersSearch } from './filters.ts'

/** What an address shows, as a view keeps it: words, as they stand in the address. */
export function viewOf(search: OrderSearch): ViewState {
  const named = [...FILTER_NAMES, 'sort' as const].flatMap((name) => {
    const value = search[name]
    return value === undefined ? [] : [[name, Array.isArray(value) ? value : String(value)]]
  })
  return { filters: Object.fromEntries(named), columns: search.columns ?? [] }
}

const readView = ({ filters, columns }: ViewState) => readOrdersSearch({ ...filters, columns })

export const searchOf = (view: SavedView): OrderSearch => ({ ...readView(view), view: view.id })

export const isSameView = (one: ViewState, other: ViewState) => keyOf(readView(one)) === keyOf(readView(other))

const keyOf = (search: OrderSearch) => {
  const columns = search.columns ?? COLUMNS.filter((id) => !(EXTRA_COLUMNS as readonly string[]).includes(id))
  return JSON.stringify([filterKey(search), search.sort ?? '-createdAt', [...columns].sort()])
}
