import { type Static, Type } from 'typebox'
import { LineId, MAX_LINES, ORIGINS, Quantity } from '#modules/orders/index.ts'
import { BusinessId, Id, idOf, Money, moneyOf, Nullable, OneOf, OrderId, UnixSeconds } from '#vocabulary/schemas.ts'

const From = OneOf(ORIGINS, {
  description: 'Whether the units were shipped. Refunded units that were not shipped can no longer be shipped.',
})

export const NewRefund = Type.Object({
  amount: Type.Optional(
    Type.Integer({
      ...moneyOf(2_140),
      minimum: 1,
      description:
        'Amount to refund. Without `lines` and `shipping`, it is not assigned to any line. With them, it must not exceed their value.',
    }),
  ),
  lines: Type.Optional(
    Type.Array(
      Type.Object({
        lineId: LineId,
        quantity: Quantity,
        from: Type.Optional({
          ...From,
          description: 'Defaults to unshipped units first, then shipped ones.',
        }),
      }),
      { minItems: 1, maxItems: 2 * MAX_LINES, description: 'Lines to refund, at the price paid.' },
    ),
  ),
  shipping: Type.Optional(Type.Boolean({ description: 'Whether to refund shipping and its tax.', examples: [true] })),
  restock: Type.Optional(
    Type.Boolean({
      description: 'Whether to restock the units immediately, even if the refund fails later.',
      examples: [true],
    }),
  ),
  reason: Type.Optional(Nullable(Type.String({ maxLength: 500, examples: ['Came broken'] }))),
})
export type NewRefund = Static<typeof NewRefund>

const RefundedLine = Type.Object({ lineId: LineId, quantity: Quantity, from: From, amount: moneyOf(2_140) })
const parts = {
  lines: Type.Array(RefundedLine, { description: 'Refunded lines. Empty for a refund of an amount.' }),
  shipping: Type.Integer({ ...moneyOf(0), description: 'Part of the refund that is for shipping.' }),
}

export const RefundQuote = Type.Object(
  {
    amount: moneyOf(2_140),
    ...parts,
    left: Type.Integer({ ...moneyOf(2_737), description: 'Amount that can still be refunded afterwards.' }),
  },
  { title: 'RefundQuote' },
)
export type RefundQuote = Static<typeof RefundQuote>

export const Refund = Type.Object(
  {
    id: idOf('ref', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    orderId: OrderId,
    amount: Type.Integer({ ...Money, examples: [2_140] }),
    ...parts,
    restock: Type.Boolean({ description: 'Whether the units were restocked.', examples: [true] }),
    reason: Nullable(Type.String({ examples: ['Came broken'] })),
    status: OneOf(['PENDING', 'SUCCEEDED', 'FAILED'], {
      description:
        '`PENDING` until the payment provider completes the refund. A `FAILED` refund releases its units and amount.',
    }),
    createdAt: UnixSeconds,
  },
  { title: 'Refund' },
)
export type Refund = Static<typeof Refund>

export const RefundParams = Type.Object({ businessId: BusinessId, id: Id, refundId: Id })
