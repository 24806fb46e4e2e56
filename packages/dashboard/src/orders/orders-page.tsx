import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download, Plus } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { usePages } from '../api/use-pages.ts'
import { UpToDate } from '../live/up-to-date.tsx'
import { usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { Check } from '../ui/check.tsx'
import { ColumnMenu } from '../ui/column-menu.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { FindField } from '../ui/find-field.tsx'
import { Head } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { useLatest } from '../ui/use-latest.ts'
import { useListKeys } from '../ui/use-list-keys.ts'
import { useSelection } from '../ui/use-selection.ts'
import { COLUMN_NAMES, DEFAULT_COLUMNS, useColumns } from './columns.tsx'
import { FilterChips } from './filter-chips.tsx'
import { FilterMenu } from './filter-menu.tsx'
import { CLEARED, COLUMNS, type ColumnId, hasFilters, type OrderSearch } from './filters.ts'
import type { Listed } from './listed.ts'
import { orderCounts, orderPages } from './queries.ts'
import { useExport } from './use-export.ts'
import { ViewTabs } from './view-tabs.tsx'

const BulkBar = lazy(() => import('./bulk-bar.tsx').then(({ BulkBar }) => ({ default: BulkBar })))
const ShipSheet = lazy(() => import('./ship-sheet.tsx').then(({ ShipSheet }) => ({ default: ShipSheet })))
const route = getRouteApi('/signed-in/$business/orders')
const MOST_PICKED = 200
const NEW_SECONDS = 60
const idOf = ({ id }: Listed) => id
const isNew = ({ createdAt }: Listed) => Date.now() / 1_000 - createdAt < NEW_SECONDS

export function OrdersPage() {
  const { t } = useLingui()
  const { business } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { reason } = usePermissions()
  const change = (changes: OrderSearch, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace, resetScroll: false })
  const list = useOrders(search)
  const { rows, count } = list
  const picks = useSelection<Listed>(idOf)
  const wanted = search.columns?.join()
  const shown = useMemo(
    () => (wanted === undefined ? DEFAULT_COLUMNS : new Set(wanted.split(',') as ColumnId[])),
    [wanted],
  )
  const [isPicking, setPicking] = useState(false)
  const columns = useColumns({
    business,
    shown,
    sort: search.sort ?? '-createdAt',
    onSort: (sort) => change({ sort: sort === '-createdAt' ? undefined : sort }),
  })
  const exported = useExport(search)
  const open = (order: Listed) =>
    void navigate({ to: '/$business/orders/$order', params: { business, order: order.id } })
  const create = () => void navigate({ to: '/$business/orders/new', params: { business } })
  const { at } = useListKeys({
    rows,
    onOpen: open,
    onPick: (index) => picks.toggle(rows, index),
    onPickAll: () => picks.set(rows.slice(0, MOST_PICKED)),
    onClear: picks.clear,
    hasPicks: picks.picked.size > 0,
  })
  const picked = [...picks.picked.values()]
  const loadMore = useCallback(
    () => void (list.hasMore && !list.isLoadingMore && list.loadMore()),
    [list.hasMore, list.isLoadingMore, list.loadMore],
  )
  // An address that was opened anew has nobody picked: the next one picked would open the sheet by itself.
  const hasNothingToShip = search.do === 'ship' && picked.length === 0
  useEffect(() => {
    if (hasNothingToShip)
      void navigate({ search: (before) => ({ ...before, do: undefined }), replace: true, resetScroll: false })
  }, [hasNothingToShip, navigate])
  const hasPicks = picks.picked.size > 0
  const allPicked = hasPicks && rows.every(picks.has)
  const toggle = useLatest((order: Listed, isRange: boolean) => picks.toggle(rows, rows.indexOf(order), isRange))
  const box = useCallback(
    (order: Listed, isPicked: boolean) => (
      <Check
        label={t`Select ${order.number}`}
        checked={isPicked}
        onToggle={(isRange) => toggle(order, isRange ?? false)}
      />
    ),
    [t, toggle],
  )
  const pickAll = async () => picks.set(await list.loadUpTo(MOST_PICKED))
  const canPickAll = count !== undefined && count > picked.length && count <= MOST_PICKED
  return (
    <>
      <Head
        title={t`Orders`}
        facts={
          <>
            <UpToDate />
            {list.hasNewer && (
              <button type="button" className="link" onClick={list.showNewer}>{t`Show what is new`}</button>
            )}
          </>
        }
      >
        <Button
          className="hide-phone"
          icon={Download}
          reason={reason('ORDERS_READ') ?? (exported.isBusy ? t`Preparing the file…` : undefined)}
          onClick={exported.run}
        >{t`Export`}</Button>
        <Button look="main" icon={Plus} reason={reason('ORDERS_WRITE')} onClick={create}>{t`New order`}</Button>
      </Head>
      <ViewTabs business={business} search={search} />
      <div className="tools">
        <FindField
          label={t`Find orders`}
          placeholder={t`Number, name or email`}
          value={search.query ?? ''}
          onChange={(query) => change({ query: query.trim() || undefined }, true)}
        />
        <FilterChips search={search} onChange={change} />
        <FilterMenu search={search} onChange={change} />
        <button
          type="button"
          className="chip add only-phone"
          aria-pressed={isPicking}
          onClick={() => setPicking(!isPicking)}
        >{t`Select`}</button>
        <span className="end hide-phone">
          <Total count={count} isExact={list.isExact} />
          <ColumnMenu
            columns={COLUMNS}
            names={COLUMN_NAMES}
            shown={shown}
            onChange={(next) => change({ columns: isDefault(next) ? undefined : next }, true)}
          />
        </span>
      </div>
      {list.error && (
        <div className="page pt-2">
          <Problem
            error={list.error}
            kept={rows.length > 0 ? t`Below is what was known before.` : ''}
            onRetry={list.retry}
          />
        </div>
      )}
      {list.isFirst && <Bones rows={14} columns={7} />}
      {list.isEmpty && (
        <div className="page">
          <Nothing search={search} onClear={() => change({ ...CLEARED, view: undefined })} />
        </div>
      )}
      {rows.length > 0 && (
        <DataTable
          className={isPicking ? 'orders picking' : 'orders'}
          label={t`Orders`}
          rows={rows}
          columns={columns}
          idOf={idOf}
          at={at}
          total={count}
          onEnd={loadMore}
          onOpen={open}
          rowClass={(order) => `${picks.has(order) ? 'picked' : ''} ${isNew(order) ? 'new' : ''}`}
          picks={{
            of: box,
            has: picks.has,
            all: (
              <Check
                label={t`Select all`}
                checked={allPicked}
                some={hasPicks && rows.some(picks.has) && !allPicked}
                onToggle={() => (picked.length > 0 ? picks.clear() : picks.set(rows.slice(0, MOST_PICKED)))}
              />
            ),
          }}
        />
      )}
      {picked.length > 0 && (
        <Suspense>
          <BulkBar
            orders={picked}
            onShip={() => change({ do: 'ship' })}
            onClear={picks.clear}
            selectAll={canPickAll ? { count, run: () => void pickAll() } : undefined}
          />
        </Suspense>
      )}
      {search.do === 'ship' && picked.length > 0 && (
        <Suspense>
          <ShipSheet orders={picked} onClose={() => change({ do: undefined })} onShipped={picks.drop} />
        </Suspense>
      )}
    </>
  )
}

const isDefault = (columns: readonly ColumnId[]) =>
  columns.length === DEFAULT_COLUMNS.size && columns.every((id) => DEFAULT_COLUMNS.has(id))

function useOrders(search: OrderSearch) {
  const { id: businessId, timeZone } = useBusiness()
  const place = { businessId, timeZone }
  const counts = useQuery({ ...orderCounts(place, search), placeholderData: keepPreviousData }).data
  return {
    ...usePages(orderPages(place, search)),
    count: counts?.items.reduce((sum, { count }) => sum + count, 0),
    isExact: counts?.isExact ?? true,
  }
}

function Total({ count, isExact }: { count: number | undefined; isExact: boolean }) {
  const format = useFormat()
  if (count === undefined) return null
  return (
    <span className="note nowrap mr-3">
      {isExact ? (
        <Plural value={count} one="# order" other="# orders" />
      ) : (
        <Trans>more than {format.number(count)} orders</Trans>
      )}
    </span>
  )
}

function Nothing({ search, onClear }: { search: OrderSearch; onClear: () => void }) {
  const { t } = useLingui()
  if (hasFilters(search)) {
    return (
      <Empty title={t`No order fits`} action={<Button onClick={onClear}>{t`Take the filters off`}</Button>}>
        <Trans>Other filters, another word, or a longer time may find it.</Trans>
      </Empty>
    )
  }
  return (
    <Empty title={t`No orders yet`}>
      <Trans>What your shop sells stands here, the newest first, from the moment somebody checks out.</Trans>
    </Empty>
  )
}
