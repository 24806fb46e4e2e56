import { blockText, type Order } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../../api/query.ts'
import { usePermissions } from '../../session/permissions.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Money } from '../../ui/money.tsx'
import { When } from '../../ui/time.tsx'
import { nameOfOrder, useStatusWords } from '../words.tsx'
import { ContactFacts } from './contact-facts.tsx'
import { Tags } from './tags.tsx'
import type { useContact } from './use-contact.ts'
import type { OrderView } from './view.ts'

type Props = { view: OrderView; contact: ReturnType<typeof useContact>; isEditing: boolean; onEdit: () => void }

/** State, customer, money: what one wants to know while working. */
export function Facts({ view, contact, isEditing, onEdit }: Props) {
  const { t } = useLingui()
  const { order } = view
  const business = useBusiness()
  const market = business.markets.find(({ id }) => id === order.market)?.name ?? order.market
  return (
    <aside className="facts" aria-label={t`Facts`}>
      <MoneyFacts view={view} />
      <CustomerFacts order={order} />
      <ContactFacts {...{ view, contact, isEditing, onEdit }} />
      <section>
        <h2>{t`Order`}</h2>
        <dl className="pairs">
          <dt>{t`Placed`}</dt>
          <dd>
            <Moment at={order.createdAt} />
          </dd>
          <dt>{t`Market`}</dt>
          <dd>
            {market}, {order.currency}
          </dd>
          {order.expiresAt !== null && (
            <>
              <dt>{t`Ends if not paid`}</dt>
              <dd>
                <Moment at={order.expiresAt} />
              </dd>
            </>
          )}
        </dl>
        <Tags view={view} />
      </section>
      <Histories order={order} />
    </aside>
  )
}

function MoneyFacts({ view: { order, money, refunds } }: { view: OrderView }) {
  const { t } = useLingui()
  const { currency } = order
  const failed = refunds.filter(({ status }) => status === 'FAILED').length
  if (money.paid === 0)
    return (
      <section>
        <h2>{t`Money`}</h2>
        <dl className="pairs">
          <dt>{t`To be paid`}</dt>
          <dd>
            <Money amount={order.total} currency={currency} />
          </dd>
          <dt>{t`Paid`}</dt>
          <dd>
            <Money amount={0} currency={currency} />
          </dd>
        </dl>
      </section>
    )
  return (
    <section>
      <h2>{t`Money`}</h2>
      <dl className="pairs">
        <dt>{t`Paid`}</dt>
        <dd>
          <Money amount={money.paid} currency={currency} />
        </dd>
        {money.waiting > 0 && (
          <>
            <dt className="wait-text">{t`Asked back`}</dt>
            <dd className="wait-text">
              <Money amount={-money.waiting} currency={currency} />
            </dd>
          </>
        )}
        <dt>{t`Refunded`}</dt>
        <dd>
          <Money amount={money.refunded === 0 ? 0 : -money.refunded} currency={currency} />
        </dd>
        <dt className="sum">{money.waiting > 0 ? t`Ours, at least` : t`Ours`}</dt>
        <dd className="sum">
          <Money amount={money.ours} currency={currency} />
        </dd>
      </dl>
      {failed > 0 && (
        <p className="note alert-text mt-2">
          <Plural value={failed} one="# refund failed: see below." other="# refunds failed: see below." />
        </p>
      )}
    </section>
  )
}

function CustomerFacts({ order }: { order: Order }) {
  const { t } = useLingui()
  const business = useBusiness()
  const { may } = usePermissions()
  const { data: customer } = useQuery({
    ...query(business.id, 'getCustomer', { path: { userId: order.customerId } }),
    enabled: may('ORDERS_READ'),
  })
  const name = nameOfOrder(order) || customer?.name || customer?.email || order.customerId
  const email = order.contactEmail ?? blockText(order.blocks, 'email') ?? customer?.email
  const spent = customer?.spent.find(({ currency }) => currency === order.currency)
  const count = customer?.orders ?? 0
  return (
    <section>
      <h2>{t`Customer`}</h2>
      <p className="strong">{name}</p>
      <p className="soft text-table">
        {email && email !== name && (
          <>
            <a className="plain break-all" href={`mailto:${email}`}>
              {email}
            </a>
            <br />
          </>
        )}
        {order.phone && <a href={`tel:${order.phone.replaceAll(/\s/g, '')}`}>{order.phone}</a>}
      </p>
      {count > 0 && (
        <p className="note mt-2">
          <Link
            className="link"
            to="/$business/customers/$customer"
            params={{ business: addressOf(business), customer: order.customerId }}
          >
            <Plural value={count} one="# order" other="# orders" />
          </Link>
          {spent && (
            <>
              {', '}
              <Money amount={spent.amount} currency={spent.currency} />
            </>
          )}
          {customer?.isGuest && ` · ${t`without an account`}`}
        </p>
      )}
    </section>
  )
}

/** Both histories: how the goods went, how the money went. */
function Histories({ order }: { order: Order }) {
  const { t } = useLingui()
  const words = useStatusWords()
  return (
    <section>
      <h2>{t`How it went`}</h2>
      <dl className="pairs">
        <History
          name={t`Goods`}
          entries={order.statuses.map((entry) => ({ ...entry, word: words.status(entry.status) }))}
        />
        <History
          name={t`Money`}
          entries={order.paymentStatus.map((entry) => ({ ...entry, word: words.payment(entry.status) }))}
        />
      </dl>
    </section>
  )
}

const History = ({ name, entries }: { name: string; entries: { id: string; word: string; timestamp: number }[] }) => (
  <>
    <dt>{name}</dt>
    <dd className="history">
      <ol>
        {entries.map(({ id, word, timestamp }) => (
          <li key={id}>
            {word}{' '}
            <span className="soft">
              <When at={timestamp} />
            </span>
          </li>
        ))}
      </ol>
    </dd>
  </>
)

function Moment({ at }: { at: number }) {
  const format = useFormat()
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={format.full(at)}>
      <Trans>
        {format.date(at)}, {format.time(at)}
      </Trans>
    </time>
  )
}
