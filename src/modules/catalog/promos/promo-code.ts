import type { Selectable } from 'kysely'
import type { CatalogPromoCodes } from '#platform/database/cell-tables.ts'
import type { Business } from '#vocabulary/business.ts'
import { isCurrency } from '#vocabulary/currencies.ts'
import { type Detail, invalidFields } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { findOffStep } from '#vocabulary/money.ts'
import { amountOffStep } from '#vocabulary/refusals.ts'
import { fromSeconds, toSeconds } from '#vocabulary/time.ts'
import * as refusal from './errors.ts'
import { MAX_CODE_LENGTH, MAX_PERCENT_BPS, type PromoCode, type PromoCodeChanges, type PromoType } from './schemas.ts'

/** A promo code as its row holds it. */
export type Promo = Omit<Selectable<CatalogPromoCodes>, 'type'> & { type: PromoType }

const CODE_LETTERS = /^[\p{L}\p{Nd}_-]+$/u

/**
 * Normalises a typed code. Lower case comes first: ẞ has no upper case of its own, ß does (SS). NFC comes last, because
 * changing the case can split a letter from its accent.
 */
export const foldCode = (typed: string): string =>
  typed.trim().normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC')

/** Undefined when the code is valid. */
export function codeProblem(folded: string): Detail | undefined {
  if (Array.from(folded).length > MAX_CODE_LENGTH) return refusal.codeTooLong.asDetail()
  if (!CODE_LETTERS.test(folded)) return refusal.codeInvalid.asDetail()
  return undefined
}

type Context = { business: Pick<Business, 'id' | 'markets'>; at: Date }

const NOTHING = {
  code: '',
  type: 'PERCENT' as const,
  value: 0,
  currency: null,
  minSubtotal: null,
  maxRedemptions: null,
  maxPerCustomer: null,
  startsAt: null,
  endsAt: null,
  markets: null,
  redemptions: 0,
  version: 0,
  deletedAt: null,
}

/** Applies the changes to a promo code; null removes a term. Throws 422 with one detail for each mistake. */
export function mergePromo(before: Promo | undefined, sent: PromoCodeChanges, { business, at }: Context): Promo {
  const base = before ?? { ...NOTHING, businessId: business.id, id: newId('promo'), createdAt: at }
  const promo = {
    ...base,
    code: sent.code === undefined ? base.code : foldCode(sent.code),
    type: sent.type ?? base.type,
    value: sent.value ?? base.value,
    currency: sentOr(sent.currency, base.currency),
    minSubtotal: sentOr(sent.minSubtotal, base.minSubtotal),
    maxRedemptions: sentOr(sent.maxRedemptions, base.maxRedemptions),
    maxPerCustomer: sentOr(sent.maxPerCustomer, base.maxPerCustomer),
    startsAt: sentOr(toDate(sent.startsAt), base.startsAt),
    endsAt: sentOr(toDate(sent.endsAt), base.endsAt),
    markets: sentOr(sent.markets, base.markets),
    version: base.version + 1,
    updatedAt: at,
  }
  const details = [...mistakesIn(promo), ...offStepIn(promo, before), ...unknownMarkets(sent.markets ?? [], business)]
  if (details.length > 0) throw invalidFields(details)
  return promo
}

const sentOr = <Value>(sent: Value | null | undefined, before: Value | null) => (sent === undefined ? before : sent)
const toDate = (seconds: number | null | undefined) => (typeof seconds === 'number' ? fromSeconds(seconds) : seconds)

/** Rules across fields: a change of one field can make another invalid. */
function mistakesIn({ code, type, value, currency, startsAt, endsAt }: Promo): Detail[] {
  const details: Detail[] = []
  const wrong = (detail: Detail) => details.push(detail)

  const problem = codeProblem(code)
  if (problem) wrong(problem)
  if (type === 'PERCENT' && value > MAX_PERCENT_BPS) {
    wrong(refusal.percentTooLarge.asDetail())
  }
  if (type === 'PERCENT' && currency !== null) wrong(refusal.percentHasCurrency.asDetail())
  if (type === 'FIXED' && currency === null) wrong(refusal.fixedNeedsCurrency.asDetail())
  if (type === 'FIXED' && currency !== null && !isCurrency(currency)) {
    wrong(refusal.currencyInvalid.asDetail({ currency }))
  }
  if (startsAt && endsAt && endsAt <= startsAt) wrong(refusal.endsBeforeStart.asDetail())
  return details
}

/** A stored value off the step must not block other edits. */
function offStepIn({ type, value, currency }: Promo, before: Promo | undefined): Detail[] {
  if (type !== 'FIXED' || currency === null) return []
  if (before?.type === type && before.value === value && before.currency === currency) return []
  const off = findOffStep(value, currency)
  return off ? [amountOffStep.asDetail({ field: 'value', ...off })] : []
}

/** Checks only the markets that were sent: a market that the business has removed must not block other edits. */
const unknownMarkets = (sent: readonly string[], { markets }: Context['business']): Detail[] =>
  sent.flatMap((marketId, index) =>
    markets.some(({ id }) => id === marketId) ? [] : [refusal.marketNotFound.asDetail({ index, marketId })],
  )

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

export const promoNotApplicable = (reason: PromoRefusal) => refusal.notApplicable({ refusal: REASONS[reason] })

/** The purchase that a code is checked against. `currency` is the market's, `subtotal` in its minor units. */
export type Purchase = { marketId: string; currency: string; subtotal: number; atSeconds: number }

const DOES_REFUSE: Record<PromoRefusal, (promo: Promo, purchase: Purchase) => boolean> = {
  NOT_STARTED: ({ startsAt }, { atSeconds }) => startsAt !== null && atSeconds < toSeconds(startsAt),
  ENDED: ({ endsAt }, { atSeconds }) => endsAt !== null && atSeconds >= toSeconds(endsAt),
  MARKET: ({ markets }, { marketId }) => markets !== null && !markets.includes(marketId),
  CURRENCY: ({ type, currency }, purchase) => type === 'FIXED' && currency !== purchase.currency,
  MINIMUM: ({ minSubtotal }, { subtotal }) => minSubtotal !== null && subtotal < minSubtotal,
}

/** All reasons why the code does not apply to the purchase. Redemption limits are checked later, under the lock. */
export const refusalsOf = (promo: Promo, purchase: Purchase): PromoRefusal[] =>
  PROMO_REFUSALS.filter((reason) => DOES_REFUSE[reason](promo, purchase))

export const promoRefusal = (promo: Promo, purchase: Purchase): PromoRefusal | undefined =>
  refusalsOf(promo, purchase)[0]

export const presentPromo = (promo: Promo): PromoCode => ({
  id: promo.id,
  code: promo.code,
  type: promo.type,
  value: promo.value,
  currency: promo.currency,
  minSubtotal: promo.minSubtotal,
  maxRedemptions: promo.maxRedemptions,
  maxPerCustomer: promo.maxPerCustomer,
  startsAt: promo.startsAt && toSeconds(promo.startsAt),
  endsAt: promo.endsAt && toSeconds(promo.endsAt),
  markets: promo.markets,
  redemptions: promo.redemptions,
  createdAt: toSeconds(promo.createdAt),
  updatedAt: toSeconds(promo.updatedAt),
})
