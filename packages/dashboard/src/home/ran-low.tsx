import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useFormat } from '../session/use-format.ts'
import { useNews } from './use-news.ts'

const route = getRouteApi('/signed-in/$business/')

/** Nothing at all where nothing ran low. */
export function RanLow() {
  const { t } = useLingui()
  const { number } = useFormat()
  const { data } = useQuery(useNews())
  const low = data?.low ?? []
  if (low.length === 0) return null
  return (
    <section>
      <div className="section-head">
        <h2>{t`Ran low`}</h2>
        <span className="note">{t`in the last 7 days`}</span>
        <route.Link
          to="/$business/stock"
          params={(now) => now}
          search={{ show: 'low' }}
          className="link note end"
        >{t`All that is low`}</route.Link>
      </div>
      <table className="table">
        <thead>
          <tr>
            <th>{t`Variant`}</th>
            <th className="num">{t`Left`}</th>
          </tr>
        </thead>
        <tbody>
          {low.map(({ productId, product, variant, left, threshold }) => (
            <tr key={productId + variant.id}>
              <td className="cut">
                <route.Link
                  to="/$business/stock/$product/$variant"
                  params={(now) => ({ ...now, product: productId, variant: variant.id })}
                >
                  {[product, variant.name].filter(Boolean).join(', ')}
                </route.Link>
              </td>
              <td className="num">
                <span className={left === 0 ? 'strong alert-text' : 'strong'}>{number(left)}</span>{' '}
                <span className="soft">{t`of ${threshold}`}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
