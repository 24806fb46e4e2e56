import { useLingui } from '@lingui/react/macro'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useCommands } from '../shell/commands.ts'
import { Icon } from './icon.tsx'

const PAUSE_MS = 200

type Props = { label: string; placeholder: string; value: string; onChange: (text: string) => void }

/** What is typed is in the address a moment later; the address wins when one goes back. */
export function FindField({ label, placeholder, value, onChange }: Props) {
  const { t } = useLingui()
  const [typed, setTyped] = useState(value)
  const field = useRef<HTMLInputElement>(null)
  const change = useRef(onChange)
  change.current = onChange
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value) return undefined
    const timer = setTimeout(() => change.current(typed), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  useCommands([{ id: 'find-in-list', label: t`Find in this list`, keys: '/', run: () => field.current?.focus() }])
  return (
    <div className="search">
      <Icon of={Search} />
      <input
        ref={field}
        className="input"
        type="search"
        maxLength={200}
        aria-label={label}
        placeholder={placeholder}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  )
}
