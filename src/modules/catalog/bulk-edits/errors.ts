import { conflict, invalid, lineRefused, notFound } from '#vocabulary/define-refusal.ts'

export const bulkEditNotFound = notFound('bulk edit')
export const bulkEditRunning = conflict(
  'status',
  'BULK_EDIT_RUNNING',
  'Another bulk edit of this business is under way. Wait for it, or stop it.',
)
export const bulkEditWrongState = conflict('status', 'WRONG_STATE', 'A bulk edit that is {status} cannot be {verb}.')
export const selectEitherOr = invalid('select', 'INVALID', 'Select products either by ids or by filters.')
export const filterUnknown = invalid(
  'select.filters.{name}',
  'UNKNOWN_PARAMETER',
  'The list of products has no filter {name}.',
)
export const operationUnknown = invalid('changes.{index}.op', 'INVALID', '{op} is not supported for {field}.')
export const endingTooLarge = invalid(
  'changes.{index}.ending',
  'INVALID',
  'The ending must be less than what is rounded to.',
)
export const marketOfChangeUnknown = invalid(
  'changes.{index}.marketId',
  'NOT_FOUND',
  'This business has no market {marketId}.',
)
export const productGone = lineRefused('productId', 'NOT_FOUND', 'The product was deleted.')
export const newPriceTooLarge = invalid('price', 'TOO_LARGE', 'The price would be too large.')
export const tooManyTags = invalid('tags', 'TOO_MANY', 'A product has at most 50 tags.')
