import { Plural, useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
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
  if (count === 0) return null
  return (
    <div className="float savebar" role="region" aria-label={t`Not saved`}>
      <div className="what">
        <b className="strong">
          <Plural value={count} one="# change, not saved" other="# changes, not saved" />
        </b>
        <ul className="soft">
          {changes.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
        {warning && <p className="wait-text">{warning}</p>}
        {/* A title on the button is nothing to a finger, and the button itself says it to screen readers. */}
        {reason && !isSaving && (
          <p className="wait-text" aria-hidden="true">
            {reason}
          </p>
        )}
      </div>
      <div className="acts">
        <Button look="quiet" onClick={onDiscard}>{t`Discard`}</Button>
        <Button look="main" reason={isSaving ? t`It is being saved.` : reason} onClick={onSave}>
          {t`Save ${count}`}
          <kbd className="hide-phone">Ctrl S</kbd>
        </Button>
      </div>
    </div>
  )
}
