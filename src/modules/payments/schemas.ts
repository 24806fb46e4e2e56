import { Type } from 'typebox'
import { Nullable, OneOf } from '#vocabulary/schemas.ts'

export const PaymentAccount = Type.Object(
  {
    status: OneOf(['OWN', 'SHARED', 'NONE'], {
      description:
        'An account of the business; one for all businesses of this service; none: only free orders can be placed.',
    }),
    provider: Nullable(Type.String({ examples: ['stripe'] })),
    lastFour: Nullable(Type.String({ examples: ['x7q2'] })),
  },
  { title: 'PaymentAccount' },
)
