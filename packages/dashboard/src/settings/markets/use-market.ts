import type { Business } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useBusiness } from '../../session/use-business.ts'
import { useBusinessForm } from '../use-business-form.ts'
import { emptyForm, type MarketForm, readForm, toForm } from './form.ts'
import { useMarketNames, useProblemWords, useShown } from './words.ts'

/** One market as it is changed. It is saved with the others as they are by then, so two people may work on two. */
export function useMarket(id: string) {
  const { t } = useLingui()
  const business = useBusiness()
  const names = useMarketNames()
  const show = useShown()
  const problemWords = useProblemWords()
  const marketOf = ({ markets }: Business) => markets.find((market) => market.id === id)
  const name = marketOf(business)?.name ?? id
  const settings = useBusinessForm<MarketForm>({
    part: `market:${id}`,
    label: t`Save the market ${name}`,
    toForm: (now) => {
      const market = marketOf(now)
      return market ? toForm(market) : emptyForm('EUR')
    },
    toBody: (mine, now) => {
      const { market } = readForm(mine)
      return { markets: now.markets.map((one) => (one.id === id ? market : one)) }
    },
    names,
    show,
  })
  const { market, problems } = readForm(settings.form)
  const place = business.markets.findIndex((one) => one.id === id)
  return {
    ...settings,
    market,
    isWrong: Object.keys(problems).length > 0,
    problemOf: (field: string) =>
      problemWords(problems[field], market.currency) ?? settings.refusalOf(`markets.${place}.${field}`),
  }
}
