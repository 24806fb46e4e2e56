import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { usePermissions } from '../../session/permissions.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FindField } from '../../ui/find-field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { useRecipients, useUnderWay } from '../queries.ts'
import type { Recipient, Send } from '../types.ts'
import { usePartWords } from '../words.tsx'

const route = getRouteApi('/signed-in/$business/letters/$entry/sends/$send')

/** An address is looked for when it can be one: only the whole of it finds somebody. */
const isAddress = (text: string | undefined): text is string => text !== undefined && /^\S+@\S+\.\S+$/.test(text)

/** The readers of a part, or the one who was looked for, and what became of them. */
export function People({ of: send, newsletter }: { of: Send; newsletter: string | undefined }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const words = usePartWords()
  const { show, email } = route.useSearch()
  const navigate = route.useNavigate()
  const { reason } = usePermissions()
  const lacks = reason('SUBSCRIBERS_READ')
  const count = number(show ? send[show] : send.total)
  return (
    <section className="section people-of">
      <div className="section-head">
        <h2>{email ? t`One reader` : show ? words[show].name : t`All readers`}</h2>
        <span className="note">
          {email ? (
            email
          ) : show ? (
            <Trans>
              {count}: {words[show].about}
            </Trans>
          ) : (
            t`choose a part above to see who is in it`
          )}
        </span>
        {!lacks && (
          <span className="end">
            <FindField
              label={t`Find a reader`}
              placeholder={t`Email address of a reader`}
              value={email ?? ''}
              onChange={(typed) =>
                void navigate({
                  search: (before) => ({ ...before, email: typed.trim() || undefined }),
                  replace: true,
                  resetScroll: false,
                })
              }
            />
          </span>
        )}
      </div>
      {lacks ? (
        <p className="note">{t`Who is in each part is not shown to you. ${lacks}`}</p>
      ) : (
        <Found of={send} newsletter={newsletter} />
      )}
    </section>
  )
}

function Found({ of: send, newsletter }: { of: Send; newsletter: string | undefined }) {
  const { t } = useLingui()
  const { id } = useBusiness()
  const { show, email } = route.useSearch()
  const isHalf = email !== undefined && !isAddress(email)
  const list = useRecipients(id, send, { show, email: isAddress(email) ? email : undefined }, !isHalf)
  // Both are counted as planned; those under way come first.
  const underWay = useUnderWay(id, send, show === 'planned' && !email)
  const rows = [...underWay, ...(list.data?.pages.flatMap(({ items }) => items) ?? [])]
  if (isHalf)
    return (
      <Empty
        title={t`Type the whole address`}
      >{t`A reader is found by the address that the letter went to, such as ada@example.com.`}</Empty>
    )
  if (list.isPending) return <Bones rows={6} columns={5} bleed={false} />
  if (list.isError) return <Problem error={list.error} onRetry={() => void list.refetch()} />
  if (rows.length === 0) return <Nobody email={email} newsletter={newsletter} isBegun={send.startedAt !== null} />
  return (
    <>
      <table className="table stack readers" aria-label={t`Readers`}>
        <thead>
          <tr>
            <th>{t`Reader`}</th>
            <th className="address">{t`Address`}</th>
            <th>{t`What became of it`}</th>
            <th>{t`The mail server said`}</th>
            <th className="num tries">{t`Tries`}</th>
            <th className="num">{t`At`}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <Row key={one.subscriptionId} of={one} />
          ))}
        </tbody>
      </table>
      {list.hasNextPage && (
        <Button
          look="small"
          reason={list.isFetchingNextPage ? t`Loading…` : undefined}
          onClick={() => void list.fetchNextPage()}
        >{t`Show more readers`}</Button>
      )}
    </>
  )
}

function Row({ of: { email, name, status, attempts, response, updatedAt } }: { of: Recipient }) {
  const { t } = useLingui()
  const { time, full, number } = useFormat()
  const shown = email ?? t`deleted since`
  return (
    <tr>
      <td className="p1 strong cut">{name || shown}</td>
      <td className="soft address cut">{shown}</td>
      <td className="p3">
        <RecipientState status={status} attempts={attempts} />
      </td>
      <td className="soft said p5">{response ?? '–'}</td>
      <td className="num soft tries">{number(attempts)}</td>
      <td className="num soft p2">
        <time dateTime={new Date(updatedAt * 1_000).toISOString()} title={full(updatedAt)}>
          {time(updatedAt)}
        </time>
      </td>
    </tr>
  )
}

function RecipientState({ status, attempts }: Pick<Recipient, 'status' | 'attempts'>) {
  const { t } = useLingui()
  switch (status) {
    case 'SENT':
      return <Status fill="full" tone="act">{t`Sent`}</Status>
    case 'FAILED':
      return <Status fill="full" tone="alert">{t`Failed`}</Status>
    case 'SUPPRESSED':
      return <Status fill="off">{t`Suppressed`}</Status>
    case 'UNCERTAIN':
      return <Status fill="unknown" tone="wait">{t`Uncertain`}</Status>
    case 'SENDING':
      return <Status fill="half" tone="act">{t`Being handed over`}</Status>
    default:
      return <Status fill="ring">{attempts > 0 ? t`Will be tried again` : t`Planned`}</Status>
  }
}

type NobodyProps = { email: string | undefined; newsletter: string | undefined; isBegun: boolean }

function Nobody({ email, newsletter, isBegun }: NobodyProps) {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  if (!isBegun)
    return (
      <Empty
        title={t`Nobody yet`}
      >{t`Its readers are settled when it starts: everybody who is subscribed then.`}</Empty>
    )
  if (!email) return <Empty title={t`Nobody is in this part`} />
  return (
    <Empty
      title={t`This letter was not for them`}
      action={
        newsletter && (
          <Link
            to="/$business/letters/readers/$newsletter"
            params={{ business, newsletter }}
            search={{ email }}
            className="button"
          >{t`Look among the readers`}</Link>
        )
      }
    >
      {t`Nobody with this address was subscribed when it started, or their address was suppressed.`}
    </Empty>
  )
}
