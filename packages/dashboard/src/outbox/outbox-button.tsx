import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { useProblem } from '../ui/problem.tsx'
import { Dot } from '../ui/status.tsx'
import { When } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { dismiss, isForgotten, outboxStore } from './outbox.ts'
import { useOutbox } from './use-outbox.ts'

/** An answer within this is no news. */
const QUIET_MS = 1_000

/** At the foot of the navigation: what was asked and is not yet known. */
export function OutboxButton() {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const waiting = useWaiting()
  useResumedToasts()
  if (waiting.length === 0 && !isOpen) return null
  const count = waiting.length
  return (
    <>
      <button type="button" title={t`Outbox`} onClick={() => setOpen(true)}>
        <Dot fill="unknown" tone="wait" />
        <span>
          <Plural value={count} one="# asked, not yet known" other="# asked, not yet known" />
        </span>
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={t`Asked, not yet known`}>
        {count === 0 ? (
          <Empty title={t`Everything is known`}>{t`What you asked for was answered.`}</Empty>
        ) : (
          <ul className="tasks">
            {waiting.map((entry) => (
              <li key={entry.id}>
                <Dot fill="unknown" tone="wait" />
                <div>
                  <p className="what">{entry.label}</p>
                  <p className="note">
                    <When at={entry.askedAt / 1_000} />{' '}
                    {isForgotten(entry) ? (
                      <Trans>Too long ago to ask again. Look whether it was done.</Trans>
                    ) : (
                      <Trans>It is asked again until there is an answer, and is done once at most.</Trans>
                    )}
                  </p>
                </div>
                {isForgotten(entry) && (
                  <Button look="small" onClick={() => void dismiss(entry.id)}>{t`I have looked`}</Button>
                )}
              </li>
            ))}
          </ul>
        )}
        <div className="acts">
          <Button onClick={() => setOpen(false)}>{t`Close`}</Button>
        </div>
      </Dialog>
    </>
  )
}

/** Those that have been out for a moment, so that nothing flickers. */
function useWaiting() {
  const entries = useOutbox()
  const [, tick] = useState(0)
  useEffect(() => {
    if (entries.length === 0) return undefined
    const timer = setTimeout(() => tick((count) => count + 1), QUIET_MS)
    return () => clearTimeout(timer)
  }, [entries])
  return entries.filter(({ askedAt, isLost }) => isLost || Date.now() - askedAt >= QUIET_MS)
}

function useResumedToasts() {
  const { t } = useLingui()
  const wordsOf = useProblem()
  useEffect(
    () =>
      outboxStore.onResumed(({ entry, error }) => {
        const { label } = entry
        if (error === undefined) toast(t`Done: ${label}`)
        else toast(t`Not done: ${label}. ${wordsOf(error).what}`)
      }),
    [t, wordsOf],
  )
}
