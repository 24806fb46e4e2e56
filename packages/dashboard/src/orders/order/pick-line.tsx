import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Stepper } from '../../ui/stepper.tsx'

type Props = {
  name: string
  note?: ReactNode
  most: number
  value: number
  /** How many a tick means at first. */
  first?: number
  onChange: (value: number) => void
}

/** A line of the order to choose from: a tick, then how many of it. */
export function PickLine({ name, note, most, value, first = most, onChange }: Props) {
  const { t } = useLingui()
  return (
    <div className="pick-line">
      <input
        type="checkbox"
        className="check"
        aria-label={name}
        disabled={most === 0}
        checked={value > 0}
        onChange={(event) => onChange(event.target.checked ? first : 0)}
      />
      <span>
        <span className="strong">{name}</span>
        <br />
        <span className="note">{note}</span>
      </span>
      {value > 0 && most > 1 ? (
        <Stepper {...{ name, value, most, onChange }} />
      ) : (
        <span className="soft nowrap">{t`${value} of ${most}`}</span>
      )}
    </div>
  )
}
