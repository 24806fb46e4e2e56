import { amountStep, type Body, type Business, fractionDigits } from '@kontor/sdk'
import { secondsAt, wallClockOf } from '../../i18n/days.ts'
import type { Promo } from '../queries.ts'

/** A promo code as it is typed. Empty: the term does not restrict it. */
export type PromoForm = {
  code: string
  type: 'PERCENT' | 'FIXED'
  value: string
  currency: string
  minSubtotal: string
  maxRedemptions: string
  maxPerCustomer: string
  startsAt: string
  endsAt: string
  /** In these, sorted; empty: in all. */
  markets: string[]
}
export type Field = keyof PromoForm
export type Problem = 'missing' | 'number' | 'step' | 'percent' | 'code' | 'order'

export const FIELDS: readonly Field[] = [
  'code',
  'type',
  'value',
  'currency',
  'minSubtotal',
  'maxRedemptions',
  'maxPerCustomer',
  'startsAt',
  'endsAt',
  'markets',
]

const AMOUNT: readonly Field[] = ['type', 'currency', 'value']

type Terms = Omit<Body<'createPromoCode'>, 'code' | 'type' | 'value'>

/** The currency that a least sum is read in: all markets have the same figure, in minor units of their own. */
export const leastCurrencyOf = ({ markets }: Pick<Business, 'markets'>, form: Pick<PromoForm, 'type' | 'currency'>) =>
  form.type === 'FIXED' && form.currency ? form.currency : (markets[0]?.currency ?? 'USD')

export function emptyForm({ markets }: Pick<Business, 'markets'>): PromoForm {
  return {
    code: '',
    type: 'PERCENT',
    value: '10',
    currency: markets[0]?.currency ?? '',
    minSubtotal: '',
    maxRedemptions: '',
    maxPerCustomer: '',
    startsAt: '',
    endsAt: '',
    markets: [],
  }
}

const show = (minor: number, digits: number) => (minor / 10 ** digits).toFixed(digits)
const wordOf = (value: number | null) => (value === null ? '' : String(value))

export function toForm(promo: Promo, business: Pick<Business, 'markets'>, timeZone: string): PromoForm {
  const currency = promo.currency ?? business.markets[0]?.currency ?? ''
  const least = leastCurrencyOf(business, { type: promo.type, currency })
  const at = (seconds: number | null) => (seconds === null ? '' : wallClockOf(seconds, timeZone))
  return {
    code: promo.code,
    type: promo.type,
    value: promo.type === 'PERCENT' ? String(promo.value / 100) : show(promo.value, fractionDigits(currency)),
    currency,
    minSubtotal: promo.minSubtotal === null ? '' : show(promo.minSubtotal, fractionDigits(least)),
    maxRedemptions: wordOf(promo.maxRedemptions),
    maxPerCustomer: wordOf(promo.maxPerCustomer),
    startsAt: at(promo.startsAt),
    endsAt: at(promo.endsAt),
    markets: [...(promo.markets ?? [])].sort(),
  }
}

/** `12,5` and `12.5` in units of 10^-digits; undefined where it is none, or finer than that. */
export function readFigure(typed: string, digits: number): number | undefined {
  const plain = typed.trim().replaceAll(/\s/g, '').replace(',', '.')
  const found = /^(\d{1,12})(?:\.(\d+))?$/.exec(plain)
  if (!found || (found[2] ?? '').replace(/0+$/, '').length > digits) return undefined
  return Number(`${found[1]}${(found[2] ?? '').slice(0, digits).padEnd(digits, '0')}`)
}

type Reading = { body: Body<'createPromoCode'>; problems: Partial<Record<Field, Problem>> }

/** As the service takes it, with what is wrong. */
export function readForm(form: PromoForm, business: Pick<Business, 'markets'>, timeZone: string): Reading {
  const problems: Reading['problems'] = {}
  const isPercent = form.type === 'PERCENT'
  const figure = (
    field: 'value' | 'minSubtotal' | 'maxRedemptions' | 'maxPerCustomer',
    digits: number,
    least: number,
  ) => {
    if (form[field].trim() === '') return null
    const read = readFigure(form[field], digits)
    if (read === undefined || read < least) problems[field] = 'number'
    return read ?? null
  }
  const time = (text: string) => (text === '' ? null : secondsAt(text, timeZone))
  const code = form.code.trim()
  if (code === '') problems.code = 'missing'
  else if (!/^[\p{L}\p{Nd}_-]{1,64}$/u.test(code.normalize('NFKC'))) problems.code = 'code'
  const value = figure('value', isPercent || !form.currency ? 2 : fractionDigits(form.currency), 1)
  if (value === null && !problems.value) problems.value = 'missing'
  if (isPercent && value !== null && value > 10_000) problems.value = 'percent'
  if (!isPercent && value !== null && value % amountStep(form.currency) > 0) problems.value = 'step'
  const [startsAt, endsAt] = [time(form.startsAt), time(form.endsAt)]
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt) problems.endsAt = 'order'
  const terms: Terms = {
    currency: isPercent ? null : form.currency,
    minSubtotal: figure('minSubtotal', fractionDigits(leastCurrencyOf(business, form)), 0),
    maxRedemptions: figure('maxRedemptions', 0, 1),
    maxPerCustomer: figure('maxPerCustomer', 0, 1),
    startsAt,
    endsAt,
    markets: form.markets.length > 0 ? form.markets : null,
  }
  return { body: { code, type: form.type, value: value ?? 0, ...terms }, problems }
}

/**
 * Only what was changed, so that what one did not touch stays as it is to the second. Kind, currency and value go together, and
 * the least sum is read in that currency: where it has other minor units, the same digits mean another sum.
 */
export function changesOf(base: PromoForm, mine: PromoForm, body: Reading['body']): Body<'updatePromoCode'> {
  const changed = FIELDS.filter((field) => JSON.stringify(base[field]) !== JSON.stringify(mine[field]))
  const isOtherMoney = changed.includes('type') || changed.includes('currency')
  const sent = new Set(changed)
  if (isOtherMoney || changed.includes('value')) for (const field of AMOUNT) sent.add(field)
  if (isOtherMoney) sent.add('minSubtotal')
  return Object.fromEntries(Object.entries(body).filter(([field]) => sent.has(field as Field)))
}
