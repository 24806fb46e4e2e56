import { Type } from 'typebox'
import { defineEvent } from '#platform/events/define.ts'
import { Currency, Money } from '#vocabulary/schemas.ts'

export const paymentMismatch = defineEvent('payment.mismatch', {
  subject: 'order, or `chk_…` of a plan',
  note: 'Another amount or currency was paid than was asked for. Needs a person.',
  data: Type.Object({
    paid: Money,
    currency: Currency,
    expected: Money,
    pageId: Type.String({ description: 'The payment page at the provider.', examples: ['cs_test_a1b2c3'] }),
  }),
})
