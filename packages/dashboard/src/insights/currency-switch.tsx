import { useLingui } from '@lingui/react/macro'
import { route } from './use-insights.ts'

/** Amounts of two currencies are never added up: one is shown at a time. */
export function CurrencySwitch({ all, shown }: { all: readonly string[]; shown: string }) {
  const { t } = useLingui()
  if (all.length < 2) return null
  return (
    <nav className="segment" aria-label={t`Currency`}>
      {all.map((currency) => (
        <route.Link
          key={currency}
          to="/$business/insights"
          params={(now) => now}
          search={(now) => ({ ...now, currency })}
          resetScroll={false}
          aria-current={currency === shown ? 'true' : undefined}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {currency}
        </route.Link>
      ))}
    </nav>
  )
}
