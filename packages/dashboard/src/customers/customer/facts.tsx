import { Plural, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { query } from '../../api/query.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Money } from '../../ui/money.tsx'
import { Status } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import type { Address, CustomerDetails } from '../types.ts'
import { Tags } from './tags.tsx'

/** Money, who, where: what orders and subscriptions here say, nothing of the account. */
export function Facts({ customer }: { customer: CustomerDetails }) {
  return (
    <aside className="facts">
      <Spent customer={customer} />
      {!customer.isErased && (
        <>
          <Contact customer={customer} />
          <Addresses addresses={customer.addresses} />
          <Tags customer={customer} />
          <Subscriptions customer={customer} />
        </>
      )}
    </aside>
  )
}

function Spent({ customer: { spent, firstOrderAt, lastOrderAt } }: { customer: CustomerDetails }) {
  const { t } = useLingui()
  return (
    <section>
      <h2>{t`Spent`}</h2>
      {spent.length === 0 ? (
        <p className="note">{t`Nothing has been paid yet.`}</p>
      ) : (
        spent.map(({ currency, amount, orders }) => (
          <dl key={currency} className="pairs sums">
            <dt className="sum">
              <Plural value={orders} one="In # paid order" other="In # paid orders" />
            </dt>
            <dd className="sum">
              <Money amount={amount} currency={currency} />
            </dd>
          </dl>
        ))
      )}
      <dl className="pairs after">
        {firstOrderAt !== null && (
          <>
            <dt>{t`First order`}</dt>
            <dd>
              <When at={firstOrderAt} />
            </dd>
          </>
        )}
        {lastOrderAt !== null && (
          <>
            <dt>{t`Last order`}</dt>
            <dd>
              <When at={lastOrderAt} />
            </dd>
          </>
        )}
      </dl>
    </section>
  )
}

function Contact({ customer: { email, phones } }: { customer: CustomerDetails }) {
  const { t } = useLingui()
  return (
    <section>
      <h2>{t`Contact`}</h2>
      <ul className="lines">
        {email && (
          <li className="break">
            <a className="link" href={`mailto:${email}`}>
              {email}
            </a>
          </li>
        )}
        {phones.map((phone) => (
          <li key={phone}>
            <a className="plain" href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>
              {phone}
            </a>
          </li>
        ))}
        {!email && phones.length === 0 && <li className="note">{t`No order has said how to reach them.`}</li>}
      </ul>
    </section>
  )
}

function Addresses({ addresses }: { addresses: readonly Address[] }) {
  const { t } = useLingui()
  const { locale } = useFormat()
  if (addresses.length === 0) return null
  const countries = new Intl.DisplayNames([locale], { type: 'region' })
  return (
    <section>
      <h2>{t`Addresses`}</h2>
      <ul className="lines">
        {addresses.map((address) => (
          <li key={JSON.stringify(address)}>
            <address>
              {linesOf(address, (code) => countries.of(code) ?? code).map((line) => (
                <Fragment key={line}>
                  {line}
                  <br />
                </Fragment>
              ))}
            </address>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Each country has its own way; where the town stands is known of those that write the code behind it. */
function linesOf(address: Address, countryOf: (code: string) => string): string[] {
  const { name, company, street, street2, city, state, zip, country } = address
  const isBehind = ['US', 'CA', 'AU', 'GB', 'IE', 'IN'].includes(country)
  const town = isBehind ? [[city, state].filter(Boolean).join(', '), zip] : [zip, city, state]
  return [name, company, street, street2, town.filter(Boolean).join(' '), countryOf(country)].filter(
    (line): line is string => Boolean(line),
  )
}

function Subscriptions({ customer: { subscriptions } }: { customer: CustomerDetails }) {
  const { t } = useLingui()
  const business = useBusiness()
  const { data } = useQuery({
    ...query(business.id, 'listCollections', { query: { limit: 100 } }),
    enabled: subscriptions.length > 0,
  })
  if (subscriptions.length === 0) return null
  const nameOf = (id: string) => data?.items.find((collection) => collection.id === id)?.name ?? t`A newsletter`
  const words = {
    PENDING: <Status fill="ring" tone="wait">{t`Not confirmed`}</Status>,
    ACTIVE: <Status fill="full" tone="good">{t`Reads`}</Status>,
    PAST_DUE: <Status fill="half" tone="wait">{t`Not paid`}</Status>,
    CANCELLED: <Status fill="off">{t`Unsubscribed`}</Status>,
  }
  return (
    <section>
      <h2>{t`Subscriptions`}</h2>
      <ul className="lines">
        {subscriptions.map(({ id, collectionId, planId, status, createdAt }) => (
          <li key={id} className="apart">
            <span>
              {nameOf(collectionId)}
              <span className="note block">
                {planId ? `${planId} · ` : ''}
                <When at={createdAt} />
              </span>
            </span>
            {words[status]}
          </li>
        ))}
      </ul>
    </section>
  )
}
