import { useLingui } from '@lingui/react/macro'
import { Search, TriangleAlert } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { useEnter } from '../../ui/use-enter.ts'

export type Found = { id: string; label: ReactNode; note?: ReactNode; end?: ReactNode; reason?: string | undefined }

type Props = {
  label: string
  placeholder: string
  text: string
  onType: (text: string) => void
  found: readonly Found[]
  /** What was found is still that of an earlier text. */
  isSearching: boolean
  onChoose: (id: string) => void
  problem?: string | undefined
  autoFocus?: boolean
}

/** Type, choose with arrows, Enter. What cannot be chosen says why. */
export function Finder(props: Props) {
  const { label, placeholder, text, onType, found, isSearching, onChoose, problem, autoFocus = false } = props
  const { t } = useLingui()
  const id = useId()
  const [at, setAt] = useState(0)
  const isOpen = text.trim().length > 0
  const chosen = found[Math.min(at, found.length - 1)]
  const choose = (one: Found | undefined) => {
    if (!one || one.reason) return
    setAt(0)
    onChoose(one.id)
  }
  const enter = useEnter(isSearching, () => choose(chosen))
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setAt((before) => (Math.min(before, found.length - 1) + step + found.length) % Math.max(found.length, 1))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (isOpen) enter.press()
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault()
      enter.forget()
      onType('')
    }
  }
  return (
    <div className="finder">
      <div className="search">
        <Icon of={Search} />
        <input
          className="input"
          role="combobox"
          aria-label={label}
          aria-expanded={isOpen}
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `${id}-problem` : undefined}
          aria-controls={`${id}-list`}
          aria-activedescendant={isOpen && chosen ? `${id}-${chosen.id}` : undefined}
          autoComplete="off"
          spellCheck={false}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page is for this
          autoFocus={autoFocus}
          {...{ placeholder }}
          value={text}
          onChange={(event) => {
            setAt(0)
            enter.forget()
            onType(event.target.value)
          }}
          onKeyDown={press}
        />
      </div>
      {problem && (
        <p className="problem mt-1" id={`${id}-problem`}>
          <Icon of={TriangleAlert} />
          {problem}
        </p>
      )}
      <div className="found" role="listbox" id={`${id}-list`} aria-label={label} hidden={!isOpen}>
        {isOpen &&
          found.map((one, index) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field above has the keys
            <div
              key={one.id}
              id={`${id}-${one.id}`}
              className="item"
              role="option"
              tabIndex={-1}
              aria-selected={one === chosen}
              aria-disabled={one.reason ? true : undefined}
              onPointerMove={() => setAt(index)}
              onClick={() => choose(one)}
            >
              <span>
                <span className="strong">{one.label}</span>
                {one.note && <span className="note block">{one.note}</span>}
              </span>
              <span className="end">{one.reason ?? one.end}</span>
            </div>
          ))}
      </div>
      {isOpen && found.length === 0 && (
        <p className="note mt-2" role="status">
          {isSearching ? t`Looking …` : t`Nothing has that name.`}
        </p>
      )}
    </div>
  )
}
