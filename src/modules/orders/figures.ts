import { STANDARD_TAX_CLASS } from '#vocabulary/business.ts'
import { spread } from '#vocabulary/money.ts'
import type { OrderLine, OrderRow } from './order.ts'

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

/** An order as an earlier version stored it: without figures for each line. */
type StoredRow = Omit<OrderRow, 'lines' | 'shippingTax' | 'taxes'> & {
  lines: (Omit<OrderLine, Figures> & Partial<Pick<OrderLine, Figures>>)[]
  shippingTax: number | null
  taxes: OrderRow['taxes'] | null
}
type Figures = 'id' | 'discount' | 'taxClass' | 'taxBps' | 'tax'

/** Works out what an earlier version did not store. Its tax was of one rate, and never inside the prices. */
export function completeOrder<Row extends StoredRow>(stored: Row): Row & OrderRow {
  if (stored.shippingTax !== null) return stored as Row & OrderRow
  const { lines, subtotal, discount, shipping, tax } = stored
  const trace = stored.trace as { taxBps?: number; taxShipping?: boolean } | null
  const taxShipping = trace?.taxShipping ?? false
  const discounts = shareDiscount(lines, discount)
  const discounted = lines.map((line, index) => ({ ...line, discount: discounts[index] as number }))
  const shares = shareTax({ lines: discounted, shipping, tax, taxShipping })
  const taxBps = trace?.taxBps ?? null
  const base = subtotal - discount + (taxShipping ? shipping : 0)
  return {
    ...stored,
    lines: discounted.map((line, index) => ({
      ...line,
      id: String(index + 1),
      taxClass: STANDARD_TAX_CLASS,
      taxBps,
      tax: shares.lines[index] as number,
    })),
    shippingTax: shares.shippingTax,
    taxes:
      taxBps === null || base <= 0
        ? []
        : [{ taxBps, taxClasses: [STANDARD_TAX_CLASS], base, amount: tax, included: false }],
  }
}
