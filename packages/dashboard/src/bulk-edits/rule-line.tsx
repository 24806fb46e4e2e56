import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { useBusiness } from '../session/use-business.ts'
import { Button } from '../ui/button.tsx'
import { FIELDS, type Rule, ruleFor } from './rules.ts'
import { useWords } from './words.tsx'

type Props = {
  rule: Rule
  /** What stands between the field and its value in the first line: of which products. */
  of?: ReactNode
  isFirst: boolean
  onChange: (rule: Rule) => void
  onRemove: () => void
}

/** A change as a sentence with gaps. */
export function RuleLine({ rule, of, isFirst, onChange, onRemove }: Props) {
  const { t } = useLingui()
  const { markets } = useBusiness()
  const { fieldOf } = useWords()
  return (
    <div className="rule-line">
      <span>{isFirst ? t`Change` : t`and`}</span>
      <select
        className="select"
        aria-label={t`What`}
        value={rule.field}
        onChange={(event) => onChange(ruleFor(event.target.value))}
      >
        {markets.map(({ id }) => (
          <option key={id} value={`price:${id}`}>
            {fieldOf('price', id)}
          </option>
        ))}
        {FIELDS.map((field) => (
          <option key={field} value={field}>
            {fieldOf(field)}
          </option>
        ))}
      </select>
      {of}
      <Gaps rule={rule} isFirst={isFirst} onChange={onChange} />
      {!isFirst && <Button look="quiet" icon={X} only={t`Leave this out`} onClick={onRemove} />}
    </div>
  )
}

type GapsProps = Pick<Props, 'rule' | 'isFirst' | 'onChange'>

function Gaps({ rule, isFirst, onChange }: GapsProps) {
  const { t } = useLingui()
  const { statusOf } = useWords()
  const set = (changes: Partial<Rule>) => onChange({ ...rule, ...changes })
  const text = (props: ComponentProps<'input'>) => (
    // oxlint-disable-next-line jsx-a11y/no-autofocus -- what one came for
    <input
      className="input"
      autoFocus={isFirst}
      autoComplete="off"
      value={rule.value}
      onChange={(event) => set({ value: event.target.value })}
      {...props}
    />
  )
  const op = (options: [Rule['op'], string][]) => (
    <select
      className="select"
      aria-label={t`How`}
      value={rule.op}
      onChange={(event) => set({ op: event.target.value as Rule['op'], round: '' })}
    >
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
  if (rule.field.startsWith('price:'))
    return (
      <>
        {op([
          ['percent', t`by`],
          ['set', t`to`],
        ])}
        {rule.op === 'set'
          ? text({ key: 'set', inputMode: 'decimal', placeholder: '24.90', 'aria-label': t`Price` })
          : text({ key: 'percent', inputMode: 'text', placeholder: '+5 %', 'aria-label': t`Per cent` })}
        {rule.op === 'percent' && (
          <>
            <span>{t`rounded to the nearest`}</span>
            <input
              className="input"
              aria-label={t`Ending of the price`}
              placeholder={t`as it comes`}
              inputMode="decimal"
              autoComplete="off"
              value={rule.round}
              onChange={(event) => set({ round: event.target.value })}
            />
          </>
        )}
      </>
    )
  if (rule.field === 'tags')
    return (
      <>
        {op([
          ['add', t`by adding`],
          ['remove', t`by removing`],
        ])}
        {text({ className: 'input wide', maxLength: 100, placeholder: t`a tag`, 'aria-label': t`Tag` })}
      </>
    )
  if (rule.field === 'status')
    return (
      <>
        <span>{t`to`}</span>
        <select
          className="select"
          aria-label={t`Status`}
          value={rule.value}
          onChange={(event) => set({ value: event.target.value })}
        >
          {['ACTIVE', 'DRAFT', 'ARCHIVED'].map((status) => (
            <option key={status} value={status}>
              {statusOf(status)}
            </option>
          ))}
        </select>
      </>
    )
  return (
    <>
      <span>{t`to`}</span>
      {text({
        className: rule.field === 'lowStockThreshold' ? 'input' : 'input wide',
        maxLength: 200,
        inputMode: rule.field === 'lowStockThreshold' ? 'numeric' : 'text',
        placeholder: t`none`,
        'aria-label': t`New value`,
      })}
    </>
  )
}
