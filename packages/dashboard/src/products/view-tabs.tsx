import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Views } from '../saved-views/views.tsx'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Count } from '../ui/tabs.tsx'
import { filterKey, type ProductSearch } from './filters.ts'
import { productCounts } from './queries.ts'
import { isSameView, searchOf, viewOf } from './saved-view.ts'
import { countOf, SOLD_OUT, VIEWS } from './views.ts'

/** Ways to see the products, each an address; those that are always there with their counts. */
export function ViewTabs({ business, search }: { business: string; search: ProductSearch }) {
  const { i18n } = useLingui()
  const place = useBusiness()
  const navigate = useNavigate()
  const format = useFormat()
  const counts = {
    all: useQuery(productCounts(place, {})).data,
    soldOut: useQuery(productCounts(place, SOLD_OUT)).data,
  }
  const at = { to: '/$business/products', params: { business } } as const
  const shown = viewOf(search)
  return (
    <Views
      list="products"
      shown={shown}
      openId={search.view}
      isBuiltIn={VIEWS.some((view) => isSameView(viewOf(view.search), shown))}
      isSame={isSameView}
      link={(view, props) => <Link {...at} search={searchOf(view)} {...props} />}
      onOpen={(view) => void navigate({ ...at, search: view ? searchOf(view) : { ...search, view: undefined } })}
    >
      {VIEWS.map((view) => {
        const from = counts[view.counted]
        const count = countOf(view, from)
        const isOpen = search.view === undefined && filterKey(search) === filterKey(view.search)
        return (
          <Link
            key={view.id}
            {...at}
            search={{ ...view.search, columns: search.view ? undefined : search.columns }}
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={isOpen ? 'page' : undefined}
          >
            {i18n._(view.name)}
            {count !== undefined && (
              <Count person={view.id === 'sold-out' && count > 0}>
                {format.number(count)}
                {from?.isExact === false ? '+' : ''}
              </Count>
            )}
          </Link>
        )
      })}
    </Views>
  )
}
