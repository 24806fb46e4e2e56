import { conflict, forbidden, invalid, notFound } from '#vocabulary/define-refusal.ts'

export const customerNotFound = notFound('customer')
export const commentNotFound = notFound('comment')
export const taggingNeedsReading = forbidden('Tagging a customer also needs ORDERS_READ: the answer shows them.')
export const notYourComment = forbidden('Only its author or an ADMIN may delete a comment.')
export const customerErased = conflict(
  'userId',
  'WRONG_STATE',
  'This customer was erased, or their account was deleted. Nothing is written about them any more.',
)
export const currencyRequired = invalid(
  'currency',
  'REQUIRED',
  'Sorted by what was spent, a currency is needed: say which, such as EUR.',
)
