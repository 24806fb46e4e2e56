import type { Market, ShippingMethod } from '#vocabulary/business.ts'
import { shareOf, toMinorUnits } from '#vocabulary/money.ts'

export type CartLine = { productId: string; variantId: string; quantity: number; unitPrice: number }
export type PricingPromo = { code: string; type: 'PERCENT' | 'FIXED'; value: number }

/** All that a price depends on. Kept with the order, so that it can be computed again. */
export type PricingInput = {
  lines: CartLine[]
  currency: string
  taxBps: number
  taxShipping: boolean
  shipping: Pick<ShippingMethod, 'id' | 'price' | 'freeFrom'> | null
  promo: PricingPromo | null
}

/** One rule that was applied: on what base, at which rate, with what result. */
export type PricingStep = { rule: string; base: number; rate?: number; result: number }

export type PricedLine = CartLine & { totalPrice: number }
export type Pricing = {
  lines: PricedLine[]
  subtotal: number
  discount: number
  shipping: number
  tax: number
  taxBps: number
  total: number
  currency: string
  steps: PricingStep[]
}

export const toPricingInput = (
  lines: CartLine[],
  market: Market,
  shipping: ShippingMethod | undefined,
  promo: PricingPromo | undefined,
): PricingInput => ({
  lines: lines.map(({ productId, variantId, quantity, unitPrice }) => ({ productId, variantId, quantity, unitPrice })),
  currency: market.currency,
  taxBps: market.taxBps,
  taxShipping: market.taxShipping,
  shipping: shipping
    ? {
        id: shipping.id,
        price: shipping.price,
        ...(shipping.freeFrom !== undefined && { freeFrom: shipping.freeFrom }),
      }
    : null,
  promo: promo ? { code: promo.code, type: promo.type, value: promo.value } : null,
})

/** What a cart costs. Pure: quote and checkout both ask it, and an order's own figures can be asked for again later. */
export function price({ lines, currency, taxBps, taxShipping, shipping: method, promo }: PricingInput): Pricing {
  const steps: PricingStep[] = []
  const note = (step: PricingStep) => void steps.push(step)

  const priced = lines.map((line, index) => {
    const totalPrice = toMinorUnits(BigInt(line.unitPrice) * BigInt(line.quantity), `lines.${index}.totalPrice`)
    note({
      rule: `line ${line.productId}/${line.variantId}`,
      base: line.unitPrice,
      rate: line.quantity,
      result: totalPrice,
    })
    return { ...line, totalPrice }
  })
  const subtotal = priced.reduce((sum, { totalPrice }) => sum + BigInt(totalPrice), 0n)
  const base = toMinorUnits(subtotal, 'subtotal')

  const discount = promo ? discountOf(promo, subtotal) : 0n
  if (promo) {
    const rule = promo.type === 'PERCENT' ? `promo ${promo.code}, basis points` : `promo ${promo.code}, fixed`
    note({ rule, base, rate: promo.value, result: Number(discount) })
  }

  const reduced = subtotal - discount
  const isFree = method?.freeFrom !== undefined && reduced >= BigInt(method.freeFrom)
  const shipping = method && !isFree ? BigInt(method.price) : 0n
  if (method) {
    const rule = isFree ? `shipping ${method.id}, free from ${method.freeFrom}` : `shipping ${method.id}`
    note({ rule, base: Number(reduced), result: Number(shipping) })
  }

  const taxed = reduced + (taxShipping ? shipping : 0n)
  const tax = shareOf(taxed, taxBps)
  note({ rule: 'tax, basis points', base: toMinorUnits(taxed, 'tax'), rate: taxBps, result: toMinorUnits(tax, 'tax') })

  const total = toMinorUnits(subtotal + tax + shipping - discount, 'total')
  note({ rule: 'total', base, result: total })
  return {
    lines: priced,
    subtotal: base,
    discount: Number(discount),
    shipping: Number(shipping),
    tax: Number(tax),
    taxBps,
    total,
    currency,
    steps,
  }
}

function discountOf({ type, value }: PricingPromo, subtotal: bigint): bigint {
  const discount = type === 'PERCENT' ? shareOf(subtotal, value) : BigInt(value)
  return discount > subtotal ? subtotal : discount
}
