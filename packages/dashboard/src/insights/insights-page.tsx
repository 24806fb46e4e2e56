import './insights.css'
import { useLingui } from '@lingui/react/macro'
import { usePermissions } from '../session/permissions.ts'
import { useCommands } from '../shell/commands.ts'
import { Head } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Customers } from './customers.tsx'
import { Choices } from './head.tsx'
import { Products } from './products.tsx'
import { Promos } from './promos.tsx'
import { Readers } from './readers.tsx'
import { Sales } from './sales.tsx'
import type { Report } from './search.ts'
import { route, useInsights } from './use-insights.ts'
import { useSpanWords } from './use-span-words.ts'

/** What was sold, by whom and with what; who reads. Every figure leads to the list behind it. */
export function InsightsPage() {
  const { t } = useLingui()
  const { may } = usePermissions()
  const { search, period } = useInsights()
  const { days } = useSpanWords()
  useCommands([{ id: 'to-figures', label: t`To the figures`, keys: 'j', run: focusFigures }])
  const names: Record<Report, string> = {
    sales: t`Revenue`,
    products: t`Products`,
    customers: t`Customers`,
    'promo-codes': t`Promo codes`,
    readers: t`Readers`,
  }
  const shown: Report[] = [
    ...(may('ORDERS_READ') ? (['sales', 'products', 'customers', 'promo-codes'] as const) : []),
    ...(may('SUBSCRIBERS_READ') ? (['readers'] as const) : []),
  ]
  const report = search.report && shown.includes(search.report) ? search.report : shown[0]
  return (
    <>
      <Head title={t`Insights`} facts={<span>{days(period)}</span>} />
      <Tabs label={t`Reports`}>
        {shown.map((one) => (
          <route.Link
            key={one}
            to="/$business/insights"
            params={(now) => now}
            search={(now) => ({
              ...now,
              report: one === shown[0] ? undefined : one,
              figure: undefined,
              sort: undefined,
            })}
            aria-current={one === report ? 'page' : undefined}
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {names[one]}
          </route.Link>
        ))}
      </Tabs>
      <Choices
        hasIntervals={report === 'sales' || report === 'customers' || report === 'readers'}
        hasMarkets={report !== 'readers'}
      />
      <div className="page insights">
        {report === 'sales' && <Sales />}
        {report === 'products' && <Products />}
        {report === 'customers' && <Customers />}
        {report === 'promo-codes' && <Promos />}
        {report === 'readers' && <Readers />}
      </div>
    </>
  )
}

/** The newest column, or the first line of the table: from there arrows or Tab lead on. */
const focusFigures = () =>
  document.querySelector<HTMLElement>('.column[tabindex="0"], .insights > section .table a')?.focus()
