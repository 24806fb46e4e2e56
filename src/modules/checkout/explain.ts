import type { OrderRow } from '#modules/orders/index.ts'
import { type Pricing, type PricingInput, type PricingStep, price } from './pricing.ts'
import type { Explanation } from './schemas.ts'

const FIGURES = ['subtotal', 'discount', 'shipping', 'tax', 'taxIncluded', 'shippingTax', 'total'] as const
const LINE_FIGURES = ['quantity', 'unitPrice', 'totalPrice', 'discount', 'tax'] as const

const differencesOf = <Field extends string>(
  prefix: string,
  fields: readonly Field[],
  order: Record<Field, number> | undefined,
  computed: Record<Field, number> | undefined,
) =>
  fields
    .map((field) => ({ field: prefix + field, order: order?.[field] ?? 0, computed: computed?.[field] ?? 0 }))
    .filter((figure) => figure.order !== figure.computed)

const linesApart = (lines: OrderRow['lines'], computed: Pricing['lines']) =>
  Array.from({ length: Math.max(lines.length, computed.length) }, (_, index) =>
    differencesOf(`lines.${index}.`, LINE_FIGURES, lines[index], computed[index]),
  ).flat()

/** Explains an order's figures: computes them again from the stored input, or adds up those that a person sent. */
export function explain(order: OrderRow): Explanation {
  if (order.trace === null) return explainSums(order)
  const pricing = price(order.trace as unknown as PricingInput)
  const differences = [...differencesOf('', FIGURES, order, pricing), ...linesApart(order.lines, pricing.lines)]
  return { orderId: order.id, isByHand: false, addsUp: differences.length === 0, steps: pricing.steps, differences }
}

function explainSums({ id, lines, discount, shipping, shippingTax, tax, taxIncluded, total }: OrderRow): Explanation {
  const sum = (field: 'totalPrice' | 'discount' | 'tax') => lines.reduce((whole, line) => whole + line[field], 0)
  const subtotal = sum('totalPrice')
  const taxes = sum('tax') + shippingTax
  const computed = subtotal + tax + shipping - discount
  const steps: PricingStep[] = [
    ...lines.map(({ productId, variantId, unitPrice, quantity }) => ({
      rule: `line ${productId}/${variantId}`,
      base: unitPrice,
      rate: quantity,
      result: unitPrice * quantity,
    })),
    { rule: 'discount', base: subtotal, result: discount },
    { rule: 'shipping', base: subtotal - discount, result: shipping },
    { rule: taxIncluded > 0 ? 'tax inside' : 'tax', base: subtotal - discount + shipping, result: taxes },
    { rule: 'total', base: subtotal, result: computed },
  ]
  const differences = [
    { field: 'total', order: total, computed },
    { field: 'tax', order: tax + taxIncluded, computed: taxes },
  ].filter((figure) => figure.order !== figure.computed)
  return { orderId: id, isByHand: true, addsUp: differences.length === 0, steps, differences }
}
