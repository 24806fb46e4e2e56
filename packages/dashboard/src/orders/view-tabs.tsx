import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Count, Tabs } from '../ui/tabs.tsx'
import { filterKey, type OrderSearch } from './filters.ts'
import { orderCounts } from './queries.ts'
import { countOf, FAILED, VIEWS } from './views.ts'

/** Ways to see the orders, each an address, each with its count. */
export function ViewTabs({ business, search }: { business: string; search: OrderSearch }) {
  const { t, i18n } = useLingui()
  const { id: businessId, timeZone } = useBusiness()
  const format = useFormat()
  const place = { businessId, timeZone }
  const counts = {
    all: useQuery(orderCounts(place, {})).data,
    failed: useQuery(orderCounts(place, FAILED)).data,
  }
  return (
    <Tabs label={t`Views`}>
      {VIEWS.map((view) => {
        const from = view.counted && counts[view.counted]
        const count = countOf(view, from)
        const isOpen = filterKey(search) === filterKey(view.search)
        return (
          <Link
            key={view.id}
            to="/$business/orders"
            params={{ business }}
            search={{ ...view.search, columns: search.columns }}
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
    </Tabs>
  )
}
