import '../content.css'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus, SlidersHorizontal } from 'lucide-react'
import { useMemo, useState } from 'react'
import { usePages } from '../../api/use-pages.ts'
import { useLocaleName } from '../../categories/words.ts'
import { UpToDate } from '../../live/up-to-date.tsx'
import { usePermissions } from '../../session/permissions.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { oneOf } from '../../shell/search.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FindField } from '../../ui/find-field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { Count, Tabs } from '../../ui/tabs.tsx'
import { When } from '../../ui/time.tsx'
import { type Collection, collectionQuery, type Entry, entriesQuery, SHOWN } from '../queries.ts'
import { titleOf } from '../title.ts'
import { ContentState, useStatusNames, useTypeNames } from '../words.tsx'
import { StaleList } from './stale-list.tsx'

const route = getRouteApi('/signed-in/$business/content/$collection')
const STATUSES = ['DRAFT', 'PUBLISHED', 'ARCHIVED'] as const

const useStatus = () => oneOf(route.useSearch().status, SHOWN)

/** The entries of a collection: by status, by words, by language. */
export function CollectionPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const { reason, may } = usePermissions()
  const { collection: id } = route.useParams()
  const status = useStatus()
  const navigate = route.useNavigate()
  const types = useTypeNames()
  const { data: collection, error, refetch } = useQuery(collectionQuery(business.id, id))
  const name = collection?.name ?? t`Collection`
  const lacks = reason('CONTENT_WRITE')
  const create = () => void navigate({ to: '/$business/content/$collection/new', params: (now) => now })
  const openSchema = () => void navigate({ to: '/$business/content/$collection/schema', params: (now) => now })
  usePageTitle(name)
  useCommands([
    { id: 'new-entry', label: t`New entry`, keys: 'n', icon: Plus, reason: lacks, run: create },
    { id: 'open-schema', label: t`Fields of this collection`, keys: 'f', icon: SlidersHorizontal, run: openSchema },
  ])
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/content" params={(now) => now}>{t`Content`}</route.Link>
        </nav>
        <h1>{name}</h1>
        <div className="facts-line soft hide-phone">
          {collection && (
            <>
              <ContentState of={collection} />
              <span>{types[collection.type]}</span>
            </>
          )}
          <UpToDate />
        </div>
        <div className="acts tight">
          <Button icon={SlidersHorizontal} onClick={openSchema}>{t`Fields`}</Button>
          <Button look="main" icon={Plus} reason={lacks} onClick={create}>{t`New entry`}</Button>
        </div>
      </header>
      {error ? (
        <div className="page">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : (
        <>
          <StatusTabs collection={collection} />
          {status === 'STALE' && collection && may('CONTENT_WRITE') ? (
            <StaleList collection={collection} />
          ) : (
            <Entries collection={collection} />
          )}
        </>
      )}
    </>
  )
}

function StatusTabs({ collection }: { collection: Collection | undefined }) {
  const { t } = useLingui()
  const { may } = usePermissions()
  const names = useStatusNames()
  const status = useStatus()
  const stale = collection?.staleEntries ?? 0
  const tab = (wanted: typeof status, label: string, count?: number) => (
    <route.Link
      key={label}
      to="."
      search={(now) => ({ ...now, status: wanted })}
      activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
      aria-current={status === wanted ? 'page' : undefined}
    >
      {label} {count !== undefined && <Count person={count > 0}>{count}</Count>}
    </route.Link>
  )
  return (
    <Tabs label={t`Ways to see the entries`}>
      {tab(undefined, t`All`)}
      {STATUSES.map((one) => tab(one, names[one]))}
      {(stale > 0 || status === 'STALE') && may('CONTENT_WRITE') && tab('STALE', t`No longer fit`, stale)}
    </Tabs>
  )
}

function Entries({ collection }: { collection: Collection | undefined }) {
  const { t } = useLingui()
  const business = useBusiness()
  const { reason } = usePermissions()
  const { collection: id } = route.useParams()
  const search = route.useSearch()
  const status = useStatus()
  const navigate = route.useNavigate()
  const list = usePages(entriesQuery(business.id, id, { ...search, status }))
  const { rows } = list
  const columns = useColumns(collection)
  const [at, setAt] = useState(-1)
  const step = (by: number) => setAt((before) => Math.max(0, Math.min(rows.length - 1, before + by)))
  const chosen = rows[at]
  const open = (entry: Entry) =>
    void navigate({ to: '/$business/content/$collection/$entry', params: (now) => ({ ...now, entry: entry.id }) })
  const create = () => void navigate({ to: '/$business/content/$collection/new', params: (now) => now })
  useCommands([
    { id: 'next-entry', label: t`The next`, keys: 'j', inPalette: false, run: () => step(1) },
    { id: 'entry-before', label: t`The one before`, keys: 'k', inPalette: false, run: () => step(-1) },
    { id: 'open-entry', label: t`Open`, keys: 'e', inPalette: false, run: () => chosen && open(chosen) },
  ])
  const isFiltered = search.query !== undefined || search.locale !== undefined || status !== undefined
  return (
    <>
      <Filters shown={rows.length} hasMore={list.hasMore} />
      {list.hasNewer && (
        <div className="page">
          <Button look="small" onClick={list.showNewer}>{t`Show what is new`}</Button>
        </div>
      )}
      {list.isFirst || !collection ? (
        <Bones rows={10} columns={4} />
      ) : list.error ? (
        <div className="page">
          <Problem error={list.error} onRetry={list.retry} />
        </div>
      ) : list.isEmpty ? (
        <div className="page">
          {isFiltered ? (
            <Empty
              title={t`No entry fits`}
              action={<route.Link to="." search={{}} className="button">{t`Show all entries`}</route.Link>}
            >
              {t`Words are looked for in all texts of an entry, the last one may be a beginning.`}
            </Empty>
          ) : (
            <Empty
              title={t`No entries yet`}
              action={
                <Button
                  look="main"
                  icon={Plus}
                  reason={reason('CONTENT_WRITE')}
                  onClick={create}
                >{t`New entry`}</Button>
              }
            >
              {t`An entry fills the fields of this collection, and is a draft until you publish it.`}
            </Empty>
          )}
        </div>
      ) : (
        <DataTable
          label={t`Entries`}
          className="entries"
          rows={rows}
          columns={columns}
          idOf={({ id: entryId }) => entryId}
          at={at}
          onOpen={open}
          onEnd={() => {
            if (list.hasMore && !list.isLoadingMore) void list.loadMore()
          }}
        />
      )}
    </>
  )
}

function useColumns(collection: Collection | undefined): Column<Entry>[] {
  const { t } = useLingui()
  const business = useBusiness()
  const address = addressOf(business)
  const localeName = useLocaleName()
  const schema = collection?.blocks
  const collectionId = collection?.id ?? ''
  return useMemo(
    () => [
      {
        id: 'title',
        head: t`Entry`,
        className: 'p1',
        cell: (entry: Entry) => (
          <RowLink
            target={{
              to: '/$business/content/$collection/$entry',
              params: { business: address, collection: collectionId, entry: entry.id },
            }}
            href={`/${address}/content/${collectionId}/${entry.id}`}
            className="strong cut"
            isRowLink
          >
            {titleOf(entry, schema) || t`Without a title`}
          </RowLink>
        ),
      },
      {
        id: 'locale',
        head: t`Language`,
        className: 'soft p3',
        width: '10rem',
        cell: ({ locale }: Entry) => localeName(locale),
      },
      {
        id: 'status',
        head: t`Status`,
        className: 'p2',
        width: '14rem',
        cell: (entry: Entry) => <ContentState of={entry} />,
      },
      {
        id: 'changed',
        head: t`Changed`,
        className: 'num soft p4',
        width: '9rem',
        cell: ({ updatedAt }: Entry) => <When at={updatedAt} />,
      },
    ],
    [schema, collectionId, address, t, localeName],
  )
}

function Filters({ shown, hasMore }: { shown: number; hasMore: boolean }) {
  const { t } = useLingui()
  const { locales } = useBusiness()
  const localeName = useLocaleName()
  const { query = '', locale } = route.useSearch()
  const navigate = route.useNavigate()
  const setLocale = (next: string | undefined) => void navigate({ search: (now) => ({ ...now, locale: next }) })
  return (
    <div className="tools">
      <FindField
        label={t`Find entries`}
        placeholder={t`Words in any of its texts`}
        value={query}
        onChange={(typed) =>
          void navigate({ search: (now) => ({ ...now, query: typed.trim() || undefined }), replace: true })
        }
      />
      {locale !== undefined && (
        <Chip name={t`Language`} onRemove={() => setLocale(undefined)}>
          {localeName(locale)}
        </Chip>
      )}
      {locale === undefined && locales.length > 1 && (
        <Menu
          trigger={
            <button type="button" className="chip add">
              <Icon of={Plus} />
              {t`Language`}
            </button>
          }
        >
          {locales.map((one) => (
            <MenuItem key={one} onClick={() => setLocale(one)}>
              {localeName(one)}
            </MenuItem>
          ))}
        </Menu>
      )}
      <p className="end note" role="status">
        {hasMore ? <Trans>More than {shown}</Trans> : <Plural value={shown} one="# entry" other="# entries" />}
      </p>
    </div>
  )
}
