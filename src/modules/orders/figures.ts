import { spread } from '#vocabulary/money.ts'

type Priced = { totalPrice: number }

/** The shares of lines in a discount. One above the subtotal leaves nothing of them. */
export function shareDiscount(lines: readonly Priced[], discount: number): number[] {
  const prices = lines.map(({ totalPrice }) => BigInt(totalPrice))
  const subtotal = prices.reduce((sum, totalPrice) => sum + totalPrice, 0n)
  return spread(BigInt(discount) < subtotal ? BigInt(discount) : subtotal, prices).map(Number)
}

type Taxed = {
  lines: readonly (Priced & { discount: number })[]
  shipping: number
  /** All of it, on top of the prices or inside. */
  tax: number
  taxShipping: boolean
}

/** The shares of lines and shipping in tax, where only the sum is known. Where nothing is left of the lines, it is that of shipping. */
export function shareTax({ lines, shipping, tax, taxShipping }: Taxed): { lines: number[]; shippingTax: number } {
  const left = lines.map(({ totalPrice, discount }) => BigInt(totalPrice) - BigInt(discount))
  const ofLines = spread(BigInt(tax), [...left, taxShipping ? BigInt(shipping) : 0n]).slice(0, -1)
  return {
    lines: ofLines.map(Number),
    shippingTax: tax - Number(ofLines.reduce((sum, share) => sum + share, 0n)),
  }
}
