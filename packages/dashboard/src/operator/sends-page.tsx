import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Moment, useOwnFormat } from '../profile/moment.tsx'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { Empty } from '../ui/empty.tsx'
import { Head } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { Status } from '../ui/status.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { AskedCells } from './cell-notices.tsx'
import { sendsPages } from './queries.ts'
import type { Send } from './types.ts'
import { useSendWords } from './words.tsx'

const route = getRouteApi('/signed-in/operator/sends')

/** Letters of all businesses: how they are getting on, not what they say. */
export function SendsPage() {
  const { t } = useLingui()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { state, business } = search
  const list = useInfiniteQuery(
    sendsPages({ ...(state && { state: [state] }), ...(business && { businessId: business }) }),
  )
  const sends = list.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <>
      <Head title={t`Sends`} />
      <Views />
      <div className="page op-page">
        {business && (
          <div className="op-tools">
            <Chip
              name={t`Business`}
              onRemove={() => void navigate({ search: (before) => ({ ...before, business: undefined }) })}
            >
              {sends[0]?.businessName ?? business}
            </Chip>
          </div>
        )}
        <AskedCells cells={list.data?.pages.at(-1)?.cells} />
        {list.error && <Problem error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending ? (
          <Bones rows={6} columns={4} bleed={false} />
        ) : sends.length === 0 ? (
          !list.error && (
            <Empty title={t`No letters here`}>
              {t`Letters stand here while they are under way, when they have stopped, and for a week if they did not reach everybody.`}
            </Empty>
          )
        ) : (
          <Table sends={sends} />
        )}
        {list.hasNextPage && (
          <Button
            className="op-more"
            reason={list.isFetchingNextPage ? t`Loading…` : undefined}
            onClick={() => void list.fetchNextPage()}
          >{t`Show more`}</Button>
        )}
      </div>
    </>
  )
}

function Views() {
  const { t } = useLingui()
  const search = route.useSearch()
  const views = [
    { state: undefined, name: t`Under way` },
    { state: 'RUNNING', name: t`Running` },
    { state: 'PAUSED', name: t`Paused` },
    { state: 'FAILED', name: t`Not to everybody` },
    { state: 'SCHEDULED', name: t`Planned` },
  ] as const
  return (
    <Tabs label={t`Which`}>
      {views.map(({ state, name }) => (
        <route.Link
          key={name}
          to="/operator/sends"
          search={(before) => ({ ...before, state })}
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          aria-current={search.state === state ? 'page' : undefined}
        >
          {name}
        </route.Link>
      ))}
    </Tabs>
  )
}

function Table({ sends }: { sends: readonly Send[] }) {
  const { t } = useLingui()
  return (
    <table className="table stack still op-table" aria-label={t`Sends`}>
      <thead>
        <tr>
          <th>{t`Business`}</th>
          <th>{t`Status`}</th>
          <th>{t`Cell`}</th>
          <th className="num">{t`Sent`}</th>
          <th className="num">{t`Failed`}</th>
          <th className="num">{t`Not certain`}</th>
          <th className="num">{t`Started`}</th>
        </tr>
      </thead>
      <tbody>
        {sends.map((send) => (
          <Row key={send.id} of={send} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ of: send }: { of: Send }) {
  const { number } = useOwnFormat()
  const { word, fill, tone } = useSendWords()(send)
  const { businessId, businessName, problem, cell, failed, uncertain, scheduledAt, startedAt } = send
  const [sent, total] = [number(send.sent), number(send.total)]
  const status = (
    <Status fill={fill} tone={tone} live={send.status === 'RUNNING'}>
      {word}
    </Status>
  )
  return (
    <tr>
      <td className="p1">
        <Link to="/operator/businesses/$id" params={{ id: businessId }} className="strong op-whole" data-stop>
          {businessName ?? businessId}
        </Link>
        {problem && <span className="note block op-problem">{problem}</span>}
      </td>
      <td className="p2">{status}</td>
      <td className="soft">{cell}</td>
      <td className="num nowrap p3">
        <span className="hide-phone">
          {sent} / {total}
        </span>
        <span className="only-phone op-start">
          <Trans>
            {sent} of {total}
          </Trans>
          {failed > 0 && (
            <>
              {', '}
              <Plural value={failed} one="# failed" other="# failed" />
            </>
          )}
        </span>
      </td>
      <td className="num">{number(failed)}</td>
      <td className="num">{number(uncertain)}</td>
      <td className="num soft nowrap p4">
        <Moment at={startedAt ?? scheduledAt} />
      </td>
    </tr>
  )
}
