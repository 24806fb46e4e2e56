import './content.css'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { UpToDate } from '../live/up-to-date.tsx'
import { usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'
import { useCommands } from '../shell/commands.ts'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { Head } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { When } from '../ui/time.tsx'
import { type Collection, collectionsQuery } from './queries.ts'
import { ContentState, useTypeNames } from './words.tsx'

const route = getRouteApi('/signed-in/$business/content')

/** What the shop says beside its goods: each collection has fields of its own. */
export function CollectionsPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const { reason } = usePermissions()
  const navigate = route.useNavigate()
  const list = useInfiniteQuery(collectionsQuery(business.id))
  const collections = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const columns = useColumns()
  const lacks = reason('CONTENT_WRITE')
  const create = () => void navigate({ to: '/$business/content/new', params: (now) => now })
  const open = ({ id }: Collection) =>
    void navigate({ to: '/$business/content/$collection', params: (now) => ({ ...now, collection: id }) })
  const [at, setAt] = useState(-1)
  const step = (by: number) => setAt((before) => Math.max(0, Math.min(collections.length - 1, before + by)))
  const chosen = collections[at]
  useCommands([
    { id: 'new-collection', label: t`New collection`, keys: 'n', icon: Plus, reason: lacks, run: create },
    { id: 'next-collection', label: t`The next`, keys: 'j', inPalette: false, run: () => step(1) },
    { id: 'collection-before', label: t`The one before`, keys: 'k', inPalette: false, run: () => step(-1) },
    { id: 'open-collection', label: t`Open`, keys: 'e', inPalette: false, run: () => chosen && open(chosen) },
  ])
  const button = <Button look="main" icon={Plus} reason={lacks} onClick={create}>{t`New collection`}</Button>
  return (
    <>
      <Head title={t`Content`} facts={<UpToDate />}>
        {button}
      </Head>
      {list.isPending ? (
        <Bones rows={6} columns={5} />
      ) : list.isError ? (
        <div className="page">
          <Problem error={list.error} onRetry={() => void list.refetch()} />
        </div>
      ) : collections.length === 0 ? (
        <div className="page">
          <Empty title={t`No collections yet`} action={button}>
            {t`A journal, questions and answers, the places where one finds you: each is a collection, with fields of its own.`}
          </Empty>
        </div>
      ) : (
        <DataTable
          label={t`Collections`}
          className="collections"
          rows={collections}
          columns={columns}
          idOf={({ id }) => id}
          at={at}
          onOpen={open}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage()
          }}
        />
      )}
    </>
  )
}

function useColumns(): Column<Collection>[] {
  const { t } = useLingui()
  const types = useTypeNames()
  return [
    {
      id: 'name',
      head: t`Name`,
      className: 'p1',
      cell: ({ id, name }) => (
        <route.Link
          to="/$business/content/$collection"
          params={(now) => ({ ...now, collection: id })}
          className="strong"
        >
          {name}
        </route.Link>
      ),
    },
    { id: 'type', head: t`Kind`, className: 'soft p3', width: '9rem', cell: ({ type }) => types[type] },
    { id: 'slug', head: t`Address`, className: 'soft max-wide:hidden', width: '16%', cell: ({ slug }) => slug },
    {
      id: 'fields',
      head: t`Fields`,
      className: 'num max-wide:hidden',
      width: '6rem',
      cell: ({ blocks }) => blocks.length,
    },
    {
      id: 'stale',
      head: t`No longer fit`,
      className: 'p4',
      width: '11rem',
      cell: ({ id, staleEntries = 0 }) =>
        staleEntries === 0 ? (
          <span className="soft">–</span>
        ) : (
          <route.Link
            to="/$business/content/$collection"
            params={(now) => ({ ...now, collection: id })}
            search={{ status: 'STALE' }}
            className="badge wait"
          >
            <Plural value={staleEntries} one="# entry" other="# entries" />
          </route.Link>
        ),
    },
    { id: 'status', head: t`Status`, className: 'p2', width: '9rem', cell: (one) => <ContentState of={one} /> },
    {
      id: 'changed',
      head: <Trans>Changed</Trans>,
      className: 'soft num max-desk:hidden',
      width: '8rem',
      cell: ({ updatedAt }) => <When at={updatedAt} />,
    },
  ]
}
