import '../letters.css'
import { KontorError } from '@kontor/sdk'
import { Plural, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Pencil, Send as SendIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { usePermissions } from '../../session/permissions.ts'
import { meQuery } from '../../session/queries.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Head, usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { When } from '../../ui/time.tsx'
import { Crumbs } from '../crumbs.tsx'
import { EditorLink } from '../editor-link.tsx'
import { letterQuery, newsletterQuery, previewQuery, useReach, useSends } from '../queries.ts'
import { subjectOf } from '../subject.ts'
import { type Letter, mainOf, newsletterIdOf, type Send } from '../types.ts'
import { LetterState, SendState, useMoment, useTitleOf } from '../words.tsx'
import { checkLetter, checkMail, checkRefusal } from './check.ts'
import { Findings } from './findings.tsx'
import { Preview } from './preview.tsx'
import { SendForm } from './send-form.tsx'
import { useSendLetter } from './use-send.ts'
import { Variables } from './variables.tsx'

const route = getRouteApi('/signed-in/$business/letters/$entry')

/** One letter: what its readers will get, whether it is in order, and when it goes. */
export function LetterPage() {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { entry } = route.useParams()
  const found = useQuery(letterQuery(businessId, entry))
  if (found.data) return <Loaded key={entry} of={found.data} />
  return (
    <div className="letters">
      <Head title={t`Letter`} />
      <div className="page">
        {found.isError ? (
          <Problem error={found.error} onRetry={() => void found.refetch()} />
        ) : (
          <Bones rows={10} columns={3} bleed={false} />
        )}
      </div>
    </div>
  )
}

/** Asks for the mail as a reader gets it. What the service has to say of the template is an answer, too. */
function useMail(letter: Letter) {
  const { id: businessId, storefront } = useBusiness()
  const { may } = usePermissions()
  const { data: newsletter } = useQuery(newsletterQuery(businessId, newsletterIdOf(letter)))
  const {
    data: mail,
    error,
    refetch,
  } = useQuery({
    ...previewQuery(businessId, letter.id),
    enabled: may('CONTENT_READ_DRAFTS'),
  })
  const isRefused = error instanceof KontorError && error.status === 422
  const refused = isRefused ? checkRefusal(error.details, letter) : []
  const isKnown = mail !== undefined || refused.length > 0
  const findings = isKnown
    ? [
        ...refused,
        ...checkLetter(letter, {
          newsletter,
          subject: subjectOf(letter),
          hasProductPages: Boolean(storefront?.productUrl),
        }),
        ...(mail && !isRefused ? checkMail(mail) : []),
      ]
    : undefined
  return { mail: isRefused ? undefined : mail, findings, isRefused, error: refused.length > 0 ? null : error, refetch }
}

function Loaded({ of: letter }: { of: Letter }) {
  const { t } = useLingui()
  const title = useTitleOf()(letter)
  const { may, reason } = usePermissions()
  const { mail, findings, isRefused, error, refetch } = useMail(letter)
  const sends = useSends(letter.id).data?.items ?? []
  const { data: me } = useSuspenseQuery(meQuery())
  const { test, asked, error: failure } = useSendLetter(letter.id)
  usePageTitle(title)
  const lacks = reason('CONTENT_READ_DRAFTS')
  const why =
    reason('NEWSLETTER_SEND') ??
    (isRefused ? t`Its template is wrong: see the check.` : undefined) ??
    (asked ? t`Processing…` : undefined)
  const email = me.email ?? ''
  const tryIt = () => void test(email)
  useCommands([{ id: 'test-mail', label: t`Test to me`, keys: 't', icon: SendIcon, reason: why, run: tryIt }])
  const main = mainOf(sends)
  return (
    <div className="letters letter">
      <header className="head">
        <Crumbs newsletter={newsletterIdOf(letter)} />
        <h1>{title}</h1>
        <p className="facts-line">
          {main ? <SendState of={main} /> : <LetterState of={letter} />}
          <span className="soft">
            {t`Changed`} <When at={letter.updatedAt} />
          </span>
        </p>
        <div className="acts">
          {may('CONTENT_WRITE') && (
            <EditorLink newsletter={newsletterIdOf(letter)} entry={letter.id}>
              <Icon of={Pencil} />
              {t`Write`}
            </EditorLink>
          )}
          <Button icon={SendIcon} reason={why} onClick={tryIt}>{t`Test to me`}</Button>
        </div>
      </header>
      {failure !== undefined && (
        <div className="page said">
          <Problem error={failure} kept={t`No test mail was sent.`} />
        </div>
      )}
      <div className="desk">
        <div className="writing">
          <div>
            <Meta of={letter} subject={mail?.subject ?? title} />
            <Findings of={findings} />
            <SendForm of={letter} subject={mail?.subject ?? title} sends={sends} findings={findings} />
            <Earlier of={sends} />
            <Variables locale={letter.locale} />
          </div>
        </div>
        <Preview
          mail={mail}
          instead={
            <Instead>
              {lacks ? (
                <Empty title={t`The preview is not shown to you`}>{lacks}</Empty>
              ) : isRefused ? (
                <Empty
                  title={t`There is nothing to show`}
                >{t`The template has to be corrected first: the check says where.`}</Empty>
              ) : error ? (
                <Problem error={error} onRetry={() => void refetch()} />
              ) : (
                <Bones rows={8} columns={1} bleed={false} />
              )}
            </Instead>
          }
        />
      </div>
    </div>
  )
}

const Instead = ({ children }: { children: ReactNode }) => <div className="instead">{children}</div>

const GOOD_SUBJECT = 50

function Meta({ of: letter, subject }: { of: Letter; subject: string }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { data: newsletter } = useQuery(newsletterQuery(businessId, newsletterIdOf(letter)))
  const reach = useReach(newsletterIdOf(letter))
  const length = Array.from(subject).length
  return (
    <dl className="meta">
      <dt>{t`Subject`}</dt>
      <dd>
        {subject}
        <span
          className={length > GOOD_SUBJECT ? 'note wait-text' : 'note'}
        >{t`${length} of about ${GOOD_SUBJECT}`}</span>
      </dd>
      <dt>{t`Goes to`}</dt>
      <dd>
        {newsletter?.name ?? ''}
        {reach && (
          <span className="soft">
            <Plural value={reach.reached} one="# reader" other="# readers" />
          </span>
        )}
      </dd>
      <dt>{t`Language`}</dt>
      <dd>{letter.locale}</dd>
    </dl>
  )
}

/** What became of it before. */
function Earlier({ of: sends }: { of: readonly Send[] }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const moment = useMoment()
  const business = addressOf(useBusiness())
  if (sends.length === 0) return null
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Sends`}</h2>
      </div>
      <table className="table stack">
        <thead>
          <tr>
            <th>{t`When`}</th>
            <th>{t`Status`}</th>
            <th className="num">{t`Readers`}</th>
            <th className="num">{t`Sent`}</th>
            <th className="num">{t`Not reached`}</th>
          </tr>
        </thead>
        <tbody>
          {sends.map((send) => (
            <tr key={send.id}>
              <td className="p1">
                <Link
                  to="/$business/letters/$entry/sends/$send"
                  params={{ business, entry: send.entryId, send: send.id }}
                  className="strong"
                >
                  {moment(send.startedAt ?? send.scheduledAt)}
                </Link>
                {send.remainderOf && <span className="soft"> {t`to the rest`}</span>}
                {send.conditions && <span className="soft"> {t`to some`}</span>}
              </td>
              <td className="p3">
                <SendState of={send} />
              </td>
              <td className="num hide-phone">{number(send.total)}</td>
              <td className="num p2">{number(send.sent)}</td>
              <td className="num hide-phone">{number(send.failed + send.uncertain)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
