import { isDay } from '../i18n/days.ts'
import { oneOf, type Search, wordOf } from '../shell/search.ts'
import { INTERVALS, type Interval, PRESETS, type Preset } from './period.ts'

export const REPORTS = ['sales', 'products', 'customers', 'promo-codes', 'readers'] as const
export type Report = (typeof REPORTS)[number]

/** What a chart can show: of sales, of customers, of readers. */
export const FIGURES = ['net', 'orders', 'average', 'units', 'refunded', 'active', 'joined', 'left'] as const
export type Figure = (typeof FIGURES)[number]

/** What the address says. Days are those of the business, `to` counts whole; without any, the last 30. */
export type InsightsSearch = {
  report?: Report | undefined
  time?: Preset | undefined
  from?: string | undefined
  to?: string | undefined
  by?: Interval | undefined
  market?: string | undefined
  currency?: string | undefined
  figure?: Figure | undefined
  newsletter?: string | undefined
  sort?: '-units' | undefined
  /** Figures instead of columns. */
  as?: 'table' | undefined
}

const dayIn = (value: unknown) => {
  const day = wordOf(value)
  return day !== undefined && isDay(day) ? day : undefined
}

export const readInsightsSearch = (search: Search): InsightsSearch => ({
  report: oneOf(search.report, REPORTS),
  time: oneOf(search.time, PRESETS),
  from: dayIn(search.from),
  to: dayIn(search.to),
  by: oneOf(search.by, INTERVALS),
  market: wordOf(search.market),
  currency: wordOf(search.currency),
  figure: oneOf(search.figure, FIGURES),
  newsletter: wordOf(search.newsletter),
  sort: oneOf(search.sort, ['-units']),
  as: oneOf(search.as, ['table']),
})
