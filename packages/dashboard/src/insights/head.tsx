import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { isDay } from '../i18n/days.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Popover } from '../ui/popover.tsx'
import { daysIn, type Interval, intervalsFor, PRESETS, type Preset } from './period.ts'
import { route, useInsights } from './use-insights.ts'
import { useSpanWords } from './use-span-words.ts'

/** Of which time, in which steps, in which market: each choice is an address. */
export function Choices({ hasIntervals, hasMarkets }: { hasIntervals: boolean; hasMarkets: boolean }) {
  const { t } = useLingui()
  const { search, period, business, change } = useInsights()
  const isPicked = search.from !== undefined || search.to !== undefined
  const times: Record<Preset, string> = {
    today: t`Today`,
    yesterday: t`Yesterday`,
    '7d': t`7 days`,
    '30d': t`30 days`,
    '90d': t`90 days`,
    '12m': t`12 months`,
  }
  const steps: Record<Interval, string> = { hour: t`Hours`, day: t`Days`, week: t`Weeks`, month: t`Months` }
  const intervals = intervalsFor(daysIn(period.first, period.last))
  return (
    <div className="tools insight-tools">
      <nav className="segment" aria-label={t`Period`}>
        {PRESETS.map((time) => (
          <route.Link
            key={time}
            to="/$business/insights"
            params={(now) => now}
            search={(now) => ({
              ...now,
              time: time === '30d' ? undefined : time,
              from: undefined,
              to: undefined,
              by: undefined,
            })}
            resetScroll={false}
            aria-current={!isPicked && time === (search.time ?? '30d') ? 'true' : undefined}
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {times[time]}
          </route.Link>
        ))}
      </nav>
      <Days key={`${period.first} ${period.last}`} isPicked={isPicked} />
      {hasIntervals && intervals.length > 1 && (
        <nav className="segment" aria-label={t`Interval`}>
          {intervals.map((by) => (
            <route.Link
              key={by}
              to="/$business/insights"
              params={(now) => now}
              search={(now) => ({ ...now, by })}
              resetScroll={false}
              aria-current={by === period.interval ? 'true' : undefined}
              activeOptions={{ exact: true, includeSearch: true }}
            >
              {steps[by]}
            </route.Link>
          ))}
        </nav>
      )}
      {hasMarkets && business.markets.length > 1 && (
        <select
          className="select w-auto"
          aria-label={t`Market`}
          value={search.market ?? ''}
          onChange={(event) => change({ market: event.target.value || undefined, currency: undefined })}
        >
          <option value="">{t`All markets`}</option>
          {business.markets.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}

/** Any days, from and to. */
function Days({ isPicked }: { isPicked: boolean }) {
  const { t } = useLingui()
  const { period, change } = useInsights()
  const { days } = useSpanWords()
  const [isOpen, setOpen] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const day = (name: string) => (isDay(formText(form, name)) ? formText(form, name) : undefined)
    setOpen(false)
    change({ from: day('from'), to: day('to'), time: undefined, by: undefined })
  }
  const trigger = (
    <button type="button" className="chip add" aria-pressed={isPicked}>
      {isPicked ? days(period) : t`Other days`}
    </button>
  )
  return (
    <Popover trigger={trigger} label={t`Other days`} open={isOpen} onOpenChange={setOpen}>
      <form className="filters" onSubmit={submit}>
        <div className="two">
          <Field label={t`From`} type="date" name="from" defaultValue={period.first} />
          <Field label={t`To`} type="date" name="to" defaultValue={period.last} />
        </div>
        <Button type="submit" look="main">{t`Show`}</Button>
      </form>
    </Popover>
  )
}
