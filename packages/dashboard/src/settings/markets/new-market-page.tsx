import { etagOf } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { invalidate } from '../../api/query.ts'
import { untilKnown } from '../../outbox/until-known.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { usePageTitle } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useStrict } from '../../ui/use-strict.ts'
import { Example } from './example.tsx'
import { emptyForm, type MarketForm, readForm } from './form.ts'
import { MarketFields } from './market-fields.tsx'
import { useProblemWords } from './words.ts'

/** A new market; the example shows what it would mean before it exists. */
export function NewMarketPage() {
  const { t } = useLingui()
  const business = useBusiness()
  const address = addressOf(business)
  const navigate = useNavigate()
  const ask = useAsk()
  const problemWords = useProblemWords()
  const [kept, setDraft] = useDraft<MarketForm>(`new-market:${business.id}`)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()
  const form = kept ?? emptyForm(business.markets[0]?.currency ?? 'EUR')
  const { market, problems } = readForm(
    form,
    business.markets.map(({ id }) => id),
  )
  const isWrong = Object.keys(problems).length > 0
  const reason = isSending ? t`Creating…` : undefined
  const { isStrict, mark } = useStrict()
  usePageTitle(t`New market`)
  const create = async () => {
    if (reason) return
    if (isWrong) return mark()
    setSending(true)
    setError(undefined)
    try {
      const now = await untilKnown(() => kontor.operations.getBusiness({ path: { businessId: business.id } }))
      await ask({
        operation: 'updateBusiness',
        input: { body: { markets: [...now.markets, market] } },
        label: t`New market ${market.name}`,
        about: [business.id],
        ifMatch: etagOf(now),
      })
      await invalidate('-', ['listBusinesses'])
      setDraft(undefined)
      toast(t`${market.name} created`)
      void navigate({ to: '/$business/settings/markets/$market', params: { business: address, market: market.id } })
    } catch (cause) {
      setError(cause)
    } finally {
      setSending(false)
    }
  }
  useCommands([
    {
      id: 'create-market',
      label: t`Create the market`,
      keys: 'mod+Enter',
      icon: Check,
      reason,
      run: () => void create(),
    },
  ])
  const problemOf = (place: string) =>
    problems[place] === 'missing' && !isStrict ? undefined : problemWords(problems[place], form.currency)
  return (
    <>
      <header className="head">
        <nav className="crumbs" aria-label={t`Where`}>
          <Link to="/$business/settings/markets" params={{ business: address }}>{t`Markets`}</Link>
        </nav>
        <h1>{t`New market`}</h1>
        <p className="facts-line soft hide-phone">
          {kept ? t`Kept in this tab until it is created` : t`Nobody can buy there before you create it`}
        </p>
        <div className="acts">
          {kept && <Button look="quiet" onClick={() => setDraft(undefined)}>{t`Start over`}</Button>}
          <Button look="main" reason={reason} onClick={() => void create()}>{t`Create the market`}</Button>
        </div>
      </header>
      <div className="record market">
        <div className="work">
          {error !== undefined && <Problem error={error} kept={t`Nothing was created. Your changes are still here.`} />}
          <MarketFields
            form={form}
            isNew
            isChanged={() => false}
            problemOf={problemOf}
            onChange={(changes) => {
              setError(undefined)
              setDraft({ ...form, ...changes })
            }}
          />
        </div>
        <div className="facts">
          <Example
            market={market}
            isWrong={Object.keys(problems).some((place) => place !== 'name' && place !== 'id')}
          />
        </div>
      </div>
    </>
  )
}
