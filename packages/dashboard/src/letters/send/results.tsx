import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { usePermissions } from '../../session/permissions.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Bones } from '../../ui/bones.tsx'
import { Money } from '../../ui/money.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useResults } from '../queries.ts'
import type { Results, Send } from '../types.ts'

/** What came of the letter: whom it reached, what they did with it, and which orders followed. */
export function ResultsOf({ of: send }: { of: Send }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { may } = usePermissions()
  const mayKnow = may('SUBSCRIBERS_READ')
  const { data, error, refetch } = useResults(businessId, send, mayKnow && send.startedAt !== null)
  if (!mayKnow || send.startedAt === null) return null
  return (
    <section className="section results" aria-label={t`Results`}>
      <div className="section-head">
        <h2>{t`Results`}</h2>
      </div>
      {data ? (
        <>
          <Figures of={data} />
          <Links of={data} />
        </>
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <Bones rows={3} columns={4} bleed={false} />
      )}
    </section>
  )
}

function Figures({ of: { reached, clicks, opens, unsubscribed, orders } }: { of: Results }) {
  const { t } = useLingui()
  const { number, percent } = useFormat()
  const part = (readers: number) => (reached > 0 ? percent(readers / reached) : undefined)
  const share = part(clicks.readers)
  return (
    <dl className="figures">
      <Figure name={t`Reached`} value={number(reached)}>{t`taken by the mail server`}</Figure>
      {clicks.isCounted ? (
        <Figure name={t`Clicked`} value={number(clicks.readers)}>
          {share && t`${share} of them; `}
          {t`${plural(clicks.total, { one: '# click', other: '# clicks' })}`}
        </Figure>
      ) : (
        <Figure name={t`Clicked`} value="–">
          <SettingsLink>{t`is not counted`}</SettingsLink>
        </Figure>
      )}
      {opens.isCounted && (
        <Figure name={t`Opened`} value={number(opens.readers)}>
          {t`unreliable: mail programs open letters by themselves`}
        </Figure>
      )}
      <Figure name={t`Unsubscribed`} value={number(unsubscribed)}>
        {part(unsubscribed) ? t`${part(unsubscribed)}, by the link in this letter` : t`by the link in this letter`}
      </Figure>
      <Orders of={orders} />
    </dl>
  )
}

const Figure = ({ name, value, children }: { name: string; value: ReactNode; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <span className="value">{value}</span>
      <span className="note">{children}</span>
    </dd>
  </div>
)

function Orders({ of: { count, byClick, byPromoCode, promoCodes, sums, newest } }: { of: Results['orders'] }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const { may } = usePermissions()
  const business = addressOf(useBusiness())
  const codes = promoCodes.join(', ')
  const ways = [
    byClick > 0 && t`${number(byClick)} after a click`,
    byPromoCode > 0 && t`${number(byPromoCode)} with ${codes}`,
  ].filter(Boolean)
  return (
    <div className="orders">
      <dt>{t`Orders that followed`}</dt>
      <dd>
        <span className="worth">
          <span className="value">{number(count)}</span>
          {sums.map(({ currency, amount }) => (
            <span key={currency} className="sum">
              <Money amount={amount} currency={currency} />
            </span>
          ))}
        </span>
        <span className="note">
          {ways.length > 0 ? `${ways.join(', ')}. ` : ''}
          {t`Paid, within 7 days, less refunds.`}
        </span>
        {count > 0 && may('ORDERS_READ') && (
          <Link to="/$business/orders" params={{ business }} search={{ id: newest }} className="link">
            {count > newest.length ? t`Show the newest ${number(newest.length)}` : t`Show these orders`}
          </Link>
        )}
      </dd>
    </div>
  )
}

/** Which links, where they lead, how often. */
function Links({ of: { clicks } }: { of: Results }) {
  const { t } = useLingui()
  const { number } = useFormat()
  if (!clicks.isCounted) return null
  if (clicks.links.length === 0) return <p className="note">{t`The letter has no links that are counted.`}</p>
  const most = Math.max(1, ...clicks.links.map(({ readers }) => readers))
  return (
    <table className="table stack links" aria-label={t`Links of the letter`}>
      <thead>
        <tr>
          <th>{t`Leads to`}</th>
          <th className="num">{t`Readers`}</th>
          <th className="num">{t`Clicks`}</th>
        </tr>
      </thead>
      <tbody>
        {clicks.links.map(({ url, clicks: times, readers }) => (
          <tr key={url}>
            <td className="p1">
              <a href={url} target="_blank" rel="noreferrer" className="link" title={url}>
                {readable(url)}
              </a>
              <span className="bar" aria-hidden="true">
                <span style={{ inlineSize: `${(readers / most) * 100}%` }} />
              </span>
            </td>
            <td className="num p2">{number(readers)}</td>
            <td className="num hide-phone">{number(times)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Without what every address has. */
const readable = (url: string) => url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')

function SettingsLink({ children }: { children: ReactNode }) {
  const business = addressOf(useBusiness())
  return (
    <Link to="/$business/settings/letters" params={{ business }} className="link">
      {children}
    </Link>
  )
}
