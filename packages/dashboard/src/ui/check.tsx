import type { MouseEvent } from 'react'

type Props = { label: string; checked: boolean; some?: boolean; onToggle: (isRange: boolean) => void }

/** A box to pick a row. Shift picks all between. */
export const Check = ({ label, checked, some = false, onToggle }: Props) => (
  <input
    type="checkbox"
    className={some ? 'check some' : 'check'}
    aria-label={label}
    aria-checked={some ? 'mixed' : checked}
    checked={checked}
    onChange={() => {}}
    onClick={(event: MouseEvent) => onToggle(event.shiftKey)}
  />
)
