import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useOwnFormat } from '../../profile/moment.tsx'
import { Bones } from '../../ui/bones.tsx'
import { Problem } from '../../ui/problem.tsx'
import { usageQuery } from '../queries.ts'
import { type Used, usageByDay } from './usage-days.ts'

const DAYS = 30
/** A day with anything is seen, however small it is beside the others. */
const LEAST_PERCENT = 2

/** What it used, day by day, of the last thirty. */
export function Usage({ id }: { id: string }) {
  const { t } = useLingui()
  const { number, locale } = useOwnFormat()
  const [shown, setShown] = useState<Used>('requests')
  const { data, error, refetch } = useQuery(usageQuery(id))
  const names: Record<Used, string> = { requests: t`Requests`, mails: t`Letters`, jobs: t`Jobs` }
  const days = usageByDay(data?.items ?? [], DAYS, Date.now())
  const most = Math.max(1, ...days.map((day) => day[shown]))
  const highest = number(most)
  const dayName = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', day: 'numeric', month: 'short' })
  const nameOf = (day: string) => dayName.format(Date.parse(day))
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Use by day`}</h2>
        <span className="segment end">
          {(Object.keys(names) as Used[]).map((one) => (
            <label key={one}>
              <input type="radio" name="used" checked={shown === one} onChange={() => setShown(one)} />
              {names[one]}
            </label>
          ))}
        </span>
      </div>
      {error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Bones rows={3} columns={1} bleed={false} />
      ) : (
        <>
          <p className="note">{most === 1 ? t`Nothing to speak of` : t`At most ${highest} on a day`}</p>
          <ol className="op-usage" aria-label={names[shown]}>
            {days.map((day) => {
              const words = `${nameOf(day.day)}: ${number(day[shown])}`
              const height = day[shown] === 0 ? 0 : Math.max(LEAST_PERCENT, (day[shown] / most) * 100)
              return (
                <li key={day.day} title={words}>
                  <span className="unseen">{words}</span>
                  <i style={{ height: `${height}%` }} />
                </li>
              )
            })}
          </ol>
          <p className="op-axis note" aria-hidden="true">
            <span>{nameOf(days[0]?.day ?? '')}</span>
            <span>{nameOf(days.at(-1)?.day ?? '')}</span>
          </p>
        </>
      )}
    </section>
  )
}
