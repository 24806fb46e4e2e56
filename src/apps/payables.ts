import { orderPayable } from '#modules/checkout/index.ts'
import { newsletterPayable } from '#modules/newsletter/index.ts'
import type { Payable } from '#modules/payments/index.ts'

/** Everything that can be paid for. */
export const payables: readonly Payable[] = [orderPayable, newsletterPayable]
