import type { Market } from '@kontor/sdk'
import { Plural, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FindField } from '../../ui/find-field.tsx'
import { Head } from '../../ui/page.tsx'
import { useMarketWords } from './words.ts'

const route = getRouteApi('/signed-in/$business/settings/markets')

/** Where the business sells. */
export function MarketsPage() {
  const { t } = useLingui()
  const { markets } = useBusiness()
  const { query = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const [at, setAt] = useState(-1)
  const columns = useColumns()
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const found = markets.filter(({ id, name, currency }) => {
    const text = `${id} ${name} ${currency}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const create = () => void navigate({ to: '/$business/settings/markets/new', params: (now) => now })
  const open = ({ id }: Market) =>
    void navigate({ to: '/$business/settings/markets/$market', params: (now) => ({ ...now, market: id }) })
  const step = (by: number) => setAt((before) => Math.max(0, Math.min(found.length - 1, before + by)))
  const chosen = found[at]
  useCommands([
    { id: 'new-market', label: t`New market`, keys: 'n', icon: Plus, run: create },
    { id: 'next-market', label: t`The next`, keys: 'j', inPalette: false, run: () => step(1) },
    { id: 'market-before', label: t`The one before`, keys: 'k', inPalette: false, run: () => step(-1) },
    { id: 'open-market', label: t`Open`, keys: 'e', inPalette: false, run: () => chosen && open(chosen) },
  ])
  return (
    <>
      <Head title={t`Markets`}>
        <Button look="main" icon={Plus} onClick={create}>{t`New market`}</Button>
      </Head>
      {markets.length === 0 ? (
        <div className="page">
          <Empty
            title={t`No market yet`}
            action={<Button look="main" icon={Plus} onClick={create}>{t`New market`}</Button>}
          >
            {t`A market is a price list: a currency, its taxes and its shipping. Without one nothing can be sold.`}
          </Empty>
        </div>
      ) : (
        <>
          <div className="tools">
            <FindField
              label={t`Find markets`}
              placeholder={t`Name, code or currency`}
              value={query}
              onChange={(typed) => void navigate({ search: { query: typed.trim() || undefined }, replace: true })}
            />
            <p className="end note" role="status">
              <Plural value={found.length} one="# market" other="# markets" />
            </p>
          </div>
          {found.length === 0 ? (
            <div className="page">
              <Empty
                title={t`No market is found so`}
                action={<route.Link to="." search={{}} className="button">{t`Show all markets`}</route.Link>}
              />
            </div>
          ) : (
            <DataTable
              label={t`Markets`}
              className="markets-table"
              rows={found}
              columns={columns}
              idOf={({ id }) => id}
              at={at}
              onOpen={open}
            />
          )}
        </>
      )}
    </>
  )
}

function useColumns(): Column<Market>[] {
  const { t } = useLingui()
  const words = useMarketWords()
  return [
    {
      id: 'name',
      head: t`Market`,
      className: 'p1',
      width: '22%',
      cell: ({ id, name }) => (
        <route.Link
          to="/$business/settings/markets/$market"
          params={(now) => ({ ...now, market: id })}
          className="strong"
        >
          {name}
        </route.Link>
      ),
    },
    { id: 'code', head: t`Code`, className: 'soft', width: '5rem', cell: ({ id }) => id },
    { id: 'currency', head: t`Currency`, className: 'p2', width: '6rem', cell: ({ currency }) => currency },
    { id: 'tax', head: t`Tax`, className: 'p3', width: '9rem', cell: words.tax },
    { id: 'shipping', head: t`Shipping`, className: 'soft p4', cell: words.shipping },
  ]
}
