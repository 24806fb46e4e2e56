import { useLingui } from '@lingui/react/macro'
import { dayOf, startOfDay } from '../i18n/days.ts'
import { useFormat } from '../session/use-format.ts'

/** Says a time between two moments, of which the second is not in it: in days where these are whole. */
export function useMoments() {
  const { t } = useLingui()
  const { date, time, timeZone } = useFormat()
  const isMidnight = (at: number) => startOfDay(dayOf(at * 1_000, timeZone), timeZone) === at
  const momentOf = (at: number) => `${date(at)}, ${time(at)}`
  const firstOf = (at: number) => (isMidnight(at) ? date(at) : momentOf(at))
  const lastOf = (at: number) => (isMidnight(at) ? date(at - 1) : momentOf(at))
  return (from: number | undefined, to: number | undefined): string => {
    if (from !== undefined && to !== undefined) {
      const [first, last] = [firstOf(from), lastOf(to)]
      if (first === last) return first
      const isOneDay = date(from) === date(to - 1) && !(isMidnight(from) && isMidnight(to))
      return isOneDay ? `${momentOf(from)} – ${time(to)}` : `${first} – ${last}`
    }
    if (from !== undefined) return t`since ${firstOf(from)}`
    return to === undefined ? '' : t`until ${lastOf(to)}`
  }
}
