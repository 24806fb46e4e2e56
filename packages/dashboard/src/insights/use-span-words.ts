import { useMemo } from 'react'
import { useFormat } from '../session/use-format.ts'
import type { Interval, Span } from './period.ts'

/** Names of times: in full, and as short as below an axis. */
export function useSpanWords() {
  const { locale, timeZone } = useFormat()
  return useMemo(() => {
    const of = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { timeZone, ...options })
    const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
    const [time, day, short, full] = [
      of(clock),
      of({ weekday: 'short', day: 'numeric', month: 'short' }),
      of({ day: 'numeric', month: 'short' }),
      of({ day: 'numeric', month: 'short', year: 'numeric' }),
    ]
    const [month, shortMonth] = [of({ month: 'long', year: 'numeric' }), of({ month: 'short', year: '2-digit' })]
    /** The last moment that is in it. */
    const endOf = ({ to }: Span) => (to - 1) * 1_000
    const days = (span: Span) => {
      const [first, last] = [full.format(span.from * 1_000), full.format(endOf(span))]
      return first === last ? first : full.formatRange(span.from * 1_000, endOf(span))
    }
    const names: Record<Interval, (span: Span) => string> = {
      hour: ({ from, to }) => `${day.format(from * 1_000)}, ${time.format(from * 1_000)}–${time.format(to * 1_000)}`,
      day: ({ from }) => day.format(from * 1_000),
      week: days,
      month: ({ from }) => month.format(from * 1_000),
    }
    const shorts: Record<Interval, (span: Span) => string> = {
      hour: ({ from }) => time.format(from * 1_000),
      day: ({ from }) => short.format(from * 1_000),
      week: ({ from }) => short.format(from * 1_000),
      month: ({ from }) => shortMonth.format(from * 1_000),
    }
    return {
      nameOf: (span: Span, interval: Interval) => names[interval](span),
      shortOf: (span: Span, interval: Interval) => shorts[interval](span),
      days,
    }
  }, [locale, timeZone])
}
