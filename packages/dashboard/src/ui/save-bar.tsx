import { Plural, useLingui } from '@lingui/react/macro'
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { useConnection } from '../live/up-to-date.tsx'
import { Button } from './button.tsx'

type Props = {
  /** Each change in a few words: `Price in the US 24.00 to 24.90`. None: nothing is shown. */
  changes: readonly string[]
  /** How many there are, where one of the words names several. */
  count?: number
  warning?: string | undefined
  isSaving?: boolean
  reason?: string | undefined
  onSave: () => void
  onDiscard: () => void
}

/** Names what will be saved. Ctrl S saves. */
export function SaveBar({
  changes,
  count = changes.length,
  warning,
  isSaving = false,
  reason,
  onSave,
  onDiscard,
}: Props) {
  const { t } = useLingui()
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== 's') return
      event.preventDefault()
      if (count > 0 && !isSaving && !reason) onSave()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [count, isSaving, reason, onSave])
  const bar = useRef<HTMLDivElement>(null)
  useRoomFor(bar, count > 0)
  const connectionWords = useConnectionWords(isSaving)
  if (count === 0) return null
  return (
    <div className="float savebar" role="region" aria-label={t`Unsaved changes`} ref={bar}>
      <div className="what">
        <b className="strong">
          <Plural value={count} one="# unsaved change" other="# unsaved changes" />
        </b>
        <ul className="soft">
          {changes.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
        {warning && <p className="wait-text">{warning}</p>}
        {connectionWords && <p className="wait-text">{connectionWords}</p>}
        {/* A title on the button is nothing to a finger, and the button itself says it to screen readers. */}
        {reason && !isSaving && (
          <p className="wait-text" aria-hidden="true">
            {reason}
          </p>
        )}
      </div>
      <div className="acts">
        <Button look="quiet" onClick={onDiscard}>{t`Discard`}</Button>
        <Button look="main" reason={isSaving ? t`Saving…` : reason} onClick={onSave}>
          {t`Save ${count}`}
          <kbd className="hide-phone">Ctrl S</kbd>
        </Button>
      </div>
    </div>
  )
}

/** What happens to the changes while the service can't be reached. */
function useConnectionWords(isSaving: boolean): string | undefined {
  const { t } = useLingui()
  const connection = useConnection()
  if (connection === 'connected') return undefined
  if (connection === 'offline')
    return isSaving
      ? t`You're offline. Your changes will be saved when you're back online.`
      : t`You're offline. Your changes are still here.`
  return isSaving
    ? t`Not connected. Your changes will be saved when the connection is restored.`
    : t`Not connected. Your changes are still here.`
}

/** Keeps the focused field above the bar: the page scrolls to fields with room for it, also when it appears. */
function useRoomFor(bar: RefObject<HTMLElement | null>, isShown: boolean): void {
  useLayoutEffect(() => {
    const shown = bar.current
    if (!shown) return undefined
    const { style } = document.documentElement
    const observer = new ResizeObserver(() => {
      style.setProperty('--savebar', `${shown.offsetHeight}px`)
      const focused = document.activeElement
      if (!focused || shown.contains(focused)) return
      const { top, bottom, height } = focused.getBoundingClientRect()
      const covered = shown.getBoundingClientRect()
      if (top < covered.bottom && bottom > covered.top && height < innerHeight / 2)
        focused.scrollIntoView({ block: 'nearest' })
    })
    observer.observe(shown)
    return () => {
      observer.disconnect()
      style.removeProperty('--savebar')
    }
  }, [bar, isShown])
}
