import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'

const route = getRouteApi('/signed-in/$business/')

/** Setup steps of a shop without orders. */
export function FirstSteps() {
  const { t } = useLingui()
  const { may } = usePermissions()
  const { contactEmail } = useBusiness()
  const steps = [
    {
      to: '/$business/settings/business' as const,
      isFor: may('SETTINGS_WRITE') && !contactEmail,
      what: t`Add a contact email`,
      why: t`You get order and low stock notifications at this address, and customers reply to it.`,
    },
    {
      to: '/$business/settings/markets' as const,
      isFor: may('SETTINGS_WRITE'),
      what: t`Add a market`,
      why: t`Each market has its own currency, taxes, and shipping.`,
    },
    {
      to: '/$business/products/new' as const,
      isFor: may('PRODUCTS_WRITE'),
      what: t`Add a first product`,
      why: t`Give it a price in your market, so customers can buy it.`,
    },
    {
      to: '/$business/settings/payments' as const,
      isFor: may('SETTINGS_WRITE'),
      what: t`Set up payments`,
      why: t`Customers can't pay until you connect an account.`,
    },
    {
      to: '/$business/settings/team' as const,
      isFor: may('SETTINGS_WRITE'),
      what: t`Invite your team`,
      why: t`Roles control what each team member can see and do.`,
    },
  ].filter(({ isFor }) => isFor)
  return (
    <section>
      <div className="section-head">
        <h2>{t`No orders yet`}</h2>
        <span className="note">{t`Your first order will appear here.`}</span>
      </div>
      {steps.length > 0 && (
        <ol className="tasks steps">
          {steps.map(({ to, what, why }, index) => (
            <li key={to}>
              <span className="step-number tabular-nums" aria-hidden="true">
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
