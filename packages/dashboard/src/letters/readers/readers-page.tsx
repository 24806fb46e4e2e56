import '../letters.css'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download, FileUp, UserPlus } from 'lucide-react'
import { useMemo } from 'react'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { useCommands } from '../../shell/commands.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FindField } from '../../ui/find-field.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Count, Tabs } from '../../ui/tabs.tsx'
import { When } from '../../ui/time.tsx'
import { Crumbs } from '../crumbs.tsx'
import { countsQuery, newsletterQuery, readersQuery } from '../queries.ts'
import type { ReaderStatus } from '../search.ts'
import type { Newsletter, Reader } from '../types.ts'
import { AddReader } from './add-reader.tsx'
import { ImportReaders } from './import-readers.tsx'
import { Unsubscribe } from './unsubscribe.tsx'
import { useExport } from './use-export.ts'
import { ReaderState, usePriceOf, useStatusNames } from './words.tsx'

const route = getRouteApi('/signed-in/$business/letters/readers/$newsletter')

/** Who reads a newsletter: found, added, imported, exported. */
export function ReadersPage() {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { newsletter: id } = route.useParams()
  const { data: newsletter } = useQuery(newsletterQuery(businessId, id))
  const { reason } = usePermissions()
  const lacks = reason('SUBSCRIBERS_READ')
  usePageTitle(t`Readers`)
  return (
    <div className="letters readers-of">
      <header className="head">
        <Crumbs newsletter={id} />
        <h1>{t`Readers`}</h1>
        <Acts id={id} />
      </header>
      {newsletter && <Plans of={newsletter} />}
      <Open of={newsletter} />
      {lacks ? (
        <div className="page">
          <Empty title={t`Who reads it is not shown to you`}>{lacks}</Empty>
        </div>
      ) : (
        <List of={newsletter} id={id} />
      )}
    </div>
  )
}

/** The form or the import that the address names. */
function Open({ of: newsletter }: { of: Newsletter | undefined }) {
  const { do: task, import: importId } = route.useSearch()
  if (!newsletter) return null
  if (importId || task === 'import') return <ImportReaders of={newsletter} />
  return task === 'add' ? <AddReader of={newsletter} /> : null
}

function Acts({ id }: { id: string }) {
  const { t } = useLingui()
  const navigate = route.useNavigate()
  const { reason } = usePermissions()
  const file = useExport(id)
  const open = (task: 'add' | 'import') =>
    void navigate({ search: (before) => ({ ...before, do: task, import: undefined }) })
  const add = () => open('add')
  const bring = () => open('import')
  const lacksSend = reason('NEWSLETTER_SEND')
  const lacksRead = reason('SUBSCRIBERS_READ')
  useCommands([
    { id: 'add-reader', label: t`Add a reader`, keys: 'n', icon: UserPlus, run: add },
    { id: 'import-readers', label: t`Import readers`, keys: 'i', icon: FileUp, reason: lacksSend, run: bring },
    { id: 'export-readers', label: t`Export readers`, icon: Download, reason: lacksRead, run: () => void file.run() },
  ])
  return (
    <div className="acts">
      <Button
        icon={Download}
        reason={lacksRead ?? (file.isBusy ? t`Preparing the file…` : undefined)}
        onClick={() => void file.run()}
      >{t`Export`}</Button>
      <Button icon={FileUp} reason={lacksSend} onClick={bring}>{t`Import readers`}</Button>
      <Button look="main" icon={UserPlus} onClick={add}>{t`Add a reader`}</Button>
    </div>
  )
}

function Plans({ of: { plans = [], doubleOptIn = false } }: { of: Newsletter }) {
  const { t } = useLingui()
  const priceOf = usePriceOf()
  const shown = plans.map((plan) => `${plan.name} (${priceOf(plan)})`).join(', ')
  return (
    <p className="page plans soft">
      {plans.length > 0 ? <Trans>Plans: {shown}.</Trans> : t`Free, without plans.`}{' '}
      {doubleOptIn && t`New readers confirm their address by mail first.`}
    </p>
  )
}

function List({ of: newsletter, id }: { of: Newsletter | undefined; id: string }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const search = route.useSearch()
  const list = useInfiniteQuery(readersQuery(businessId, id, search))
  const readers = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const columns = useColumns(newsletter, id)
  return (
    <>
      <StatusTabs id={id} />
      <Tools shown={readers.length} hasMore={list.hasNextPage} />
      {list.isPending ? (
        <Bones rows={12} columns={5} />
      ) : list.isError ? (
        <div className="page">
          <Problem error={list.error} onRetry={() => void list.refetch()} />
        </div>
      ) : readers.length === 0 ? (
        <div className="page">
          <Nobody />
        </div>
      ) : (
        <DataTable
          label={t`Readers`}
          rows={readers}
          columns={columns}
          idOf={(reader) => reader.id}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage()
          }}
        />
      )}
    </>
  )
}

function useColumns(newsletter: Newsletter | undefined, id: string): Column<Reader>[] {
  const { t } = useLingui()
  const plans = newsletter?.plans
  return useMemo(
    () => [
      { id: 'email', head: t`Address`, className: 'p1', cell: ({ email }) => <span className="strong">{email}</span> },
      { id: 'name', head: t`Name`, className: 'soft', width: '22%', cell: ({ name }) => name || '–' },
      {
        id: 'plan',
        head: t`Plan`,
        className: 'soft',
        width: '9rem',
        cell: ({ planId }) => plans?.find((plan) => plan.id === planId)?.name ?? planId ?? '–',
      },
      {
        id: 'status',
        head: t`Status`,
        className: 'p3',
        width: '11rem',
        cell: ({ status }) => <ReaderState status={status} />,
      },
      {
        id: 'since',
        head: t`Since`,
        className: 'num soft p2',
        width: '8rem',
        cell: ({ createdAt }) => <When at={createdAt} />,
      },
      {
        id: 'acts',
        head: <span className="unseen">{t`What can be done`}</span>,
        className: 'num p4',
        width: '9rem',
        cell: (reader) => <Unsubscribe of={reader} newsletter={id} plans={plans} />,
      },
    ],
    [t, plans, id],
  )
}

function StatusTabs({ id }: { id: string }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { number } = useFormat()
  const names = useStatusNames()
  const { status } = route.useSearch()
  const { data } = useQuery(countsQuery(businessId, id))
  const countOf = (one: string) => data?.items.find(({ value }) => value === one)?.count ?? 0
  const all = data?.items.reduce((sum, { count }) => sum + count, 0)
  const shown = (Object.keys(names) as ReaderStatus[]).filter(
    (one) => one === 'ACTIVE' || one === status || countOf(one) > 0,
  )
  return (
    <Tabs label={t`Ways to see the readers`}>
      {[undefined, ...shown].map((one) => (
        <route.Link
          key={one ?? 'all'}
          to="."
          search={(before) => ({ ...before, status: one })}
          aria-current={one === status ? 'page' : undefined}
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
        >
          {one ? names[one] : t`All`} {data && <Count>{number(one ? countOf(one) : (all ?? 0))}</Count>}
        </route.Link>
      ))}
    </Tabs>
  )
}

function Tools({ shown, hasMore }: { shown: number; hasMore: boolean }) {
  const { t } = useLingui()
  const { email = '' } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <div className="tools">
      <FindField
        label={t`Find a reader`}
        placeholder={t`The whole email address`}
        value={email}
        onChange={(typed) =>
          void navigate({ search: (before) => ({ ...before, email: typed.trim() || undefined }), replace: true })
        }
      />
      <p className="end note" role="status">
        {hasMore ? <Trans>More than {shown}</Trans> : <Plural value={shown} one="# reader" other="# readers" />}
      </p>
    </div>
  )
}

function Nobody() {
  const { t } = useLingui()
  const { status, email } = route.useSearch()
  if (status || email)
    return (
      <Empty
        title={t`Nobody is found so`}
        action={<route.Link to="." search={{}} className="button">{t`Show all readers`}</route.Link>}
      >
        {t`Readers are found by their whole address; whether letters are large or small does not matter.`}
      </Empty>
    )
  return (
    <Empty
      title={t`No readers yet`}
    >{t`Whoever subscribes stands here at once. You can add one, or bring a file of those who have agreed.`}</Empty>
  )
}
