import { KontorError } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { useProblem } from '../ui/problem.tsx'
import { Dot } from '../ui/status.tsx'
import { When } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { isForgotten } from './insist.ts'
import { dismiss, outboxStore } from './outbox.ts'
import type { Entry } from './store.ts'
import { useOutbox, useRefused } from './use-outbox.ts'

/** An answer within this is no news. */
const QUIET_MS = 1_000

/** What was asked and is not yet known, and what was refused when nobody was there: in the navigation, or as a dot. */
export function OutboxButton({ isSmall = false }: { isSmall?: boolean }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const waiting = useWaiting()
  const refused = useRefused()
  const isEmpty = waiting.length + refused.length === 0
  if (isEmpty && !isOpen) return null
  const dot = refused.length > 0 ? <Dot fill="off" tone="alert" /> : <Dot fill="unknown" tone="wait" />
  const open = () => setOpen(true)
  return (
    <>
      {isSmall ? (
        <button type="button" className="theme" aria-label={t`Outbox`} onClick={open}>
          {dot}
        </button>
      ) : (
        <button type="button" title={t`Outbox`} onClick={open}>
          {dot}
          <span>
            <Counts waiting={waiting.length} refused={refused.length} />
          </span>
        </button>
      )}
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={t`Outbox`}>
        {isEmpty ? (
          <Empty title={t`Everything is known`}>{t`What you asked for was answered.`}</Empty>
        ) : (
          <ul className="tasks">
            {refused.map((entry) => (
              <RefusedTask key={entry.id} entry={entry} />
            ))}
            {waiting.map((entry) => (
              <WaitingTask key={entry.id} entry={entry} />
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

function Counts({ waiting, refused }: { waiting: number; refused: number }) {
  return (
    <>
      {refused > 0 && <Plural value={refused} one="# failed" other="# failed" />}
      {refused > 0 && waiting > 0 && ', '}
      {waiting > 0 && <Plural value={waiting} one="# pending" other="# pending" />}
    </>
  )
}

function WaitingTask({ entry }: { entry: Entry }) {
  const { t } = useLingui()
  return (
    <li>
      <Dot fill="unknown" tone="wait" />
      <div>
        <p className="what">{entry.label}</p>
        <p className="note">
          <When at={entry.askedAt / 1_000} />{' '}
          {isForgotten(entry) ? (
            <Trans>Too long ago to ask again. Look whether it was done.</Trans>
          ) : (
            <Trans>Retries automatically. It won’t run twice.</Trans>
          )}
        </p>
      </div>
      {isForgotten(entry) && <Button look="small" onClick={() => void dismiss(entry.id)}>{t`I have looked`}</Button>}
    </li>
  )
}

function RefusedTask({ entry }: { entry: Entry }) {
  const { t } = useLingui()
  const wordsOf = useProblem()
  const { label, refused, input } = entry
  const { text } = (input.body ?? {}) as { text?: unknown }
  const reason = refused && wordsOf(new KontorError(refused)).what
  return (
    <li>
      <Dot fill="off" tone="alert" />
      <div>
        <p className="what">
          <Trans>Couldn’t complete “{label}”</Trans>
        </p>
        <p className="note">
          <When at={entry.askedAt / 1_000} /> {reason}
        </p>
        {typeof text === 'string' && <blockquote>{text}</blockquote>}
      </div>
      <Button look="small" onClick={() => void dismiss(entry.id)}>{t`I have seen it`}</Button>
    </li>
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

/** Once in the page: says what became of what an earlier page had asked. */
export function useResumedToasts() {
  const { t } = useLingui()
  const wordsOf = useProblem()
  useEffect(
    () =>
      outboxStore.onResumed(({ entry, error }) => {
        const { label } = entry
        if (error === undefined) toast(t`Completed: ${label}`)
        else toast(t`Couldn’t complete “${label}”. ${wordsOf(error).what}`)
      }),
    [t, wordsOf],
  )
}
