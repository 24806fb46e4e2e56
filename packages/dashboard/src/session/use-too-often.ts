import { KontorError } from '@kontor/sdk'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'

const MINUTE_SECONDS = 60

/** Words for a guess too many; undefined for everything else. The service says in seconds when the next is heard. */
export function useTooOften(): (error: unknown) => string | undefined {
  const { t } = useLingui()
  return (error) => {
    if (!(error instanceof KontorError) || error.status !== 429) return undefined
    const minutes = Math.ceil((error.retryAfterSeconds ?? MINUTE_SECONDS) / MINUTE_SECONDS)
    return t`Those were too many wrong ones. Choose another way, or wait ${plural(minutes, { one: '# minute', other: '# minutes' })} and try again.`
  }
}
