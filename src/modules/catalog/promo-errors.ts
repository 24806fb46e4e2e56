import { conflict, invalid } from '#vocabulary/errors.ts'

export const codeExists = (code: string) =>
  conflict('code', 'CODE_EXISTS', `This business has a promo code ${code} already.`)

/** Why a promo code that exists cannot be used for a purchase. */
export const PROMO_REFUSALS = ['NOT_STARTED', 'ENDED', 'MARKET', 'CURRENCY', 'MINIMUM'] as const
export type PromoRefusal = (typeof PROMO_REFUSALS)[number]

const REASONS: Record<PromoRefusal, string> = {
  NOT_STARTED: 'cannot be used yet',
  ENDED: 'cannot be used any more',
  MARKET: 'cannot be used in this market',
  CURRENCY: 'cannot be used in this currency',
  MINIMUM: 'needs a larger subtotal',
}

export const promoNotApplicable = (refusal: PromoRefusal) =>
  invalid('promoCode', 'PROMO_NOT_APPLICABLE', `This promo code ${REASONS[refusal]}.`)
