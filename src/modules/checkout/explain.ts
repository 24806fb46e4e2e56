import type { OrderRow } from '#modules/orders/index.ts'
import { notFound } from '#vocabulary/errors.ts'
import { type Pricing, type PricingInput, price } from './pricing.ts'
import type { Explanation } from './schemas.ts'

const FIGURES = ['subtotal', 'discount', 'shipping', 'tax', 'total'] as const
const LINE_FIGURES = ['quantity', 'unitPrice', 'totalPrice'] as const

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

/** How an order's figures came about: computed again from what they were computed from. */
export function explain(order: OrderRow): Explanation {
  if (order.trace === null) throw notFound('computation: this order was made or changed by hand')
  const pricing = price(order.trace as unknown as PricingInput)
  const differences = [...differencesOf('', FIGURES, order, pricing), ...linesApart(order.lines, pricing.lines)]
  return { orderId: order.id, addsUp: differences.length === 0, steps: pricing.steps, differences }
}
