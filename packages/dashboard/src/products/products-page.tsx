import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download, Plus, Upload } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { usePages } from '../api/use-pages.ts'
import { UpToDate } from '../live/up-to-date.tsx'
import { usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { useCommands } from '../shell/commands.ts'
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
import { BulkBar } from './bulk-bar.tsx'
import { COLUMN_NAMES, DEFAULT_COLUMNS, useColumns } from './columns.tsx'
import { FilterChips } from './filter-chips.tsx'
import { FilterMenu } from './filter-menu.tsx'
import { CLEARED, COLUMNS, type ColumnId, filtersOf, hasFilters, type ProductSearch } from './filters.ts'
import type { Listed } from './listed.ts'
import { productCounts, productPages } from './queries.ts'
import { useExport } from './use-export.ts'
import { useOpenPlace } from './use-open-place.ts'
import { ViewTabs } from './view-tabs.tsx'

const route = getRouteApi('/signed-in/$business/products')
const MOST_PICKED = 200
const idOf = ({ id }: Listed) => id

export function ProductsPage() {
  const { t } = useLingui()
  const { business } = route.useParams()
  const { markets } = useBusiness()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const openPlace = useOpenPlace()
  const { reason } = usePermissions()
  const change = (changes: ProductSearch, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace, resetScroll: false })
  const list = useProducts(search)
  const { rows, count } = list
  const picks = useSelection<Listed>(idOf)
  const [isPicking, setPicking] = useState(false)
  const wanted = search.columns?.join()
  const shown = useMemo(
    () => (wanted === undefined ? DEFAULT_COLUMNS : new Set(wanted.split(',') as ColumnId[])),
    [wanted],
  )
  const columns = useColumns({
    business,
    market: markets.find(({ id }) => id === search.market) ?? markets[0],
    shown,
    sort: search.sort ?? '-createdAt',
    onSort: (sort) => change({ sort: sort === '-createdAt' ? undefined : sort }),
  })
  const exported = useExport()
  const why = reason('PRODUCTS_WRITE')
  const open = (product: Listed) =>
    void navigate({ to: '/$business/products/$product', params: { business, product: product.id } })
  const create = () => void navigate({ to: '/$business/products/new', params: { business } })
  const goImport = () => openPlace('/products/imports')
  useCommands([
    { id: 'new-product', label: t`New product`, keys: 'c', icon: Plus, reason: why, run: create },
    { id: 'import-products', label: t`Import products`, icon: Upload, reason: why, run: goImport },
  ])
  const { at } = useListKeys({
    rows,
    onOpen: open,
    onPick: (index) => picks.toggle(rows, index),
    onPickAll: () => picks.set(rows.slice(0, MOST_PICKED)),
    onClear: picks.clear,
    hasPicks: picks.picked.size > 0,
  })
  const picked = [...picks.picked.values()]
  const hasPicks = picked.length > 0
  const allPicked = hasPicks && rows.every(picks.has)
  const loadMore = useCallback(
    () => void (list.hasMore && !list.isLoadingMore && list.loadMore()),
    [list.hasMore, list.isLoadingMore, list.loadMore],
  )
  const toggle = useLatest((product: Listed, isRange: boolean) => picks.toggle(rows, rows.indexOf(product), isRange))
  const box = useCallback(
    (product: Listed, isPicked: boolean) => (
      <Check
        label={t`Select ${product.name}`}
        checked={isPicked}
        onToggle={(isRange) => toggle(product, isRange ?? false)}
      />
    ),
    [t, toggle],
  )
  const editPicked = () => openPlace('/bulk-edits/new', { ids: [...picks.picked.keys()].join() })
  const editAll = () => openPlace('/bulk-edits/new', filtersOf(search, markets))
  return (
    <>
      <Head
        title={t`Products`}
        facts={
          <>
            <UpToDate />
            {list.hasNewer && (
              <button type="button" className="link" onClick={list.showNewer}>{t`Show what is new`}</button>
            )}
          </>
        }
      >
        <Button className="hide-phone" icon={Upload} reason={why} onClick={goImport}>{t`Import`}</Button>
        <Button
          className="hide-phone"
          icon={Download}
          reason={why ?? (exported.isBusy ? t`Preparing the file…` : undefined)}
          onClick={exported.run}
        >{t`Export`}</Button>
        <Button look="main" icon={Plus} reason={why} onClick={create}>{t`New product`}</Button>
      </Head>
      <ViewTabs business={business} search={search} />
      <div className="tools">
        <FindField
          label={t`Find products`}
          placeholder={t`Name, SKU or word`}
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
      {list.isFirst && <Bones rows={14} columns={6} />}
      {list.isEmpty && (
        <div className="page">
          <Nothing search={search} why={why} onClear={() => change(CLEARED)} onCreate={create} onImport={goImport} />
        </div>
      )}
      {rows.length > 0 && (
        <DataTable
          className={isPicking ? 'products picking' : 'products'}
          label={t`Products`}
          rows={rows}
          columns={columns}
          idOf={idOf}
          at={at}
          total={count}
          onEnd={loadMore}
          onOpen={open}
          rowClass={(product) => (picks.has(product) ? 'picked' : '')}
          picks={{
            of: box,
            has: picks.has,
            all: (
              <Check
                label={t`Select all`}
                checked={allPicked}
                some={hasPicks && rows.some(picks.has) && !allPicked}
                onToggle={() => (hasPicks ? picks.clear() : picks.set(rows.slice(0, MOST_PICKED)))}
              />
            ),
          }}
        />
      )}
      {hasPicks && (
        <BulkBar
          products={picked}
          onEdit={editPicked}
          onClear={picks.clear}
          all={count !== undefined && list.isExact && count > picked.length ? { count, run: editAll } : undefined}
        />
      )}
    </>
  )
}

const isDefault = (columns: readonly ColumnId[]) =>
  columns.length === DEFAULT_COLUMNS.size && columns.every((id) => DEFAULT_COLUMNS.has(id))

function useProducts(search: ProductSearch) {
  const place = useBusiness()
  const counts = useQuery({ ...productCounts(place, search), placeholderData: keepPreviousData }).data
  return {
    ...usePages(productPages(place, search)),
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
        <Plural value={count} one="# product" other="# products" />
      ) : (
        <Trans>more than {format.number(count)} products</Trans>
      )}
    </span>
  )
}

type NothingProps = {
  search: ProductSearch
  why: string | undefined
  onClear: () => void
  onCreate: () => void
  onImport: () => void
}

function Nothing({ search, why, onClear, onCreate, onImport }: NothingProps) {
  const { t } = useLingui()
  if (hasFilters(search))
    return (
      <Empty title={t`No product fits`} action={<Button onClick={onClear}>{t`Take the filters off`}</Button>}>
        <Trans>Other filters or another word may find it.</Trans>
      </Empty>
    )
  return (
    <Empty
      title={t`No products yet`}
      action={
        <div className="flex gap-2">
          <Button look="main" icon={Plus} reason={why} onClick={onCreate}>{t`New product`}</Button>
          <Button icon={Upload} reason={why} onClick={onImport}>{t`Import`}</Button>
        </div>
      }
    >
      <Trans>What you sell stands here. Begin with one, or bring a file from another shop.</Trans>
    </Empty>
  )
}
