import '../letters.css'
import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { When } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { Crumbs } from '../crumbs.tsx'
import { suppressionsQuery } from '../queries.ts'
import type { Suppression } from '../types.ts'
import { useReasonWords } from './words.tsx'

/** Addresses that get no letters of this business, and why. */
export function SuppressionsPage() {
  const { t } = useLingui()
  const { id } = useBusiness()
  const { reason } = usePermissions()
  const lacks = reason('SUBSCRIBERS_READ')
  const list = useInfiniteQuery({ ...suppressionsQuery(id), enabled: !lacks })
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const [asked, setAsked] = useState<Suppression>()
  const columns = useColumns(setAsked)
  usePageTitle(t`Suppressed addresses`)
  return (
    <div className="letters">
      <header className="head">
        <Crumbs />
        <h1>{t`Suppressed addresses`}</h1>
        <p className="facts-line soft hide-phone">{t`No newsletter of yours goes there.`}</p>
      </header>
      <Reasons />
      {lacks ? (
        <div className="page">
          <Empty title={t`They are not shown to you`}>{lacks}</Empty>
        </div>
      ) : list.isPending ? (
        <Bones rows={8} columns={4} />
      ) : list.isError ? (
        <div className="page">
          <Problem error={list.error} onRetry={() => void list.refetch()} />
        </div>
      ) : rows.length === 0 ? (
        <div className="page">
          <Empty
            title={t`No address is suppressed`}
          >{t`One that bounces for good, or complains, stands here, and gets nothing more.`}</Empty>
        </div>
      ) : (
        <DataTable
          label={t`Suppressed addresses`}
          rows={rows}
          columns={columns}
          idOf={({ email }) => email}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage()
          }}
        />
      )}
      <Lift of={asked} onClose={() => setAsked(undefined)} />
    </div>
  )
}

function Reasons() {
  const words = useReasonWords()
  return (
    <dl className="page reasons">
      {Object.values(words).map(({ name, about }) => (
        <div key={name}>
          <dt className="strong">{name}</dt>
          <dd className="soft">{about}</dd>
        </div>
      ))}
    </dl>
  )
}

function useColumns(onLift: (one: Suppression) => void): Column<Suppression>[] {
  const { t } = useLingui()
  const words = useReasonWords()
  const { reason } = usePermissions()
  const why = reason('NEWSLETTER_SEND')
  return [
    { id: 'email', head: t`Address`, className: 'p1', cell: ({ email }) => <span className="strong">{email}</span> },
    {
      id: 'reason',
      head: t`Reason`,
      className: 'p3',
      width: '14rem',
      cell: (one) => <span title={words[one.reason].about}>{words[one.reason].name}</span>,
    },
    {
      id: 'since',
      head: t`Since`,
      className: 'num soft p2',
      width: '9rem',
      cell: ({ createdAt }) => <When at={createdAt} />,
    },
    {
      id: 'acts',
      head: <span className="unseen">{t`What can be done`}</span>,
      className: 'num p4',
      width: '9rem',
      cell: (one) => (
        <Button look="quiet small" reason={why} aria-label={t`Allow again: ${one.email}`} onClick={() => onLift(one)}>
          {t`Allow again`}
        </Button>
      ),
    },
  ]
}

/** Lifting it is asked for once more, with what it means for that reason. */
function Lift({ of: one, onClose }: { of: Suppression | undefined; onClose: () => void }) {
  const { t } = useLingui()
  const ask = useAsk()
  const words = useReasonWords()
  const [isAsked, setAsked] = useState(false)
  const [error, setError] = useState<unknown>()
  const email = one?.email ?? ''
  const close = () => {
    setError(undefined)
    onClose()
  }
  const lift = async () => {
    setAsked(true)
    setError(undefined)
    try {
      await ask({ operation: 'deleteSuppression', input: { path: { email } }, label: t`Allow an address again` })
      toast(t`Letters go to ${email} again.`)
      onClose()
    } catch (cause) {
      setError(cause)
    } finally {
      setAsked(false)
    }
  }
  return (
    <Dialog open={one !== undefined} onClose={close} title={t`Write to ${email} again?`}>
      <p className="soft">{one && words[one.reason].about}</p>
      <p className="soft">
        <Trans>
          Do it only if you know that it works again, or if they have asked you to. Letters that skipped it are not sent
          later.
        </Trans>
      </p>
      {error !== undefined && <Problem error={error} />}
      <div className="acts">
        <Button look="quiet" onClick={close}>{t`Leave it`}</Button>
        <Button
          look="destroy main"
          reason={isAsked ? t`Processing…` : undefined}
          onClick={() => void lift()}
        >{t`Allow again`}</Button>
      </div>
    </Dialog>
  )
}
