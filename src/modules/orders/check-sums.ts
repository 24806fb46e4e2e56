import { type Detail, invalidFields } from '#vocabulary/errors.ts'
import { toMinorUnits } from '#vocabulary/money.ts'
import { discountTooLarge, sumWrong } from './errors.ts'
import { shareFigures } from './figures.ts'
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
  // What is not sent is shared out later; what is sent for one line must be sent for all.
  const sumOf = (field: 'discount' | 'tax') => lines.reduce((rest, line) => rest + BigInt(line[field] ?? 0), 0n)
  const isSent = (field: 'discount' | 'tax') => lines.some((line) => line[field] !== undefined)
  const allTax = BigInt(tax) + BigInt(taxIncluded)
  toMinorUnits(allTax, 'taxIncluded')
  const shared = discount < subtotal ? discount : subtotal
  if (isSent('discount')) check('discount', shared, sumOf('discount'), 'the sum of the lines’ discounts')
  if (isSent('tax')) check('tax', tax, sumOf('tax') + BigInt(shippingTax ?? 0) - BigInt(taxIncluded), TAX_RULE)
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
  if (details.length > 0) throw invalidFields(details)
}

const TAX_RULE = 'the tax of the lines and of shipping, without what the prices include'

/** The lines with what was sent for each; what was not is shared out. */
export function toFigures(sums: Sums, taken: readonly OrderLine[], taxShipping: boolean) {
  const { lines, shipping, discount, tax, taxIncluded, taxes = [] } = sums
  const ofShipping = sums.shippingTax ?? 0
  const isSent = lines.some((line) => line.tax !== undefined) || sums.shippingTax !== undefined
  const shares = shareFigures({
    lines,
    shipping,
    discount,
    tax: tax + taxIncluded - ofShipping,
    taxShipping: taxShipping && !isSent,
  })
  const withShares = taken.map((line, index) => {
    const { discount: given = shares.lines[index]?.discount ?? 0, tax: taxed, taxBps = null } = lines[index] as NewLine
    return { ...line, discount: given, tax: taxed ?? shares.lines[index]?.tax ?? 0, taxBps }
  })
  const taxOfLines = withShares.reduce((sum, line) => sum + line.tax, 0)
  return { lines: withShares, shippingTax: tax + taxIncluded - taxOfLines, taxes }
}
