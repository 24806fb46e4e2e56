import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { Moment, useOwnFormat } from '../../profile/moment.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import type { BusinessDetail } from '../types.ts'
import { bytesIn } from '../words.tsx'

/** Who to write to, how large it is, what it uses. */
export function Facts({ of: business }: { of: BusinessDetail }) {
  const { t } = useLingui()
  const { number, locale } = useOwnFormat()
  const { id, slug, cell, admins, size, lastDay, paymentAccount, createdAt, lastCheck } = business
  return (
    <aside className="facts">
      <section>
        <h2>{t`Its admins`}</h2>
        {admins.length === 0 ? (
          <p className="soft">{t`It has none.`}</p>
        ) : (
          <ul className="op-admins">
            {admins.map(({ userId, email }) => (
              <li key={userId}>
                {email ? (
                  <a href={`mailto:${email}`} className="link">
                    {email}
                  </a>
                ) : (
                  userId
                )}
              </li>
            ))}
          </ul>
        )}
      </section>
      <section>
        <h2>{t`Within 24 hours`}</h2>
        <dl className="pairs">
          <dt>{t`Requests`}</dt>
          <dd>{number(lastDay.requests)}</dd>
          <dt>{t`Letters`}</dt>
          <dd>{number(lastDay.mails)}</dd>
          <dt>{t`Jobs run`}</dt>
          <dd>{number(lastDay.jobs)}</dd>
        </dl>
      </section>
      <section>
        <h2>{t`Size`}</h2>
        <dl className="pairs">
          <dt>{t`Records, about`}</dt>
          <dd>{number(size.rows)}</dd>
          <dt>{t`Files`}</dt>
          <dd>{bytesIn(locale, size.mediaBytes)}</dd>
        </dl>
      </section>
      <section>
        <h2>{t`Business`}</h2>
        <dl className="pairs">
          <dt>{t`Address`}</dt>
          <dd>{slug}</dd>
          <dt>{t`Cell`}</dt>
          <dd>
            <Link to="/operator/cells" className="link">
              {cell}
            </Link>
          </dd>
          <dt>{t`Created`}</dt>
          <dd>
            <Moment at={createdAt} />
          </dd>
          <dt>{t`Paid to`}</dt>
          <dd>{paymentAccount === null ? t`no account of its own` : `…${paymentAccount}`}</dd>
          {lastCheck && (
            <>
              <dt>{t`Books checked`}</dt>
              <dd>
                <Moment at={lastCheck.checkedAt} />
              </dd>
            </>
          )}
        </dl>
        <p className="op-id">
          <code>{id}</code> <CopyButton text={id} look="small">{t`Copy`}</CopyButton>
        </p>
      </section>
    </aside>
  )
}
