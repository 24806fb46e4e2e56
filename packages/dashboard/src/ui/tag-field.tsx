import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { Icon } from './icon.tsx'

type Props = { value: readonly string[]; maxLength?: number; onChange: (tags: string[]) => void }

/** Words of the team's own. Enter or a comma ends one. */
export function TagField({ value, maxLength = 100, onChange }: Props) {
  const { t } = useLingui()
  const id = useId()
  const [typed, setTyped] = useState('')
  const add = () => {
    const tag = typed.trim()
    setTyped('')
    if (tag && !value.includes(tag)) onChange([...value, tag])
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault()
      add()
    } else if (event.key === 'Backspace' && typed === '' && value.length > 0) onChange(value.slice(0, -1))
  }
  return (
    <div className="field">
      <label htmlFor={id}>{t`Tags`}</label>
      <div className="tags">
        {value.map((tag) => (
          <span key={tag} className="tag">
            {tag}
            <button
              type="button"
              aria-label={t`Remove the tag ${tag}`}
              onClick={() => onChange(value.filter((one) => one !== tag))}
            >
              <Icon of={X} />
            </button>
          </span>
        ))}
        <input
          id={id}
          className="input"
          maxLength={maxLength}
          autoComplete="off"
          placeholder={t`Add a tag`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={press}
          onBlur={add}
        />
      </div>
    </div>
  )
}
