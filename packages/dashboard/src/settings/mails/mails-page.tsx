import '../../letters/letters.css'
import type { Answer } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { query } from '../../api/query.ts'
import { Frame } from '../../letters/letter/frame.tsx'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { Bones } from '../../ui/bones.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Head } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Tabs } from '../../ui/tabs.tsx'

const route = getRouteApi('/signed-in/$business/settings/mails')
type Preview = Answer<'previewMail'>
type Mail = Preview['mail']

/** What the shop sends by itself, as whoever gets it sees it. */
export function MailsPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const { groups, wordsOf } = useMails()
  const { mail: wanted, as } = route.useSearch()
  const navigate = route.useNavigate()
  const mail = groups.flatMap(({ mails }) => mails).find((one) => one === wanted) ?? 'order-confirmation'
  const { data, error, refetch } = useQuery({
    ...query(business.id, 'previewMail', { path: { mail } }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <Head title={t`Mails`} />
      <div className="mails">
        <select
          className="select mail-choice"
          aria-label={t`Mail`}
          value={mail}
          onChange={({ target }) =>
            void navigate({ search: (now) => ({ ...now, mail: target.value }), replace: true, resetScroll: false })
          }
        >
          {groups.map(({ name, mails }) => (
            <optgroup key={name} label={name}>
              {mails.map((one) => (
                <option key={one} value={one}>
                  {wordsOf[one].name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        <nav className="mail-list" aria-label={t`Mails`}>
          {groups.map(({ name, mails }) => (
            <section key={name}>
              <h2 className="label">{name}</h2>
              {mails.map((one) => (
                <route.Link
                  key={one}
                  to="."
                  search={(now) => ({ ...now, mail: one })}
                  replace
                  resetScroll={false}
                  aria-current={one === mail ? 'page' : undefined}
                >
                  <b>{wordsOf[one].name}</b>
                  <span className="note">{wordsOf[one].when}</span>
                </route.Link>
              ))}
            </section>
          ))}
        </nav>
        <div className="mail-preview">
          {error ? (
            <Problem error={error} onRetry={() => void refetch()} />
          ) : data ? (
            <Shown preview={data} as={as} />
          ) : (
            <Bones rows={6} columns={2} bleed={false} />
          )}
        </div>
      </div>
    </>
  )
}

function Shown({ preview, as }: { preview: Preview; as: 'dark' | 'text' | undefined }) {
  const { t } = useLingui()
  const business = useBusiness()
  const address = addressOf(business)
  const { subject, fromName, replyTo, to, html, text } = preview
  const tos: Record<Preview['to'], string> = {
    CUSTOMER: t`a customer`,
    BUSINESS: business.contactEmail ?? t`nobody: there is no contact address`,
    INVITED: t`whoever is invited`,
  }
  const looks = { light: undefined, dark: 'dark', text: 'text' } as const
  const names = { light: t`Light`, dark: t`Dark`, text: t`Text` }
  return (
    <>
      <dl className="pairs mail-head">
        <dt>{t`Subject`}</dt>
        <dd className="strong">{subject}</dd>
        <dt>{t`From`}</dt>
        <dd>{fromName ?? t`the service`}</dd>
        <dt>{t`To`}</dt>
        <dd>{tos[to]}</dd>
        {replyTo && (
          <>
            <dt>{t`Answers to`}</dt>
            <dd>{replyTo}</dd>
          </>
        )}
      </dl>
      {!business.contactEmail && (
        <Notice
          tone="wait"
          title={t`There is no contact address.`}
          action={
            <Link to="/$business/settings/business" params={{ business: address }} className="button small">
              {t`Set it`}
            </Link>
          }
        >
          {to === 'BUSINESS' ? t`This mail is not sent.` : t`Nobody can answer this mail.`}
        </Notice>
      )}
      <Tabs label={t`How it is seen`}>
        {(Object.keys(looks) as (keyof typeof looks)[]).map((look) => (
          <route.Link
            key={look}
            to="."
            search={(now) => ({ ...now, as: looks[look] })}
            replace
            resetScroll={false}
            aria-current={as === looks[look] ? 'page' : undefined}
          >
            {names[look]}
          </route.Link>
        ))}
      </Tabs>
      {as === 'text' ? (
        <pre className="mail-text">{text}</pre>
      ) : (
        <Frame html={html} title={subject} isDark={as === 'dark'} />
      )}
      <p className="note">
        {t`With your name, logo, first language and first market, about an order that does not exist. Nothing is sent.`}
      </p>
    </>
  )
}

function useMails() {
  const { t } = useLingui()
  const wordsOf: Record<Mail, { name: string; when: string }> = {
    'order-confirmation': { name: t`Order confirmed`, when: t`once an order is paid` },
    shipment: { name: t`Order shipped`, when: t`with each parcel` },
    claim: { name: t`Order by hand`, when: t`to take an order into an account` },
    'confirm-subscription': { name: t`Subscription`, when: t`before a reader gets letters` },
    'new-order': { name: t`New order`, when: t`as soon as one comes in` },
    'low-stock': { name: t`Low stock`, when: t`when something runs out` },
    invitation: { name: t`Invitation`, when: t`when you invite somebody` },
  }
  const groups: { name: string; mails: Mail[] }[] = [
    { name: t`To customers`, mails: ['order-confirmation', 'shipment', 'claim', 'confirm-subscription'] },
    { name: t`To you`, mails: ['new-order', 'low-stock'] },
    { name: t`To your team`, mails: ['invitation'] },
  ]
  return { wordsOf, groups }
}
