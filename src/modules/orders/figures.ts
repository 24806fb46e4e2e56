import { STANDARD_TAX_CLASS } from '#vocabulary/business.ts'
import { spread } from '#vocabulary/money.ts'
import type { OrderLine, OrderRow } from './order.ts'

type Amounts = {
  lines: readonly { totalPrice: number }[]
  shipping: number
  discount: number
  /** All of it, on top of the prices or inside. */
  tax: number
  taxShipping: boolean
}

/**
 * The shares of lines and shipping in discount and tax, where only the sums are known. A discount above the subtotal
 * leaves nothing of the lines; their tax is then that of shipping.
 */
export function shareFigures({ lines, shipping, discount, tax, taxShipping }: Amounts) {
  const prices = lines.map(({ totalPrice }) => BigInt(totalPrice))
  const subtotal = prices.reduce((sum, totalPrice) => sum + totalPrice, 0n)
  const discounts = spread(BigInt(discount) < subtotal ? BigInt(discount) : subtotal, prices)
  const left = prices.map((totalPrice, index) => totalPrice - (discounts[index] as bigint))
  const taxes = spread(BigInt(tax), [...left, taxShipping ? BigInt(shipping) : 0n])
  const ofLines = taxes.slice(0, -1)
  return {
    lines: lines.map((_, index) => ({ discount: Number(discounts[index]), tax: Number(ofLines[index]) })),
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
  const shares = shareFigures({ lines, shipping, discount, tax, taxShipping })
  const taxBps = trace?.taxBps ?? null
  const base = subtotal - discount + (taxShipping ? shipping : 0)
  return {
    ...stored,
    lines: lines.map((line, index) => ({
      ...line,
      id: String(index + 1),
      taxClass: STANDARD_TAX_CLASS,
      taxBps,
      ...(shares.lines[index] as (typeof shares.lines)[number]),
    })),
    shippingTax: shares.shippingTax,
    taxes:
      taxBps === null || base <= 0
        ? []
        : [{ taxBps, taxClasses: [STANDARD_TAX_CLASS], base, amount: tax, included: false }],
  }
}
