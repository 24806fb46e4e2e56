import { amountStep, type Market } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useFormat } from '../../session/use-format.ts'
import type { MarketForm, Problem } from './form.ts'

export function useProblemWords() {
  const { t } = useLingui()
  const format = useFormat()
  return (problem: Problem | undefined, currency: string): string | undefined => {
    if (problem === undefined) return undefined
    if (problem === 'step') {
      const least = format.money(amountStep(currency), currency)
      return t`Enter a multiple of ${least}.`
    }
    return {
      missing: t`Enter a value.`,
      code: t`Letters, digits and hyphens; no spaces.`,
      currency: t`This is no currency such as EUR.`,
      figure: t`This is no figure that can be used here.`,
      percent: t`The maximum is 100%.`,
      twice: t`There is one of that name already.`,
      class: t`Small letters, digits and hyphens, such as reduced.`,
    }[problem]
  }
}

export function useMarketNames(): Record<keyof MarketForm, string> {
  const { t } = useLingui()
  return {
    id: t`Code`,
    name: t`Name`,
    currency: t`Currency`,
    pricesIncludeTax: t`Prices include tax`,
    percent: t`Tax`,
    taxRates: t`Other rates`,
    taxShipping: t`Tax on shipping`,
    shippingMethods: t`Shipping`,
    paymentMethods: t`Ways to pay`,
  }
}

/** A field of the form in few words, for the save bar and the merge. */
export function useShown() {
  const { t } = useLingui()
  return (value: MarketForm[keyof MarketForm], field: keyof MarketForm): string => {
    if (typeof value === 'boolean') return value ? t`yes` : t`no`
    if (typeof value === 'string') return field === 'percent' ? `${value} %` : value || t`none`
    const words = value.map((one) =>
      typeof one === 'string'
        ? one
        : 'taxClass' in one
          ? `${one.taxClass} ${one.percent} %`
          : `${one.name || '…'} ${one.price}${one.freeFrom ? ` (${t`free from ${one.freeFrom}`})` : ''}`,
    )
    return words.join(', ') || t`none`
  }
}

/** A market in the list: its taxes and its shipping in a few words. */
export function useMarketWords() {
  const { t } = useLingui()
  const format = useFormat()
  const percent = (bps: number) => `${format.number(bps / 100)} %`
  return {
    percent,
    tax: ({ taxBps, taxRates, pricesIncludeTax }: Market) => {
      const rates = [...new Set([taxBps, ...taxRates.map((rate) => rate.taxBps)])].sort((a, b) => b - a)
      if (rates.every((rate) => rate === 0)) return t`none`
      const all = rates.map(percent).join(', ')
      return pricesIncludeTax ? t`${all} inside` : t`${all} on top`
    },
    shipping: ({ shippingMethods, currency }: Market) => {
      if (shippingMethods.length === 0) return t`none`
      const least = format.money(Math.min(...shippingMethods.map(({ price }) => price)), currency)
      const free = shippingMethods.flatMap(({ freeFrom }) => freeFrom ?? [])
      const count = shippingMethods.length
      const words = count === 1 ? least : t`${count} ways from ${least}`
      return free.length === 0 ? words : t`${words}, free from ${format.money(Math.min(...free), currency)}`
    },
  }
}
