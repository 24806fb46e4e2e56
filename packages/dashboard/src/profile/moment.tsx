import { useFormatIn } from '../i18n/format.ts'

const { timeZone } = Intl.DateTimeFormat().resolvedOptions()

export const useOwnFormat = () => useFormatIn(timeZone)

/** When it was, at the clock of whoever looks: an account belongs to no business. */
export function Moment({ at }: { at: number }) {
  const format = useOwnFormat()
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={format.full(at)}>
      {format.short(at)}
    </time>
  )
}
