import {
  conflict,
  defineRefusal,
  invalid,
  providerFailed,
  providerNotConfigured,
  unavailable,
} from '#vocabulary/define-refusal.ts'

export const paymentFailed = providerFailed('payment')
export const noPayee = providerNotConfigured('payment')
export const noAnswer = unavailable('The payment provider is not responding. Try again shortly.')
export const sendEventAgain = unavailable('The payment provider is not responding. Send this event again later.')
export const notPaidHere = conflict(
  'id',
  'NOTHING_TO_REFUND',
  'This order has no payment through the payment provider to refund.',
)
export const nothingLeft = conflict('amount', 'NOTHING_TO_REFUND', 'The order is unpaid or already fully refunded.')
export const tooMuch = invalid('amount', 'TOO_LARGE', 'Only {left} can still be refunded.')
export const signatureInvalid = defineRefusal({
  status: 400,
  code: 'BAD_REQUEST',
  summary: 'The signature of this event is invalid or too old.',
  field: '{provider}-signature',
  detail: 'SIGNATURE_INVALID',
  message: 'The signature does not match.',
})
