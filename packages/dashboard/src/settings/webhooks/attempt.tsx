import { Trans, useLingui } from '@lingui/react/macro'
import { useFormat } from '../../session/use-format.ts'
import { Status } from '../../ui/status.tsx'
import { When } from '../../ui/time.tsx'
import type { Attempt } from './queries.ts'
import { useAttemptWords } from './words.tsx'

/** One request: when, what came of it and how fast, and the beginning of the answer as it came. */
export function AttemptView({ of: attempt }: { of: Attempt }) {
  const { t } = useLingui()
  const { number } = useFormat()
  const words = useAttemptWords()
  const { at, status, problem, milliseconds, answer } = attempt
  const ms = number(milliseconds)
  return (
    <div className="attempt">
      <p className="attempt-line">
        <When at={at} />
        <Status fill={problem === null ? 'full' : 'off'} tone={problem === null ? 'good' : 'alert'}>
          {words(attempt)}
        </Status>
        <span className="mono">{status ?? t`no status`}</span>
        <span className="soft">
          <Trans>{ms} ms</Trans>
        </span>
      </p>
      {answer !== '' && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it may be wider than the page: keys scroll it
        <pre className="answer" tabIndex={0} aria-label={t`The beginning of its answer`}>
          {answer}
        </pre>
      )}
    </div>
  )
}
