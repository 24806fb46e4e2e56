import './promos.css'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { UpToDate } from '../live/up-to-date.tsx'
import { usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'
import { useCommands } from '../shell/commands.ts'
import { Bones } from '../ui/bones.tsx'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { FindField } from '../ui/find-field.tsx'
import { Icon } from '../ui/icon.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { Head } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { Count, Tabs } from '../ui/tabs.tsx'
import { countsQuery, type Promo, promosQuery } from './queries.ts'
import { STATUSES } from './search.ts'
import { PromoState, Uses, usePromoWords, useStatusNames } from './words.tsx'

const route = getRouteApi('/signed-in/$business/promo-codes')

/** Discounts for a word: what they give, on what terms, and how often they were used. */
export function PromosPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const { reason } = usePermissions()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const list = useInfiniteQuery(promosQuery(business.id, search))
  const promos = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const create = () => void navigate({ to: '/$business/promo-codes/new', params: (now) => now })
  const open = (promo: Promo) =>
    void navigate({ to: '/$business/promo-codes/$promo', params: (now) => ({ ...now, promo: promo.id }) })
  const lacks = reason('PROMOS_WRITE')
  const [at, setAt] = useState(-1)
  const columns = useColumns()
  const step = (by: number) => setAt((before) => Math.max(0, Math.min(promos.length - 1, before + by)))
  const chosen = promos[at]
  useCommands([
    { id: 'new-promo', label: t`New promo code`, keys: 'n', icon: Plus, reason: lacks, run: create },
    { id: 'next-promo', label: t`The next`, keys: 'j', inPalette: false, run: () => step(1) },
    { id: 'promo-before', label: t`The one before`, keys: 'k', inPalette: false, run: () => step(-1) },
    { id: 'open-promo', label: t`Open`, keys: 'e', inPalette: false, run: () => chosen && open(chosen) },
  ])
  return (
    <>
      <Head title={t`Promo codes`} facts={<UpToDate />}>
        <Button look="main" icon={Plus} reason={lacks} onClick={create}>{t`New promo code`}</Button>
      </Head>
      <StatusTabs />
      <Filters shown={promos.length} hasMore={list.hasNextPage} />
      {list.isPending ? (
        <Bones rows={10} columns={6} />
      ) : list.isError ? (
        <div className="page">
          <Problem error={list.error} onRetry={() => void list.refetch()} />
        </div>
      ) : promos.length === 0 ? (
        <div className="page">
          <Nothing onCreate={create} />
        </div>
      ) : (
        <DataTable
          label={t`Promo codes`}
          className="promos"
          rows={promos}
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

function useColumns(): Column<Promo>[] {
  const { t } = useLingui()
  const { gives, terms, time } = usePromoWords()
  return [
    {
      id: 'code',
      head: t`Code`,
      className: 'p1',
      width: '22%',
      cell: ({ id, code }) => (
        <route.Link to="/$business/promo-codes/$promo" params={(now) => ({ ...now, promo: id })} className="strong">
          {code}
        </route.Link>
      ),
    },
    { id: 'gives', head: t`Gives`, className: 'num p2', width: '9rem', cell: gives },
    {
      id: 'terms',
      head: t`Terms`,
      className: 'soft max-desk:hidden',
      cell: (promo) => terms(promo) || t`without terms`,
    },
    { id: 'time', head: t`Time`, className: 'soft max-desk:hidden', width: '15rem', cell: time },
    {
      id: 'uses',
      head: t`Uses`,
      className: 'num p4',
      width: '8rem',
      cell: (promo) => <Uses promo={promo} />,
    },
    { id: 'status', head: t`Status`, className: 'p3', width: '9rem', cell: (promo) => <PromoState promo={promo} /> },
  ]
}

function StatusTabs() {
  const { t } = useLingui()
  const business = useBusiness()
  const names = useStatusNames()
  const search = route.useSearch()
  const { data } = useQuery(countsQuery(business.id, search))
  const countOf = (status: string) => data?.items.find(({ value }) => value === status)?.count ?? 0
  const all = data?.items.reduce((sum, { count }) => sum + count, 0)
  return (
    <Tabs label={t`Ways to see the promo codes`}>
      <route.Link
        to="."
        search={(now) => ({ ...now, status: undefined })}
        aria-current={search.status === undefined ? 'page' : undefined}
      >
        {t`All`} {all !== undefined && <Count>{all}</Count>}
      </route.Link>
      {STATUSES.map((status) => (
        <route.Link
          key={status}
          to="."
          search={(now) => ({ ...now, status })}
          aria-current={search.status === status ? 'page' : undefined}
        >
          {names[status]} {data && <Count>{countOf(status)}</Count>}
        </route.Link>
      ))}
    </Tabs>
  )
}

function Filters({ shown, hasMore }: { shown: number; hasMore: boolean }) {
  const { t } = useLingui()
  const { markets } = useBusiness()
  const { query = '', market } = route.useSearch()
  const navigate = route.useNavigate()
  const setQuery = (next: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, query: next }), replace: true })
  const setMarket = (next: string | undefined) => void navigate({ search: (before) => ({ ...before, market: next }) })
  return (
    <div className="tools">
      <FindField
        label={t`Find promo codes`}
        placeholder={t`A part of the code`}
        value={query}
        onChange={(typed) => setQuery(typed.trim() || undefined)}
      />
      {market !== undefined && (
        <Chip name={t`Market`} onRemove={() => setMarket(undefined)}>
          {markets.find(({ id }) => id === market)?.name ?? market}
        </Chip>
      )}
      {market === undefined && markets.length > 1 && (
        <Menu
          trigger={
            <button type="button" className="chip add">
              <Icon of={Plus} />
              {t`Market`}
            </button>
          }
        >
          {markets.map(({ id, name }) => (
            <MenuItem key={id} onClick={() => setMarket(id)}>
              {name}
            </MenuItem>
          ))}
        </Menu>
      )}
      <p className="end note" role="status">
        {hasMore ? <Trans>More than {shown}</Trans> : <Plural value={shown} one="# code" other="# codes" />}
      </p>
    </div>
  )
}

function Nothing({ onCreate }: { onCreate: () => void }) {
  const { t } = useLingui()
  const { query, market, status } = route.useSearch()
  if (query || market || status)
    return (
      <Empty
        title={t`No code is found so`}
        action={<route.Link to="." search={{}} className="button">{t`Show all codes`}</route.Link>}
      >
        {t`Codes are found by any part of them, whatever their case.`}
      </Empty>
    )
  return (
    <Empty
      title={t`No promo codes yet`}
      action={<Button look="main" icon={Plus} onClick={onCreate}>{t`New promo code`}</Button>}
    >
      {t`A word that customers type at checkout, and what it takes off: a part of the goods, or an amount.`}
    </Empty>
  )
}
