import type { Market } from '#vocabulary/business.ts'
import { type Detail, invalidFields } from '#vocabulary/errors.ts'
import { toMinorUnits } from '#vocabulary/money.ts'
import { discountTooLarge, sumWrong, taxAbovePrice, taxNotIncluded } from './errors.ts'
import { shareDiscount, shareTax } from './figures.ts'
import type { OrderLine } from './order.ts'
import type { NewLine, NewOrder } from './schemas.ts'

/** The figures that a person sends. Shares and taxes may be missing. */
export type Sums = Pick<NewOrder, 'subtotal' | 'tax' | 'shipping' | 'total' | 'shippingTax' | 'taxes'> & {
  discount: number
  taxIncluded: number
  lines: readonly NewLine[]
}

/** Computed in BigInt: the amounts that are sent may be as large as numbers get. */
export function checkSums({
  lines,
  subtotal,
  tax,
  taxIncluded,
  shipping,
  shippingTax,
  discount,
  total,
  taxes,
}: Sums): void {
  const details: Detail[] = []
  const check = (field: string, is: number, expected: bigint, rule: string) => {
    if (BigInt(is) !== expected) details.push(sumWrong.asDetail({ field, rule, expected: String(expected) }))
  }
  for (const [index, { unitPrice, quantity, totalPrice }] of lines.entries()) {
    check(`lines.${index}.totalPrice`, totalPrice, BigInt(unitPrice) * BigInt(quantity), 'unitPrice × quantity')
  }
  check(
    'subtotal',
    subtotal,
    lines.reduce((sum, line) => sum + BigInt(line.totalPrice), 0n),
    'the sum of its lines',
  )
  const sum = BigInt(subtotal) + BigInt(tax) + BigInt(shipping) - BigInt(discount)
  check('total', total, sum, 'subtotal + tax + shipping − discount')
  // What is sent for no line is shared out later.
  const sumOf = (field: Share) => lines.reduce((rest, line) => rest + BigInt(line[field] ?? 0), 0n)
  const allTax = BigInt(tax) + BigInt(taxIncluded)
  toMinorUnits(allTax, 'taxIncluded')
  const shared = discount < subtotal ? discount : subtotal
  if (isSent(lines, 'discount')) check('discount', shared, sumOf('discount'), 'the sum of the lines’ discounts')
  if (isSent(lines, 'tax')) check('tax', tax, sumOf('tax') + BigInt(shippingTax ?? 0) - BigInt(taxIncluded), TAX_RULE)
  else if (shippingTax !== undefined && BigInt(shippingTax) > allTax)
    check('shippingTax', shippingTax, allTax, TAX_RULE)
  const sumOfTaxes = (included: boolean) =>
    (taxes ?? []).filter((group) => group.included === included).reduce((rest, { amount }) => rest + BigInt(amount), 0n)
  if (taxes) {
    check('tax', tax, sumOfTaxes(false), 'the sum of the taxes on top')
    check('taxIncluded', taxIncluded, sumOfTaxes(true), 'the sum of the taxes inside')
  }
  for (const [index, line] of lines.entries()) {
    if ((line.discount ?? 0) > line.totalPrice)
      details.push(discountTooLarge.asDetail({ index, totalPrice: line.totalPrice }))
  }
  if (details.length === 0)
    details.push(...checkIncludedTax({ lines, tax, taxIncluded, shipping, shippingTax, discount }, subtotal - shared))
  if (details.length > 0) throw invalidFields(details)
}

type Share = 'discount' | 'tax'

/** A share that is sent for some lines is 0 for the others. */
const isSent = (lines: Sums['lines'], field: Share) => lines.some((line) => line[field] !== undefined)

const discountsOf = ({ lines, discount }: Pick<Sums, 'lines' | 'discount'>): number[] =>
  isSent(lines, 'discount') ? lines.map((line) => line.discount ?? 0) : shareDiscount(lines, discount)

type Taxes = Pick<Sums, 'lines' | 'tax' | 'taxIncluded' | 'shipping' | 'shippingTax' | 'discount'>

/** Tax inside a price is at most that price: of the order, of a line, of shipping. `goods` is the subtotal after discount. */
function checkIncludedTax(sums: Taxes, goods: number): Detail[] {
  const { lines, tax, taxIncluded, shipping, shippingTax } = sums
  if (taxIncluded === 0) return []
  // What is shared out: over the lines, and over shipping unless its tax is sent.
  const most = isSent(lines, 'tax') ? goods + shipping : goods + (shippingTax ?? shipping)
  if (taxIncluded > most) return [taxAbovePrice.asDetail({ field: 'taxIncluded', price: most })]
  const discounts = discountsOf(sums)
  const parts = [
    ...lines.map((line, index) => ({
      field: `lines.${index}.tax`,
      tax: line.tax ?? 0,
      price: line.totalPrice - (discounts[index] as number),
    })),
    { field: 'shippingTax', tax: shippingTax ?? 0, price: shipping },
  ]
  // What of a part's tax is on top of its price is at most `tax`.
  return parts
    .filter((part) => part.tax - tax > part.price)
    .map(({ field, price }) => taxAbovePrice.asDetail({ field, price: price + tax }))
}

/** Included tax that a person sends belongs to a market whose prices include it. */
export function checkTaxIncluded(taxIncluded: number | undefined, market: Market | undefined): void {
  if (taxIncluded && market && !market.pricesIncludeTax) throw taxNotIncluded({ market: market.id })
}

const TAX_RULE = 'the tax of the lines and of shipping, without what the prices include'

/** The lines with what was sent for each; what was not is shared out. */
export function toFigures(sums: Sums, taken: readonly OrderLine[], taxShipping: boolean) {
  const { shipping, subtotal, discount, tax, taxIncluded, taxes = [] } = sums
  const discounts = discountsOf(sums)
  const lines = sums.lines.map((line, index) => ({ ...line, discount: discounts[index] as number }))
  const allTax = tax + taxIncluded
  const isOfShipping = taxShipping || taxIncluded > subtotal - discount
  const taxesOfLines = isSent(lines, 'tax')
    ? lines.map((line) => line.tax ?? 0)
    : shareTax({
        lines,
        shipping,
        tax: allTax - (sums.shippingTax ?? 0),
        taxShipping: isOfShipping && sums.shippingTax === undefined,
      }).lines
  const withShares = taken.map((line, index) => ({
    ...line,
    discount: discounts[index] as number,
    tax: taxesOfLines[index] as number,
    taxBps: lines[index]?.taxBps ?? null,
  }))
  return { lines: withShares, shippingTax: allTax - taxesOfLines.reduce((sum, share) => sum + share, 0), taxes }
}
