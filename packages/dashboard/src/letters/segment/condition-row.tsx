import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { isDay, startOfDay, wallClockOf } from '../../i18n/days.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { TagField } from '../../ui/tag-field.tsx'
import type { Newsletter } from '../types.ts'
import { BoughtFields } from './bought-fields.tsx'
import { ClickedFields } from './clicked-fields.tsx'
import { type Condition, type ConditionField, isTurned } from './segment.ts'

export function useFieldNames(): Record<ConditionField, string> {
  const { t } = useLingui()
  return {
    plan: t`Plan`,
    market: t`Market`,
    tag: t`Tag`,
    bought: t`Bought`,
    clicked: t`Clicked`,
    subscribed: t`Reader since`,
  }
}

type Props = {
  of: Condition
  newsletter: Newsletter | undefined
  onChange: (condition: Condition) => void
  onRemove: () => void
}

/** One condition: what it is about, whether it is meant or its opposite, and with what. */
export function ConditionRow({ of: condition, newsletter, onChange, onRemove }: Props) {
  const { t } = useLingui()
  const name = useFieldNames()[condition.field]
  return (
    <li className="condition">
      <fieldset>
        <legend>{name}</legend>
        <div className="condition-fields">
          <Sense of={condition} name={name} onChange={onChange} />
          <Fields of={condition} {...{ newsletter, onChange }} />
        </div>
        {condition.field === 'market' && (
          <p className="note">{t`The market that they subscribed from. Readers who did not say one are in none.`}</p>
        )}
      </fieldset>
      <Button look="quiet small" icon={X} only={t`Take the condition ${name} away`} onClick={onRemove} />
    </li>
  )
}

type PartProps = { of: Condition; onChange: (condition: Condition) => void }

/** A time needs no opposite: it has two ends. */
function Sense({ of: condition, name, onChange }: PartProps & { name: string }) {
  const { t } = useLingui()
  const words = {
    plan: [t`is one of`, t`is none of`],
    market: [t`subscribed from one of`, t`did not subscribe from any of`],
    tag: [t`has one of`, t`has none of`],
    bought: [t`bought`, t`did not buy`],
    clicked: [t`clicked a link`, t`clicked no link`],
    subscribed: undefined,
  }[condition.field]
  if (!words) return null
  const { not: _not, ...rest } = condition
  return (
    <select
      className="select"
      aria-label={name}
      value={condition.not ? 'not' : ''}
      onChange={(event) => onChange(event.target.value ? { ...rest, not: true } : rest)}
    >
      <option value="">{words[0]}</option>
      <option value="not">{words[1]}</option>
    </select>
  )
}

function Fields({ of: condition, newsletter, onChange }: PartProps & Pick<Props, 'newsletter'>) {
  const { markets } = useBusiness()
  const values = condition.values ?? []
  const setValues = (next: string[]) => onChange({ ...condition, values: next })
  switch (condition.field) {
    case 'plan':
      return <Checks all={newsletter?.plans ?? []} chosen={values} onChange={setValues} />
    case 'market':
      return <Checks all={markets} chosen={values} onChange={setValues} />
    case 'tag':
      return <TagField value={values} maxLength={50} onChange={setValues} />
    case 'bought':
      return <BoughtFields of={condition} onChange={onChange} />
    case 'clicked':
      return <ClickedFields of={condition} newsletter={newsletter} onChange={onChange} />
    default:
      return <Since of={condition} onChange={onChange} />
  }
}

type ChecksProps = {
  all: readonly { id: string; name: string }[]
  chosen: readonly string[]
  onChange: (ids: string[]) => void
}

const Checks = ({ all, chosen, onChange }: ChecksProps) => (
  <div className="checks">
    {all.map(({ id, name }) => (
      <label key={id} className="choice">
        <input
          type="checkbox"
          className="check"
          checked={chosen.includes(id)}
          onChange={(event) => onChange(event.target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
        />
        {name}
      </label>
    ))}
  </div>
)

function Since({ of: condition, onChange }: PartProps) {
  const { t } = useLingui()
  const { timeZone } = useBusiness()
  const shown = (at: number | undefined) => (at === undefined ? '' : wallClockOf(at, timeZone).slice(0, 10))
  const change = (end: 'from' | 'to', day: string) => {
    const { [end]: _before, ...rest } = condition
    onChange(isDay(day) ? { ...rest, [end]: startOfDay(day, timeZone) } : rest)
  }
  return (
    <>
      <Field
        type="date"
        max="9999-12-31"
        label={t`From`}
        value={shown(condition.from)}
        onChange={(event) => change('from', event.target.value)}
      />
      <Field
        type="date"
        max="9999-12-31"
        label={t`Before`}
        value={shown(condition.to)}
        problem={isTurned(condition) ? t`It ends before it begins.` : undefined}
        onChange={(event) => change('to', event.target.value)}
      />
    </>
  )
}
