import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { usePermissions } from '../../session/permissions.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Money } from '../../ui/money.tsx'
import { When } from '../../ui/time.tsx'
import { type Promo, usesQuery } from '../queries.ts'

/** How often it was used, by which orders. */
export function UsesFacts({ promo }: { promo: Promo }) {
  const { t } = useLingui()
  const business = useBusiness()
  const address = addressOf(business)
  const { number } = useFormat()
  const { may, reason } = usePermissions()
  const mayRead = may('ORDERS_READ')
  const { data } = useQuery({ ...usesQuery(business.id, promo.code), enabled: mayRead })
  const { redemptions, maxRedemptions, code, createdAt, updatedAt } = promo
  const orders = data?.items ?? []
  return (
    <aside className="facts" aria-label={t`Facts`}>
      <section>
        <h2>{t`Uses`}</h2>
        <p className="used">
          <span className="figure">{number(redemptions)}</span>
          {maxRedemptions !== null && (
            <span className="soft">
              <Trans>of {number(maxRedemptions)}</Trans>
            </span>
          )}
        </p>
        {maxRedemptions !== null && (
          <span className="meter" aria-hidden="true">
            <i style={{ width: `${Math.min(100, (redemptions / maxRedemptions) * 100)}%` }} />
          </span>
        )}
        <p className="note after">{t`Orders that were not cancelled.`}</p>
      </section>
      <section>
        <h2>{t`Orders with it`}</h2>
        {mayRead ? (
          <>
            {orders.length === 0 && data && <p className="note">{t`None yet.`}</p>}
            <ul className="lines">
              {orders.map(({ id, number: order, createdAt: at, discount, currency }) => (
                <li key={id} className="apart">
                  <span>
                    <Link to="/$business/orders/$order" params={{ business: address, order: id }} className="link">
                      {order}
                    </Link>{' '}
                    <span className="note">
                      <When at={at} />
                    </span>
                  </span>
                  <Money amount={-discount} currency={currency} />
                </li>
              ))}
            </ul>
            {orders.length > 0 && (
              <p className="after">
                <Link
                  to="/$business/orders"
                  params={{ business: address }}
                  search={{ promoCode: [code] }}
                  className="link"
                >
                  {t`All orders with this code`}
                </Link>
              </p>
            )}
          </>
        ) : (
          <Button look="small" reason={reason('ORDERS_READ')}>{t`All orders with this code`}</Button>
        )}
      </section>
      <section>
        <dl className="pairs">
          <dt>{t`Created`}</dt>
          <dd>
            <When at={createdAt} />
          </dd>
          <dt>{t`Changed`}</dt>
          <dd>
            <When at={updatedAt} />
          </dd>
        </dl>
      </section>
    </aside>
  )
}
