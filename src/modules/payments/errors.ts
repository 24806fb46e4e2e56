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
export const noAnswer = unavailable('The payment provider does not answer. Try again shortly.')
export const sendEventAgain = unavailable('The payment provider does not answer. Send this event again later.')
export const notPaidHere = conflict(
  'id',
  'NOTHING_TO_REFUND',
  'This order was not paid through the payment provider: there is nothing to refund.',
)
export const nothingLeft = conflict('amount', 'NOTHING_TO_REFUND', 'Nothing is paid, or all of it is refunded already.')
export const tooMuch = invalid('amount', 'TOO_LARGE', 'At most {left} can still be refunded.')
export const signatureInvalid = defineRefusal({
  status: 400,
  code: 'BAD_REQUEST',
  summary: 'This event is not signed by the payment provider, or was signed too long ago.',
  field: '{provider}-signature',
  detail: 'SIGNATURE_INVALID',
  message: 'The signature does not fit.',
})
