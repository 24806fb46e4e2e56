import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Views } from '../saved-views/views.tsx'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Count } from '../ui/tabs.tsx'
import { filterKey, type OrderSearch } from './filters.ts'
import { orderCounts } from './queries.ts'
import { isSameView, searchOf, viewOf } from './saved-view.ts'
import { countOf, FAILED, VIEWS } from './views.ts'

/** Ways to see the orders, each an address; those that are always there with their counts. */
export function ViewTabs({ business, search }: { business: string; search: OrderSearch }) {
  const { i18n } = useLingui()
  const { id: businessId, timeZone } = useBusiness()
  const navigate = useNavigate()
  const format = useFormat()
  const place = { businessId, timeZone }
  const counts = {
    all: useQuery(orderCounts(place, {})).data,
    failed: useQuery(orderCounts(place, FAILED)).data,
  }
  const at = { to: '/$business/orders', params: { business } } as const
  const shown = viewOf(search)
  return (
    <Views
      list="orders"
      shown={shown}
      openId={search.view}
      isBuiltIn={VIEWS.some((view) => isSameView(viewOf(view.search), shown))}
      isSame={isSameView}
      link={(view, props) => <Link {...at} search={searchOf(view)} {...props} />}
      onOpen={(view) => void navigate({ ...at, search: view ? searchOf(view) : { ...search, view: undefined } })}
    >
      {VIEWS.map((view) => {
        const from = view.counted && counts[view.counted]
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
              <Count person={view.counted === 'failed' && count > 0}>
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
