import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import type { CheckedRule } from './queries.ts'

const route = getRouteApi('/signed-in/$business/settings/checks')

/** One row that breaks a rule: a link to what it is about, and the figures that differ. */
export function ExampleRow({ of: example }: { of: CheckedRule['examples'][number] }) {
  const { t } = useLingui()
  const text = (name: string) => (typeof example[name] === 'string' ? example[name] : undefined)
  const subject = text('subject')
  const orderId = text('orderId') ?? (subject?.startsWith('order:') ? subject.slice('order:'.length) : undefined)
  const productId = text('productId')
  const person = text('userId') ?? text('person')
  const shown = new Set(['orderId', 'productId', 'userId', 'person'])
  return (
    <li className="check-row">
      <span className="check-links">
        {orderId && (
          <route.Link to="/$business/orders/$order" params={(now) => ({ ...now, order: orderId })} className="link">
            {t`Open the order`}
          </route.Link>
        )}
        {productId && (
          <route.Link
            to="/$business/products/$product"
            params={(now) => ({ ...now, product: productId })}
            className="link"
          >
            {t`Open the product`}
          </route.Link>
        )}
        {person && (
          <route.Link
            to="/$business/customers/$customer"
            params={(now) => ({ ...now, customer: person })}
            className="link"
          >
            {t`Open the customer`}
          </route.Link>
        )}
      </span>
      <dl className="check-facts">
        {Object.entries(example)
          .filter(([name]) => !shown.has(name))
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
      </dl>
    </li>
  )
}
