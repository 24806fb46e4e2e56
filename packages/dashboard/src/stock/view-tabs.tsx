import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { isSame } from '../merge/is-same.ts'
import type { SavedView, ViewState } from '../saved-views/queries.ts'
import { Views } from '../saved-views/views.tsx'
import { readStockSearch, type StockSearch } from './search.ts'

const route = getRouteApi('/signed-in/$business/stock')

const readView = ({ filters }: ViewState) => readStockSearch(filters)
const searchOf = (view: SavedView): StockSearch => ({ ...readView(view), view: view.id })
const isSameView = (one: ViewState, other: ViewState) => isSame(readView(one), readView(other))

function viewOf({ view: _view, ...search }: StockSearch): ViewState {
  const named = Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { filters: Object.fromEntries(named), columns: [] }
}

/** Ways to see the stock, each an address. */
export function ViewTabs() {
  const { t } = useLingui()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const shown = viewOf(search)
  const builtIn = [
    { show: undefined, name: t`All` },
    { show: 'low', name: t`Low` },
    { show: 'empty', name: t`Empty` },
  ] as const
  return (
    <Views
      list="stock"
      shown={shown}
      openId={search.view}
      isBuiltIn={builtIn.some(({ show }) => isSameView(viewOf({ show }), shown))}
      isSame={isSameView}
      link={(view, props) => <route.Link to="." search={searchOf(view)} {...props} />}
      onOpen={(view) => void navigate({ search: view ? searchOf(view) : { ...search, view: undefined } })}
    >
      {builtIn.map(({ show, name }) => (
        <route.Link
          key={name}
          to="."
          search={(before) => (before.view ? { show } : { ...before, show })}
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          aria-current={search.view === undefined && search.show === show ? 'page' : undefined}
        >
          {name}
        </route.Link>
      ))}
    </Views>
  )
}
