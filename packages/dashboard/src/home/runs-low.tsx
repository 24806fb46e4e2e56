import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useFormat } from '../session/use-format.ts'
import { useReport } from './use-report.ts'

const route = getRouteApi('/signed-in/$business/')

/** Nothing at all where nothing is low. */
export function RunsLow() {
  const { t } = useLingui()
  const { number } = useFormat()
  const low = useReport().data?.lowStock ?? []
  if (low.length === 0) return null
  return (
    <section>
      <div className="section-head">
        <h2>{t`Runs low`}</h2>
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
          {low.map(({ productId, variantId, productName, variantName, quantity, lowStockThreshold }) => (
            <tr key={productId + variantId}>
              <td>
                <route.Link
                  to="/$business/stock/$product/$variant"
                  params={(now) => ({ ...now, product: productId, variant: variantId })}
                >
                  {[productName, variantName].filter(Boolean).join(', ')}
                </route.Link>
              </td>
              <td className="num nowrap">
                <span className={quantity === 0 ? 'strong alert-text' : 'strong'}>{number(quantity)}</span>{' '}
                {lowStockThreshold !== null && <span className="soft">{t`of ${number(lowStockThreshold)}`}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
