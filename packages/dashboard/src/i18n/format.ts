import { fractionDigits } from '@kontor/sdk'
import { useLingui } from '@lingui/react'
import { useMemo } from 'react'
import { localeOf } from './i18n.ts'

export type Format = ReturnType<typeof createFormat>
export type MoneyParts = { minus: boolean; currency: string; figure: string }

const DAY_MS = 86_400_000

/** Figures, money and times by the language of the reader and the time zone of the business. */
export function createFormat(locale: string, timeZone: string) {
  const number = new Intl.NumberFormat(locale)
  const dates = new Map<string, Intl.DateTimeFormat>()
  const dated = (options: Intl.DateTimeFormatOptions, ms: number) => {
    const key = JSON.stringify(options)
    const made = dates.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone, ...options })
    dates.set(key, made)
    return made.format(ms)
  }
  const day = (ms: number) => dated({ year: 'numeric', month: '2-digit', day: '2-digit' }, ms)
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const moneyParts = (amount: number, currency: string): MoneyParts => {
    const digits = fractionDigits(currency)
    const made = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    })
    const parts = made.formatToParts(Math.abs(amount) / 10 ** digits)
    const figure = parts.filter(({ type }) => type !== 'currency' && type !== 'literal').map(({ value }) => value)
    return {
      minus: amount < 0,
      currency: parts.find(({ type }) => type === 'currency')?.value ?? currency,
      figure: figure.join(''),
    }
  }
  return {
    locale,
    timeZone,
    number: (value: number) => number.format(value),
    percent: (share: number) =>
      new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(share),
    moneyParts,
    /** In words, where there is no markup: for toasts and labels. */
    money: (amount: number, currency: string) => {
      const { minus, currency: sign, figure } = moneyParts(amount, currency)
      return `${minus ? '−' : ''}${sign} ${figure}`
    },
    /** Unix seconds, as the service says them. */
    time: (seconds: number) => dated(clock, seconds * 1_000),
    date: (seconds: number) => dated({ day: 'numeric', month: 'short', year: 'numeric' }, seconds * 1_000),
    weekday: (seconds: number) => dated({ weekday: 'long', day: 'numeric', month: 'long' }, seconds * 1_000),
    full: (seconds: number) =>
      dated(
        { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', ...clock, timeZoneName: 'short' },
        seconds * 1_000,
      ),
    /** As short as it can be understood: `19:22`, `Sat 22:14`, `3 Nov`, `3 Nov 2025`. */
    short: (seconds: number, nowMs = Date.now()) => {
      const ms = seconds * 1_000
      if (day(ms) === day(nowMs)) return dated(clock, ms)
      const age = nowMs - ms
      if (age > 0 && age < 6 * DAY_MS) return `${dated({ weekday: 'short' }, ms)} ${dated(clock, ms)}`
      const isThisYear = dated({ year: 'numeric' }, ms) === dated({ year: 'numeric' }, nowMs)
      return dated({ day: 'numeric', month: 'short', ...(isThisYear ? {} : { year: 'numeric' }) }, ms)
    },
    /** `2 hours ago`. */
    ago: (seconds: number, nowMs = Date.now()) => ago(locale, seconds * 1_000 - nowMs),
  }
}

const STEPS = [
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

function ago(locale: string, differenceMs: number): string {
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const [unit, ms] = STEPS.find(([, ms]) => Math.abs(differenceMs) >= ms) ?? (['second', 1_000] as const)
  return words.format(Math.round(differenceMs / ms), unit)
}

export function useFormatIn(timeZone: string): Format {
  const { i18n } = useLingui()
  return useMemo(() => createFormat(localeOf(i18n.locale), timeZone), [i18n.locale, timeZone])
}
