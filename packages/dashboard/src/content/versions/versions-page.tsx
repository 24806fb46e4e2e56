import '../content.css'
import { etagOf, KontorError } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ChevronRight, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { pages, query } from '../../api/query.ts'
import { useAsk, useAsked } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useColleagues } from '../../session/use-colleagues.ts'
import { useFormat } from '../../session/use-format.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { collectionQuery, entryQuery } from '../queries.ts'
import { titleOf } from '../title.ts'
import { ContentState } from '../words.tsx'
import { Comparison } from './comparison.tsx'

const route = getRouteApi('/signed-in/$business/content/$collection/$entry/versions')

/** What an entry was, version by version: compared field by field, and brought back. */
export function VersionsPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const { reason } = usePermissions()
  const lacks = reason('CONTENT_WRITE')
  const { entry: id, collection: collectionId } = route.useParams()
  const { data: collection } = useQuery(collectionQuery(business.id, collectionId))
  const { data: entry, error } = useQuery(entryQuery(business.id, id))
  const title = (entry && titleOf(entry, collection?.blocks)) || t`Without a title`
  usePageTitle(t`Versions of ${title}`)
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/content" params={(now) => now} search={{}}>{t`Content`}</route.Link>
          <Icon of={ChevronRight} />
          <route.Link to="/$business/content/$collection" params={(now) => now} search={{}}>
            {collection?.name ?? t`Collection`}
          </route.Link>
          <Icon of={ChevronRight} />
          <route.Link to="/$business/content/$collection/$entry" params={(now) => now} search={{}}>
            <span className="cut">{title}</span>
          </route.Link>
        </nav>
        <h1>{t`Versions`}</h1>
      </header>
      {lacks ? (
        <div className="page">
          <Notice tone="calm" title={t`Earlier versions are for those who write.`}>
            {lacks}
          </Notice>
        </div>
      ) : error ? (
        <div className="page">
          <Problem error={error} />
        </div>
      ) : (
        <Versions />
      )}
    </>
  )
}

function Versions() {
  const { t } = useLingui()
  const business = useBusiness()
  const format = useFormat()
  const colleague = useColleagues()
  const { entry: id } = route.useParams()
  const search = route.useSearch()
  const [isAsking, setIsAsking] = useState(false)
  const list = useInfiniteQuery(pages(business.id, 'listEntryVersions', { path: { id }, query: { limit: 100 } }))
  const versions = list.data?.pages.flatMap(({ items }) => items) ?? []
  const [newest] = versions
  const to = versions.find(({ number }) => String(number) === search.to)?.number ?? newest?.number
  const from =
    versions.find(({ number }) => String(number) === search.from)?.number ??
    versions.find(({ number }) => to !== undefined && number < to)?.number
  if (list.error)
    return (
      <div className="page">
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      </div>
    )
  if (!newest || to === undefined) return <Bones rows={8} columns={2} />
  return (
    <div className="record versions">
      <div className="work">
        {from === undefined ? (
          <p className="soft">{t`This is the first version: there is nothing to compare it with yet.`}</p>
        ) : (
          <Compared from={Math.min(from, to)} to={Math.max(from, to)} />
        )}
      </div>
      <aside className="facts" aria-label={t`Versions`}>
        <section>
          <h2>{t`Newest first`}</h2>
          <p className="note after">{t`Choose two to compare. The last 100 are kept.`}</p>
          <ul className="version-list">
            {versions.map(({ number, status, userId, createdAt }) => {
              const isShown = number === to || number === from
              return (
                <li key={number} className={isShown ? 'on' : ''}>
                  <span className="pickers" hidden={versions.length === 1}>
                    <label title={t`Compare from version ${number}`}>
                      <span className="unseen">{t`Compare from version ${number}`}</span>
                      <PickVersion name="from" number={number} isChecked={number === from} />
                    </label>
                    <label title={t`Compare to version ${number}`}>
                      <span className="unseen">{t`Compare to version ${number}`}</span>
                      <PickVersion name="to" number={number} isChecked={number === to} />
                    </label>
                  </span>
                  <span>
                    <b className="strong">{t`Version ${number}`}</b>{' '}
                    {number === newest.number && <span className="badge good">{t`now`}</span>}
                    <span className="note block">
                      {format.full(createdAt)}
                      {userId && colleague(userId) ? `, ${colleague(userId)}` : ''}
                    </span>
                    <span className="note block">
                      <ContentState of={{ statuses: [{ status }] }} />
                    </span>
                  </span>
                </li>
              )
            })}
          </ul>
        </section>
        {from !== undefined && Math.min(from, to) !== newest.number && (
          <section>
            <Button icon={RotateCcw} onClick={() => setIsAsking(true)}>
              {t`Bring version ${Math.min(from, to)} back`}
            </Button>
          </section>
        )}
      </aside>
      {isAsking && from !== undefined && <Restore number={Math.min(from, to)} onClose={() => setIsAsking(false)} />}
    </div>
  )
}

function PickVersion({ name, number, isChecked }: { name: 'from' | 'to'; number: number; isChecked: boolean }) {
  const navigate = route.useNavigate()
  return (
    <input
      type="radio"
      className="check radio"
      name={name}
      checked={isChecked}
      onChange={() => void navigate({ search: (now) => ({ ...now, [name]: String(number) }), replace: true })}
    />
  )
}

function Compared({ from, to }: { from: number; to: number }) {
  const { entry: id, collection: collectionId } = route.useParams()
  const business = useBusiness()
  const { data: collection } = useQuery(collectionQuery(business.id, collectionId))
  const wanted = (number: number) => query(business.id, 'getEntryVersion', { path: { id, number } })
  const before = useQuery(wanted(from))
  const after = useQuery(wanted(to))
  const error = before.error ?? after.error
  if (error) return <Problem error={error} />
  if (!before.data || !after.data || !collection) return <Bones rows={6} columns={2} bleed={false} />
  return <Comparison before={before.data} after={after.data} schema={collection.blocks} />
}

function Restore({ number, onClose }: { number: number; onClose: () => void }) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const navigate = route.useNavigate()
  const { entry: id } = route.useParams()
  const { data: entry } = useQuery(entryQuery(business.id, id))
  const isAsked = useAsked(id).length > 0
  const [error, setError] = useState<unknown>()
  const restore = async () => {
    if (!entry) return
    setError(undefined)
    try {
      await ask({
        operation: 'restoreEntryVersion',
        input: { path: { id, number } },
        label: t`Bring version ${number} back`,
        about: [id],
        ifMatch: etagOf(entry),
      })
      toast(t`It is as it was in version ${number}. The versions in between stay.`)
      void navigate({ to: '/$business/content/$collection/$entry', params: (now) => now, search: {} })
    } catch (cause) {
      setError(cause)
    }
  }
  return (
    <Dialog open onClose={onClose} title={t`Bring version ${number} back?`}>
      {error !== undefined && (
        <Problem
          error={error}
          kept={
            error instanceof KontorError && error.status === 412
              ? t`Look at the newest version first, then try again.`
              : t`The entry is as it was.`
          }
        />
      )}
      <p className="soft">
        {t`Its texts and values become what they were then. Whether it is published stays. It is a new version, so nothing is lost.`}
      </p>
      <div className="acts">
        <Button look="quiet" onClick={onClose}>{t`Not now`}</Button>
        <Button look="main" reason={isAsked ? t`Processing…` : undefined} onClick={() => void restore()}>
          {t`Bring it back`}
        </Button>
      </div>
    </Dialog>
  )
}
