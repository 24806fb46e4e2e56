import type { Selectable } from 'kysely'
import type { CatalogPromoCodes } from '#platform/database/cell-tables.ts'
import type { Business } from '#vocabulary/business.ts'
import { isCurrency } from '#vocabulary/currencies.ts'
import { type Detail, invalidFields } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { fromSeconds, toSeconds } from '#vocabulary/time.ts'
import type { PromoRefusal } from './promo-errors.ts'
import {
  MAX_CODE_LENGTH,
  MAX_PERCENT_BPS,
  type PromoCode,
  type PromoCodeChanges,
  type PromoType,
} from './promo-schemas.ts'

/** A promo code as its row holds it. */
export type Promo = Omit<Selectable<CatalogPromoCodes>, 'type'> & { type: PromoType }

const CODE_LETTERS = /^[\p{L}\p{Nd}_-]+$/u

/**
 * One spelling for all the ways to type a code. Lower case on the way: ẞ has no upper case of its own, ß does (SS). Composed
 * again at the end, because changing the case can take a letter and its accent apart.
 */
export const foldCode = (typed: string): string =>
  typed.trim().normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC')

/** Undefined when it can be a code. */
export function codeProblem(folded: string): Pick<Detail, 'error' | 'message'> | undefined {
  if (Array.from(folded).length > MAX_CODE_LENGTH) {
    return { error: 'TOO_LONG', message: `code must not have more than ${MAX_CODE_LENGTH} characters.` }
  }
  if (!CODE_LETTERS.test(folded)) return { error: 'INVALID', message: 'code must be of letters, digits, _ and -.' }
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

/** The promo code with what was sent put in; null takes a term away. Throws 422 with one detail for each wrong field. */
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
  const details = [...mistakesIn(promo), ...unknownMarkets(sent.markets ?? [], business)]
  if (details.length > 0) throw invalidFields(details)
  return promo
}

const sentOr = <Value>(sent: Value | null | undefined, before: Value | null) => (sent === undefined ? before : sent)
const toDate = (seconds: number | null | undefined) => (typeof seconds === 'number' ? fromSeconds(seconds) : seconds)

/** What the fields say together: a change of one can make another wrong. */
function mistakesIn({ code, type, value, currency, startsAt, endsAt }: Promo): Detail[] {
  const details: Detail[] = []
  const wrong = (field: string, error: string, message: string) => details.push({ field, error, message })

  const problem = codeProblem(code)
  if (problem) wrong('code', problem.error, problem.message)
  if (type === 'PERCENT' && value > MAX_PERCENT_BPS) {
    wrong('value', 'TOO_LARGE', `value of a PERCENT code must not be above ${MAX_PERCENT_BPS} basis points.`)
  }
  if (type === 'PERCENT' && currency !== null) wrong('currency', 'INVALID', 'A PERCENT code has no currency.')
  if (type === 'FIXED' && currency === null) wrong('currency', 'REQUIRED', 'A FIXED code needs a currency.')
  if (type === 'FIXED' && currency !== null && !isCurrency(currency)) {
    wrong('currency', 'INVALID', `${currency} is not an ISO 4217 currency.`)
  }
  if (startsAt && endsAt && endsAt <= startsAt) wrong('endsAt', 'INVALID', 'endsAt must be after startsAt.')
  return details
}

/** Of those that were sent: a market that the business gave up meanwhile must not keep a code from being changed. */
const unknownMarkets = (sent: readonly string[], { markets }: Context['business']): Detail[] =>
  sent.flatMap((marketId, index) =>
    markets.some(({ id }) => id === marketId)
      ? []
      : [{ field: `markets.${index}`, error: 'NOT_FOUND', message: `This business has no market ${marketId}.` }],
  )

/** What a code is to be used for. `currency` is the market's, `subtotal` in its minor units. */
export type Purchase = { marketId: string; currency: string; subtotal: number; atSeconds: number }

/** Undefined when the code can be used for it, as far as that does not depend on who else uses it. */
export function promoRefusal(
  promo: Promo,
  { marketId, currency, subtotal, atSeconds }: Purchase,
): PromoRefusal | undefined {
  const { startsAt, endsAt, markets, minSubtotal } = promo
  if (startsAt && atSeconds < toSeconds(startsAt)) return 'NOT_STARTED'
  if (endsAt && atSeconds >= toSeconds(endsAt)) return 'ENDED'
  if (markets && !markets.includes(marketId)) return 'MARKET'
  if (promo.type === 'FIXED' && promo.currency !== currency) return 'CURRENCY'
  if (minSubtotal !== null && subtotal < minSubtotal) return 'MINIMUM'
  return undefined
}

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
