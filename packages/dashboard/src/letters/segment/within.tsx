import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Select } from '../../ui/field.tsx'
import type { Condition } from './segment.ts'

const USUAL = [7, 30, 90, 180, 365]

type Props = { of: Condition; onChange: (condition: Condition) => void }

/** Since how many days before it is sent. */
export function Within({ of: condition, onChange }: Props) {
  const { t } = useLingui()
  const { withinDays, ...rest } = condition
  const days =
    withinDays === undefined || USUAL.includes(withinDays) ? USUAL : [...USUAL, withinDays].sort((a, b) => a - b)
  return (
    <Select
      label={t`Within`}
      value={withinDays ?? ''}
      onChange={({ target: { value } }) => onChange(value ? { ...rest, withinDays: Number(value) } : rest)}
    >
      <option value="">{t`ever`}</option>
      {days.map((count) => (
        <option key={count} value={count}>
          {t`the last ${plural(count, { one: '# day', other: '# days' })}`}
        </option>
      ))}
    </Select>
  )
}
