import { Trans } from '@lingui/react/macro'
import { useFormat } from '../session/use-format.ts'

const JUST_NOW_SECONDS = 60

/** When it was, as short as it can be understood, and in full when one points at it. */
export function When({ at }: { at: number }) {
  const format = useFormat()
  const age = Date.now() / 1_000 - at
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={format.full(at)}>
      {age >= 0 && age < JUST_NOW_SECONDS ? (
        <span className="good-text strong">
          <Trans>just now</Trans>
        </span>
      ) : (
        format.short(at)
      )}
    </time>
  )
}
