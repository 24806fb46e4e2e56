import { useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useMemo } from 'react'
import { UpToDate } from '../live/up-to-date.tsx'
import { useBusiness } from '../session/use-business.ts'
import { useCommands } from '../shell/commands.ts'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Head } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { CustomersTable } from './customers-table.tsx'
import { Filters } from './filters.tsx'
import { customersQuery } from './queries.ts'
import { useExport } from './use-export.ts'
import { ViewTabs } from './view-tabs.tsx'

const route = getRouteApi('/signed-in/$business/customers')

/** Everybody who has ordered or subscribed here. */
export function CustomersPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const search = route.useSearch()
  const file = useExport()
  const list = useInfiniteQuery(customersQuery(business, search))
  const customers = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const exportAll = () => void file.list(search)
  useCommands([{ id: 'export-customers', label: t`Export these customers`, icon: Download, run: exportAll }])
  return (
    <>
      <Head title={t`Customers`} facts={<UpToDate />}>
        <Button
          icon={Download}
          reason={file.isBusy ? t`Preparing the file…` : undefined}
          onClick={exportAll}
        >{t`Export`}</Button>
      </Head>
      <ViewTabs />
      <Filters shown={customers.length} hasMore={list.hasNextPage} />
      {list.isPending ? (
        <Bones rows={14} columns={6} />
      ) : list.isError ? (
        <div className="page">
          <Problem error={list.error} onRetry={() => void list.refetch()} />
        </div>
      ) : customers.length === 0 && !list.hasNextPage ? (
        <div className="page">
          <Nobody />
        </div>
      ) : (
        <CustomersTable
          customers={customers}
          hasMore={list.hasNextPage}
          isReading={list.isFetchingNextPage}
          onMore={() => void list.fetchNextPage()}
        />
      )}
    </>
  )
}

function Nobody() {
  const { t } = useLingui()
  const { query, tag, show } = route.useSearch()
  if (query || tag || show)
    return (
      <Empty
        title={t`Nobody is found so`}
        action={<route.Link to="." search={{}} className="button">{t`Show all customers`}</route.Link>}
      >
        {t`Names are found by their beginnings, addresses from their first letter on, tags as they are spelled.`}
      </Empty>
    )
  return (
    <Empty title={t`No customers yet`}>
      {t`Whoever orders or subscribes stands here within seconds, with what they have spent.`}
    </Empty>
  )
}
