import type { Market } from '@kontor/sdk'
import { etagOf } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { kontor } from '../../api/client.ts'
import { invalidate } from '../../api/query.ts'
import { DeleteDialog } from '../../outbox/delete-dialog.tsx'
import { untilKnown } from '../../outbox/until-known.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Save } from '../save.tsx'
import { Example } from './example.tsx'
import { MarketFields } from './market-fields.tsx'
import { useMarket } from './use-market.ts'
import { useMarketWords } from './words.ts'

const route = getRouteApi('/signed-in/$business/settings/markets/$market')

/** One market: its taxes and its shipping, and what a shopper pays because of them. */
export function MarketPage() {
  const { t } = useLingui()
  const { market: id } = route.useParams()
  const { markets } = useBusiness()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const words = useMarketWords()
  const market = markets.find((one) => one.id === id)
  const showDelete = (isOpen: boolean) =>
    void navigate({ search: { do: isOpen ? 'delete' : undefined }, replace: !isOpen })
  const toList = () => void navigate({ to: '/$business/settings/markets', params: (now) => now, search: {} })
  usePageTitle(market?.name ?? t`Market`)
  useCommands(
    market ? [{ id: 'delete-market', label: t`Delete this market`, icon: Trash2, run: () => showDelete(true) }] : [],
  )
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <route.Link to="/$business/settings/markets" params={(now) => now} search={{}}>{t`Markets`}</route.Link>
        </nav>
        <h1>{market?.name ?? t`Market`}</h1>
        {market && (
          <div className="facts-line soft">
            <span>{market.id}</span>
            <span>{market.currency}</span>
            <span>{words.tax(market)}</span>
          </div>
        )}
        {market && (
          <div className="acts tight">
            <Button look="destroy" icon={Trash2} onClick={() => showDelete(true)}>{t`Delete`}</Button>
          </div>
        )}
      </header>
      {market ? (
        <Editor key={id} id={id} />
      ) : (
        <div className="page">
          <Empty title={t`Market not found`} action={<Button onClick={toList}>{t`All markets`}</Button>}>
            {t`Somebody may have deleted it.`}
          </Empty>
        </div>
      )}
      {market && search.do === 'delete' && (
        <DeleteMarket market={market} onClose={() => showDelete(false)} onDeleted={toList} />
      )}
    </>
  )
}

function Editor({ id }: { id: string }) {
  const { t } = useLingui()
  const edited = useMarket(id)
  const isOther = edited.isChanged('currency') || edited.isChanged('pricesIncludeTax')
  return (
    <>
      <div className="record market">
        <div className="work">
          <MarketFields
            form={edited.form}
            isChanged={edited.isChanged}
            problemOf={edited.problemOf}
            onChange={edited.change}
          />
        </div>
        <div className="facts">
          <Example market={edited.market} isWrong={edited.isWrong} />
        </div>
      </div>
      <Save
        of={edited}
        reason={edited.isWrong ? t`Fix the errors in the form.` : undefined}
        warning={
          isOther ? t`The prices of your products stay the figures that they are; look at them afterwards.` : undefined
        }
      />
    </>
  )
}

type DeleteProps = { market: Market; onClose: () => void; onDeleted: () => void }

function DeleteMarket({ market, onClose, onDeleted }: DeleteProps) {
  const { t } = useLingui()
  const business = useBusiness()
  const ask = useAsk()
  const { id, name } = market
  const remove = async () => {
    const now = await untilKnown(() => kontor.operations.getBusiness({ path: { businessId: business.id } }))
    await ask({
      operation: 'updateBusiness',
      input: { body: { markets: now.markets.filter((one) => one.id !== id) } },
      label: t`Delete the market ${name}`,
      about: [business.id],
      ifMatch: etagOf(now),
    })
    await invalidate('-', ['listBusinesses'])
  }
  return (
    <DeleteDialog {...{ name, remove, onClose, onDeleted }}>
      {t`Nobody can buy there any more. Orders stay as they are, and products keep their prices of it in case it comes back under the code ${id}.`}
    </DeleteDialog>
  )
}
