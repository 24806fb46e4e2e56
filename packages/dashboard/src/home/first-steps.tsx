import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { usePermissions } from '../session/permissions.ts'

const route = getRouteApi('/signed-in/$business/')

/** A shop that has never sold: what comes first. */
export function FirstSteps() {
  const { t } = useLingui()
  const { may } = usePermissions()
  const steps = [
    {
      to: '/$business/settings/markets' as const,
      isFor: may('SETTINGS_WRITE'),
      what: t`Say where you sell`,
      why: t`A market has its currency, its tax and its shipping.`,
    },
    {
      to: '/$business/products/new' as const,
      isFor: may('PRODUCTS_WRITE'),
      what: t`Add a first product`,
      why: t`With a price in that market, it can be bought.`,
    },
    {
      to: '/$business/settings/payments' as const,
      isFor: may('SETTINGS_WRITE'),
      what: t`See where the money goes`,
      why: t`Without an account nobody can pay.`,
    },
    {
      to: '/$business/settings/team' as const,
      isFor: may('SETTINGS_WRITE'),
      what: t`Invite who packs`,
      why: t`Each role sees what it needs.`,
    },
  ].filter(({ isFor }) => isFor)
  return (
    <section>
      <div className="section-head">
        <h2>{t`No orders yet`}</h2>
        <span className="note">{t`The first one stands here as soon as it comes.`}</span>
      </div>
      {steps.length > 0 && (
        <ol className="tasks steps">
          {steps.map(({ to, what, why }, index) => (
            <li key={to}>
              <span className="step-number" aria-hidden="true">
                {index + 1}
              </span>
              <div>
                <route.Link className="what" to={to} params={(now) => now}>
                  {what}
                </route.Link>
                <p className="note">{why}</p>
              </div>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
