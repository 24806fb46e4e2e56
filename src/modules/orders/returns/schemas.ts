import { type Static, Type } from 'typebox'
import { Nullable, OrderId, UnixSeconds } from '#vocabulary/schemas.ts'
import { LineId, MAX_LINES, Quantity } from '../schemas.ts'

const Reason = Nullable(Type.String({ maxLength: 500, examples: ['Too small'] }))

export const NewReturn = Type.Object({
  lines: Type.Array(Type.Object({ lineId: LineId, quantity: Quantity }), { minItems: 1, maxItems: MAX_LINES }),
  reason: Type.Optional(Reason),
})
export type NewReturn = Static<typeof NewReturn>

export const Return = Type.Object(
  {
    orderId: OrderId,
    lines: Type.Array(
      Type.Object({
        lineId: LineId,
        quantity: Quantity,
        restocked: Type.Integer({
          minimum: 0,
          description: 'How many are in stock again. Fewer where the line held no stock.',
          examples: [2],
        }),
      }),
    ),
    reason: Reason,
    createdAt: UnixSeconds,
  },
  { title: 'Return' },
)
export type Return = Static<typeof Return>
