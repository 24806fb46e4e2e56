import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Bones } from '../ui/bones.tsx'
import { Empty } from '../ui/empty.tsx'
import { Problem } from '../ui/problem.tsx'
import { unitsOf } from './amount.tsx'
import { SaveTable } from './as-switch.tsx'
import { Counted } from './counted.tsx'
import { CurrencySwitch } from './currency-switch.tsx'
import { promoPages } from './queries.ts'
import { Ranking } from './ranking.tsx'
import { useInsights } from './use-insights.ts'

/** What orders with each promo code came to, and what the code gave away. */
export function Promos() {
  const { t } = useLingui()
  const { business, search, period, own, currency, inMarket } = useInsights()
  const list = useInfiniteQuery({
    ...promoPages(business.id, period, { market: search.market, currency }),
    placeholderData: keepPreviousData,
  })
  const { data, error, refetch } = list
  if (!data) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Bones rows={9} bleed={false} />
  const rows = data.pages
    .flatMap(({ items }) => items)
    .map((row) => ({
      ...row,
      shown: row.promoCode + inMarket(row.market),
      key: `${row.promoCode} ${row.market} ${row.currency}`,
    }))
  return (
    <>
      <Counted upToEvent={data.pages[0]?.upToEvent} readAgain={refetch} />
      <section>
        <div className="section-head">
          <h2>{t`Orders with a promo code`}</h2>
          <div className="end insight-acts">
            <CurrencySwitch all={own} shown={currency} />
            <SaveTable
              name="promo-codes"
              rows={() => [
                ['promoCode', 'market', 'currency', 'orders', 'pieces', 'discount', 'refunded', 'net', 'netBefore'],
                ...rows.map((row) => [
                  row.promoCode,
                  row.market,
                  row.currency,
                  row.orders,
                  row.units,
                  unitsOf(row.discount, row.currency),
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
                ? t`No promo code was used in ${currency} in this period`
                : t`No promo code was used in this period`
            }
          >
            {t`Each code stands here with the orders in which it was used.`}
          </Empty>
        ) : (
          <Ranking
            head={t`Promo code`}
            rows={rows}
            by="net"
            hasDiscount
            more={{ has: list.hasNextPage, isLoading: list.isFetchingNextPage, load: () => void list.fetchNextPage() }}
          />
        )}
      </section>
    </>
  )
}
