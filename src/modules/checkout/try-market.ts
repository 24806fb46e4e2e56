import { checkMarket, toMarkets } from '#modules/access/index.ts'
import { STANDARD_TAX_CLASS, taxRateOf } from '#vocabulary/business.ts'
import { invalidFields } from '#vocabulary/errors.ts'
import { findOffStep } from '#vocabulary/money.ts'
import { amountOffStep } from '#vocabulary/refusals.ts'
import { shippingMethodNotFound } from './errors.ts'
import { price, toPricingInput } from './pricing.ts'
import type { TriedMarket, TryMarketBody } from './schemas.ts'

/** What carts of made-up goods would cost in a market that may not be saved yet: by the rules of every quote. */
export function tryMarket({ market: sent, carts }: TryMarketBody): TriedMarket {
  checkMarket(sent)
  checkPrices(carts, sent.currency)
  const [market] = toMarkets([sent])
  if (!market) return { items: [] }
  const items = carts.map(({ lines, shippingMethodId }) => {
    const method = market.shippingMethods.find(({ id }) => id === shippingMethodId)
    if (shippingMethodId != null && !method) throw shippingMethodNotFound({ id: shippingMethodId })
    const goods = lines.map(({ unitPrice, quantity, taxClass = STANDARD_TAX_CLASS }, index) => ({
      productId: String(index),
      variantId: String(index),
      unitPrice,
      quantity,
      taxClass,
      taxBps: taxRateOf(market, taxClass),
    }))
    const { lines: priced, steps: _steps, ...figures } = price(toPricingInput(goods, market, method, undefined))
    return { ...figures, lines: priced.map(({ productId: _product, variantId: _variant, ...line }) => line) }
  })
  return { items }
}

function checkPrices(carts: TryMarketBody['carts'], currency: string): void {
  const details = carts.flatMap(({ lines }, cart) =>
    lines.flatMap(({ unitPrice }, line) => {
      const off = findOffStep(unitPrice, currency)
      return off ? [amountOffStep.asDetail({ field: `carts.${cart}.lines.${line}.unitPrice`, ...off })] : []
    }),
  )
  if (details.length > 0) throw invalidFields(details)
}
