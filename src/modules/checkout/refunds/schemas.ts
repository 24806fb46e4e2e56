import { type Static, Type } from 'typebox'
import { LineId, MAX_LINES, ORIGINS, Quantity } from '#modules/orders/index.ts'
import { BusinessId, Id, idOf, Money, moneyOf, Nullable, OneOf, OrderId, UnixSeconds } from '#vocabulary/schemas.ts'

const From = OneOf(ORIGINS, {
  description: 'Whether the pieces have gone out. Pieces that have not will not be shipped any more.',
})

export const NewRefund = Type.Object({
  amount: Type.Optional(
    Type.Integer({
      ...moneyOf(2_140),
      minimum: 1,
      description: 'Alone: money, of no line in particular. Beside `lines` or `shipping`: less than these are worth.',
    }),
  ),
  lines: Type.Optional(
    Type.Array(
      Type.Object({
        lineId: LineId,
        quantity: Quantity,
        from: Type.Optional({
          ...From,
          description: 'Without it: pieces that have not gone out, as far as there are any, then others.',
        }),
      }),
      { minItems: 1, maxItems: 2 * MAX_LINES, description: 'Pieces of lines, at what was paid for them.' },
    ),
  ),
  shipping: Type.Optional(Type.Boolean({ description: 'Shipping as well, with its tax.', examples: [true] })),
  restock: Type.Optional(
    Type.Boolean({
      description: 'Puts the pieces back into stock at once, even if the refund fails later.',
      examples: [true],
    }),
  ),
  reason: Type.Optional(Nullable(Type.String({ maxLength: 500, examples: ['Came broken'] }))),
})
export type NewRefund = Static<typeof NewRefund>

const RefundedLine = Type.Object({ lineId: LineId, quantity: Quantity, from: From, amount: moneyOf(2_140) })
const parts = {
  lines: Type.Array(RefundedLine, { description: 'Empty where the refund is of an amount.' }),
  shipping: Type.Integer({ ...moneyOf(0), description: 'What of it is for shipping.' }),
}

export const RefundQuote = Type.Object(
  {
    amount: moneyOf(2_140),
    ...parts,
    left: Type.Integer({ ...moneyOf(2_737), description: 'What can still be refunded after this.' }),
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
    restock: Type.Boolean({ description: 'The pieces were put back into stock.', examples: [true] }),
    reason: Nullable(Type.String({ examples: ['Came broken'] })),
    status: OneOf(['PENDING', 'SUCCEEDED', 'FAILED'], {
      description: 'PENDING until the payment provider has done it. A FAILED one frees pieces and money.',
    }),
    createdAt: UnixSeconds,
  },
  { title: 'Refund' },
)
export type Refund = Static<typeof Refund>

export const RefundParams = Type.Object({ businessId: BusinessId, id: Id, refundId: Id })
