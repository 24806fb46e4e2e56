import { useLingui } from '@lingui/react/macro'
import { useOwnFormat } from '../moment.tsx'
import { DURATIONS, type Duration, expiryOf } from './new-key.ts'

/** How long a key works, with the day on which it ends. */
export function useDurations(): { duration: Duration; words: string }[] {
  const { t } = useLingui()
  const format = useOwnFormat()
  const names = { '30 days': t`In 30 days`, '90 days': t`In 90 days`, '1 year': t`In a year`, never: t`Never` }
  return DURATIONS.map((duration) => {
    const at = expiryOf(duration, Date.now())
    return { duration, words: at === null ? names[duration] : `${names[duration]}, ${format.date(at)}` }
  })
}
