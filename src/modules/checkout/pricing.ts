import type { TaxGroup } from '#modules/orders/index.ts'
import { type Market, type ShippingMethod, STANDARD_TAX_CLASS, taxRateOf } from '#vocabulary/business.ts'
import { stepOf } from '#vocabulary/currencies.ts'
import { shareOf, spread, taxInside, toMinorUnits } from '#vocabulary/money.ts'

export type CartLine = {
  productId: string
  variantId: string
  quantity: number
  unitPrice: number
  taxClass: string
  taxBps: number
}
/** What the business's own service for taxes said: as it came, lines by their position. */
export type ToldTax = { lines: { taxBps: number; tax: number }[]; shippingTax: number; taxes: TaxGroup[] }
export type PricingPromo = { code: string; type: 'PERCENT' | 'FIXED'; value: number }

/** Everything that a price depends on. Stored with the order, so that it can be computed again. */
export type PricingInput = {
  lines: CartLine[]
  currency: string
  /** The currency's step, in minor units. */
  step: number
  /** The market's own rate. */
  taxBps: number
  taxShipping: boolean
  /** The rate of the class `standard`, to which shipping belongs. */
  shippingTaxBps: number
  pricesIncludeTax: boolean
  shipping: (Pick<ShippingMethod, 'id' | 'price' | 'freeFrom'> & { isTold?: boolean }) | null
  promo: PricingPromo | null
  /** Instead of what the rates would give. */
  toldTax?: ToldTax
}

/** One rule that was applied: on what base, at which rate, with what result. */
export type PricingStep = { rule: string; base: number; rate?: number; result: number }

export type PricedLine = CartLine & { totalPrice: number; discount: number; tax: number }
export type Pricing = {
  lines: PricedLine[]
  subtotal: number
  discount: number
  shipping: number
  /** What is added on top of the prices; 0 where it is inside. */
  tax: number
  taxIncluded: number
  /** Shipping's share of `tax` or `taxIncluded`. */
  shippingTax: number
  taxes: TaxGroup[]
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
  toldTax?: ToldTax,
): PricingInput => ({
  lines,
  currency: market.currency,
  step: stepOf(market.currency),
  taxBps: market.taxBps,
  taxShipping: market.taxShipping,
  shippingTaxBps: taxRateOf(market, STANDARD_TAX_CLASS),
  pricesIncludeTax: market.pricesIncludeTax,
  shipping: shipping
    ? {
        id: shipping.id,
        price: shipping.price,
        ...(shipping.freeFrom !== undefined && { freeFrom: shipping.freeFrom }),
        ...(shipping.isTold && { isTold: true }),
      }
    : null,
  promo: promo ? { code: promo.code, type: promo.type, value: promo.value } : null,
  ...(toldTax && { toldTax }),
})

/** Prices a cart. Pure, and shared by quote, checkout and explanation. */
export function price(input: PricingInput): Pricing {
  const { lines, currency, shipping: method, promo } = input
  const step = BigInt(input.step)
  const steps: PricingStep[] = []
  const note = (step: PricingStep) => void steps.push(step)

  const prices = lines.map((line, index) => {
    const totalPrice = BigInt(line.unitPrice) * BigInt(line.quantity)
    const result = toMinorUnits(totalPrice, `lines.${index}.totalPrice`)
    note({ rule: `line ${line.productId}/${line.variantId}`, base: line.unitPrice, rate: line.quantity, result })
    return totalPrice
  })
  const subtotal = prices.reduce((sum, totalPrice) => sum + totalPrice, 0n)
  const base = toMinorUnits(subtotal, 'subtotal')

  const discount = promo ? discountOf(promo, subtotal, step) : 0n
  if (promo) {
    const rule = promo.type === 'PERCENT' ? `promo ${promo.code}, basis points` : `promo ${promo.code}, fixed`
    note({ rule, base, rate: promo.value, result: Number(discount) })
  }
  const discounts = spread(discount, prices, step)

  const reduced = subtotal - discount
  const isFree = method?.freeFrom !== undefined && reduced >= BigInt(method.freeFrom)
  const shipping = method && !isFree ? BigInt(method.price) : 0n
  if (method) {
    const told = method.isTold ? ', from shipping.rates' : ''
    const rule = isFree ? `shipping ${method.id}, free from ${method.freeFrom}` : `shipping ${method.id}${told}`
    note({ rule, base: Number(reduced), result: Number(shipping) })
  }

  const taxed = prices.map((totalPrice, index) => totalPrice - (discounts[index] as bigint))
  const { toldTax } = input
  const { taxes, shares, shippingTax } = toldTax
    ? takeTold(toldTax, taxed, shipping, note)
    : taxOf(input, taxed, shipping, step, note)
  const sum = toMinorUnits(
    taxes.reduce((total, { amount }) => total + BigInt(amount), 0n),
    'tax',
  )
  const [tax, taxIncluded] = input.pricesIncludeTax ? [0, sum] : [sum, 0]

  const total = toMinorUnits(subtotal + BigInt(tax) + shipping - discount, 'total')
  note({ rule: 'total', base, result: total })
  return {
    lines: lines.map((line, index) => ({
      ...line,
      ...(toldTax && { taxBps: toldTax.lines[index]?.taxBps ?? 0 }),
      totalPrice: Number(prices[index]),
      discount: Number(discounts[index]),
      tax: Number(shares[index]),
    })),
    subtotal: base,
    discount: Number(discount),
    shipping: Number(shipping),
    tax,
    taxIncluded,
    shippingTax: Number(shippingTax),
    taxes,
    taxBps: toldTax ? toldRateOf(input, toldTax, reduced + shipping) : rateOf(input, taxes),
    total,
    currency,
    steps,
  }
}

function discountOf({ type, value }: PricingPromo, subtotal: bigint, step: bigint): bigint {
  const discount = type === 'PERCENT' ? shareOf(subtotal, value, step) : BigInt(value)
  return discount > subtotal ? subtotal : discount
}

/** A service's figures are never computed again. */
function takeTold(
  { lines, shippingTax, taxes }: ToldTax,
  amounts: readonly bigint[],
  shipping: bigint,
  note: (step: PricingStep) => void,
) {
  const whole = amounts.reduce((sum, amount) => sum + amount, shipping)
  const result = taxes.reduce((sum, { amount }) => sum + amount, 0)
  note({ rule: 'tax, from tax.calculate', base: Number(whole), result })
  return { taxes, shares: lines.map(({ tax }) => BigInt(tax)), shippingTax: BigInt(shippingTax) }
}

/** The one rate of the lines; of several, the one that would give the same sum. Groups may be of the same base. */
function toldRateOf({ taxBps, pricesIncludeTax }: PricingInput, { lines, taxes }: ToldTax, whole: bigint): number {
  const [first, ...others] = new Set(lines.map((line) => line.taxBps))
  if (first !== undefined && others.length === 0) return first
  const amount = taxes.reduce((sum, group) => sum + BigInt(group.amount), 0n)
  const base = pricesIncludeTax ? whole - amount : whole
  return base <= 0n ? taxBps : Number((2n * amount * 10_000n + base) / (2n * base))
}

type Taxed = { index: number; taxClass: string; amount: bigint }

/** Rounds once for each rate, and gives each line its share. Shipping is like one more line after the last. */
function taxOf(
  { lines, taxShipping, shippingTaxBps, pricesIncludeTax: included }: PricingInput,
  amounts: readonly bigint[],
  shipping: bigint,
  step: bigint,
  note: (step: PricingStep) => void,
) {
  const groups = new Map<number, Taxed[]>()
  const add = (taxBps: number, taxed: Taxed) => {
    const group = groups.get(taxBps)
    if (group) group.push(taxed)
    else groups.set(taxBps, [taxed])
  }
  for (const [index, { taxClass, taxBps }] of lines.entries()) {
    add(taxBps, { index, taxClass, amount: amounts[index] as bigint })
  }
  if (taxShipping && shipping > 0n) {
    add(shippingTaxBps, { index: lines.length, taxClass: STANDARD_TAX_CLASS, amount: shipping })
  }

  const shares = [...amounts.map(() => 0n), 0n]
  const taxes: TaxGroup[] = []
  for (const [taxBps, members] of [...groups].sort(([a], [b]) => b - a)) {
    const whole = members.reduce((sum, { amount }) => sum + amount, 0n)
    const tax = included ? taxInside(whole, taxBps, step) : shareOf(whole, taxBps, step)
    const [sum, amount] = [toMinorUnits(whole, 'tax'), toMinorUnits(tax, 'tax')]
    note({
      rule: included ? 'tax inside, basis points' : 'tax, basis points',
      base: sum,
      rate: taxBps,
      result: amount,
    })
    const split = spread(
      tax,
      members.map((member) => member.amount),
      step,
    )
    for (const [place, { index }] of members.entries()) shares[index] = split[place] as bigint
    if (whole === 0n) continue
    const taxClasses = [...new Set(members.map(({ taxClass }) => taxClass))]
    taxes.push({ taxBps, taxClasses, base: included ? sum - amount : sum, amount, included })
  }
  return { taxes, shares, shippingTax: shares[lines.length] as bigint }
}

/** The one rate; of several, the one that would give the same sum. */
function rateOf({ lines, taxBps }: PricingInput, taxes: readonly TaxGroup[]): number {
  const rates = new Set((taxes.length > 0 ? taxes : lines).map((taxed) => taxed.taxBps))
  if (rates.size === 1) return [...rates][0] as number
  const base = taxes.reduce((sum, group) => sum + BigInt(group.base), 0n)
  const amount = taxes.reduce((sum, group) => sum + BigInt(group.amount), 0n)
  return base === 0n ? taxBps : Number((2n * amount * 10_000n + base) / (2n * base))
}
