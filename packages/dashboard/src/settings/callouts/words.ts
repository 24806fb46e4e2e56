import type { Answer } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'

export type Callout = Answer<'getCallout'>
export type Point = Callout['point']
export const POINTS = ['tax.calculate', 'shipping.rates', 'cart.validate'] as const satisfies readonly Point[]

const hostOf = (url: string) => URL.parse(url)?.host ?? url

/** Where a service may be asked, as a merchant would say it. */
export function usePointWords() {
  const { t } = useLingui()
  return (point: Point) => {
    const words = {
      'tax.calculate': {
        name: t`Taxes`,
        about: t`A service is asked for the tax of each line and of shipping, for every quote and checkout.`,
        own: t`Taxes are calculated by the rates of your markets.`,
        by: (host: string) => t`Taxes are calculated by ${host}.`,
        fallback: t`Use our own rates`,
        fallbackMeans: t`The rates of the market count, and the order says so.`,
      },
      'shipping.rates': {
        name: t`Shipping prices`,
        about: t`A service is asked which ways to ship there are and what they cost; its answer takes the place of the market's.`,
        own: t`Shipping prices are those of your markets.`,
        by: (host: string) => t`Shipping prices come from ${host}.`,
        fallback: t`Use our own shipping prices`,
        fallbackMeans: t`The shipping methods of the market count, and the order says so.`,
      },
      'cart.validate': {
        name: t`Checking carts`,
        about: t`A service is asked whether a cart may be bought, and says why not: age, export rules, too many of one thing.`,
        own: t`Every cart may be bought.`,
        by: (host: string) => t`${host} says whether a cart may be bought.`,
        fallback: t`Take every cart`,
        fallbackMeans: t`It is sold unchecked, and the order says so.`,
      },
    }[point]
    return {
      ...words,
      /** How it is now. */
      sentence: (callout: Pick<Callout, 'url' | 'isEnabled'> | undefined) =>
        callout?.isEnabled ? words.by(hostOf(callout.url)) : words.own,
    }
  }
}
