import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'

type Props = {
  name: string
  value: number
  least?: number
  most: number
  /** The most is only a limit, nothing to be said. */
  isOpenEnded?: boolean
  onChange: (value: number) => void
}

/** So many of so many, for a finger and for keys: arrows, or the figure itself. */
export function Stepper({ name, value, least = 0, most, isOpenEnded = false, onChange }: Props) {
  const { t } = useLingui()
  const set = (next: number) => onChange(Math.min(Math.max(next, least), most))
  const step = (by: number, label: string, sign: ReactNode) => (
    <button
      type="button"
      tabIndex={-1}
      aria-label={label}
      disabled={value + by < least || value + by > most}
      onClick={() => set(value + by)}
    >
      {sign}
    </button>
  )
  return (
    <span className="stepper">
      {step(-1, t`Fewer: ${name}`, '−')}
      <span>
        <input
          inputMode="numeric"
          aria-label={isOpenEnded ? t`Pieces of ${name}` : t`Pieces of ${name}, at most ${most}`}
          value={value}
          onFocus={(event) => event.target.select()}
          onChange={(event) => {
            const typed = Number(event.target.value.replaceAll(/\D/g, ''))
            set(typed)
          }}
          onKeyDown={(event) => {
            const by = { ArrowUp: 1, ArrowDown: -1 }[event.key]
            if (!by) return
            event.preventDefault()
            set(value + by)
          }}
        />
        {!isOpenEnded && <span aria-hidden="true">{t`of ${most}`}</span>}
      </span>
      {step(1, t`More: ${name}`, '+')}
    </span>
  )
}
