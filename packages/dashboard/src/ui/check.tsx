import type { MouseEvent } from 'react'

type Props = { label: string; checked: boolean; some?: boolean; onToggle: (isRange: boolean) => void }

/** A box to pick a row. Shift picks all between. */
export const Check = ({ label, checked, some = false, onToggle }: Props) => (
  <input
    ref={(box) => {
      if (box) box.indeterminate = some
    }}
    type="checkbox"
    className={some ? 'check some' : 'check'}
    aria-label={label}
    checked={checked}
    onChange={() => {}}
    onClick={(event: MouseEvent) => onToggle(event.shiftKey)}
  />
)
