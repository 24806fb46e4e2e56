import { conflict, invalid, notFound } from '#vocabulary/define-refusal.ts'
import { MAX_CODE_LENGTH, MAX_PERCENT_BPS } from './schemas.ts'

export const promoCodeNotFound = notFound('promo code')
export const codeExists = conflict('code', 'CODE_EXISTS', 'This business has a promo code {code} already.')
export const codeTooLong = invalid('code', 'TOO_LONG', `code must not have more than ${MAX_CODE_LENGTH} characters.`)
export const codeInvalid = invalid('code', 'INVALID', 'code must be of letters, digits, _ and -.')
export const percentTooLarge = invalid(
  'value',
  'TOO_LARGE',
  `value of a PERCENT code must not be above ${MAX_PERCENT_BPS} basis points.`,
)
export const percentHasCurrency = invalid('currency', 'INVALID', 'A PERCENT code has no currency.')
export const fixedNeedsCurrency = invalid('currency', 'REQUIRED', 'A FIXED code needs a currency.')
export const currencyInvalid = invalid('currency', 'INVALID', '{currency} is not an ISO 4217 currency.')
export const endsBeforeStart = invalid('endsAt', 'INVALID', 'endsAt must be after startsAt.')
export const marketNotFound = invalid('markets.{index}', 'NOT_FOUND', 'This business has no market {marketId}.')
export const notApplicable = invalid('promoCode', 'PROMO_NOT_APPLICABLE', 'This promo code {refusal}.')
