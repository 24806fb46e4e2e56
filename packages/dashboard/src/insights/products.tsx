import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Bones } from '../ui/bones.tsx'
import { Empty } from '../ui/empty.tsx'
import { Problem } from '../ui/problem.tsx'
import { unitsOf } from './amount.tsx'
import { SaveTable } from './as-switch.tsx'
import { Counted } from './counted.tsx'
import { CurrencySwitch } from './currency-switch.tsx'
import { productPages } from './queries.ts'
import { Ranking } from './ranking.tsx'
import { route, useInsights } from './use-insights.ts'

/** What sells: every variant with its share of the sales. */
export function Products() {
  const { t } = useLingui()
  const { business, search, period, own, currency, inMarket } = useInsights()
  const list = useInfiniteQuery({
    ...productPages(business.id, period, { market: search.market, currency, sort: search.sort }),
    placeholderData: keepPreviousData,
  })
  const { data, error, refetch } = list
  if (!data) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Bones rows={9} bleed={false} />
  const rows = data.pages
    .flatMap(({ items }) => items)
    .map((row) => ({
      ...row,
      shown: row.name + inMarket(row.market),
      key: `${row.variantId} ${row.productId} ${row.market} ${row.currency}`,
    }))
  const sorts = [
    { sort: undefined, name: t`By net sales` },
    { sort: '-units' as const, name: t`By pieces` },
  ]
  return (
    <>
      <Counted upToEvent={data.pages[0]?.upToEvent} readAgain={refetch} />
      <section>
        <div className="section-head">
          <h2>{t`What sells`}</h2>
          <div className="end insight-acts">
            <CurrencySwitch all={own} shown={currency} />
            <nav className="segment" aria-label={t`Ranked`}>
              {sorts.map(({ sort, name }) => (
                <route.Link
                  key={name}
                  to="/$business/insights"
                  params={(now) => now}
                  search={(now) => ({ ...now, sort })}
                  resetScroll={false}
                  aria-current={sort === search.sort ? 'true' : undefined}
                  activeOptions={{ exact: true, includeSearch: true }}
                >
                  {name}
                </route.Link>
              ))}
            </nav>
            <SaveTable
              name="products"
              rows={() => [
                [
                  'product',
                  'productId',
                  'variantId',
                  'market',
                  'currency',
                  'orders',
                  'pieces',
                  'refunded',
                  'net',
                  'netBefore',
                ],
                ...rows.map((row) => [
                  row.name,
                  row.productId,
                  row.variantId,
                  row.market,
                  row.currency,
                  row.orders,
                  row.units,
                  unitsOf(row.refunded, row.currency),
                  unitsOf(row.net, row.currency),
                  unitsOf(row.previous?.net ?? 0, row.currency),
                ]),
              ]}
            />
          </div>
        </div>
        {rows.length === 0 ? (
          <Empty
            title={
              own.some((one) => one !== currency)
                ? t`Nothing was sold in ${currency} in this period`
                : t`Nothing was sold in this period`
            }
          >
            {t`Each product stands here with its share, from its first paid order on.`}
          </Empty>
        ) : (
          <Ranking
            head={t`Product`}
            rows={rows}
            by={search.sort === '-units' ? 'units' : 'net'}
            more={{ has: list.hasNextPage, isLoading: list.isFetchingNextPage, load: () => void list.fetchNextPage() }}
          />
        )}
      </section>
    </>
  )
}
