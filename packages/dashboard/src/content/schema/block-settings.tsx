import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { Field, Select, TextField } from '../../ui/field.tsx'
import type { Block } from '../queries.ts'
import { type BlockProblem, TARGETS } from './schema.ts'

type Settings = NonNullable<Block['settings']>
type Props = {
  block: Block
  isLocked: boolean
  problem: BlockProblem | undefined
  onChange: (settings: Settings) => void
}

/** What this kind of field can be held to. */
export function BlockSettings({ block, isLocked, problem, onChange }: Props) {
  const { t } = useLingui()
  const targets = useTargetNames()
  const { type, settings = {} } = block
  /** A setting that is empty is left out. */
  const set = <Name extends keyof Settings>(name: Name, value: Settings[Name] | undefined) => {
    const { [name]: _before, ...rest } = settings
    onChange(value === undefined ? rest : { ...rest, [name]: value })
  }
  const figure = (name: 'maxLength' | 'min' | 'max' | 'maxItems', label: string, hint?: string) => (
    <NumberField
      {...{ label, hint, isLocked }}
      isWhole={name === 'maxLength' || name === 'maxItems'}
      value={settings[name]}
      problem={name === 'max' && problem === 'bounds' ? t`The greatest is less than the smallest.` : undefined}
      onChange={(value) => set(name, value)}
    />
  )
  switch (type) {
    case 'TEXT':
      return (
        <>
          <Select
            label={t`Kind of text`}
            value={settings.variant ?? 'PLAIN'}
            disabled={isLocked}
            onChange={({ target }) => set('variant', target.value === 'HTML' ? 'HTML' : undefined)}
          >
            <option value="PLAIN">{t`Plain`}</option>
            <option value="HTML">{t`With headings, lists, pictures`}</option>
          </Select>
          {figure('maxLength', t`Characters at most`)}
        </>
      )
    case 'NUMBER':
      return (
        <>
          {figure('min', t`Smallest`)}
          {figure('max', t`Greatest`)}
          <label className="choice">
            <input
              type="checkbox"
              className="check"
              checked={settings.integer ?? false}
              disabled={isLocked}
              onChange={({ target }) => set('integer', target.checked || undefined)}
            />
            <span>{t`Whole numbers only`}</span>
          </label>
        </>
      )
    case 'RELATIONSHIP':
      return (
        <Select
          label={t`Leads to`}
          value={settings.targetType ?? 'PRODUCT'}
          disabled={isLocked}
          onChange={({ target }) => set('targetType', target.value as (typeof TARGETS)[number])}
        >
          {TARGETS.map((one) => (
            <option key={one} value={one}>
              {targets[one]}
            </option>
          ))}
        </Select>
      )
    case 'SELECT':
    case 'MULTI_SELECT':
      return (
        <ListField
          label={t`What can be chosen, one a line`}
          problem={problem === 'options' ? t`There is nothing to choose yet.` : undefined}
          value={settings.options ?? []}
          {...{ isLocked }}
          onChange={(options) => set('options', options)}
        />
      )
    case 'MEDIA':
      return (
        <>
          {figure('maxItems', t`Files at most`)}
          <ListField
            label={t`Kinds of files, one a line`}
            hint={t`image/* stands for all pictures. Empty: any file.`}
            value={settings.accept ?? []}
            {...{ isLocked }}
            onChange={(accept) => set('accept', accept.length > 0 ? accept : undefined)}
          />
        </>
      )
    default:
      return <p className="note">{t`Nothing else to set.`}</p>
  }
}

export function useTargetNames(): Record<(typeof TARGETS)[number], string> {
  const { t } = useLingui()
  return {
    PRODUCT: t`A product`,
    ENTRY: t`An entry`,
    COLLECTION: t`A collection`,
    USER: t`A person`,
    ORDER: t`An order`,
  }
}

type NumberProps = {
  label: string
  hint?: string | undefined
  isLocked: boolean
  isWhole: boolean
  value: number | undefined
  problem: string | undefined
  onChange: (value: number | undefined) => void
}

/** Keeps what is typed while it is no number yet. */
function NumberField({ label, hint, isLocked, isWhole, value, problem, onChange }: NumberProps) {
  const { t } = useLingui()
  const [typed, setTyped] = useState<string>()
  const shown = typed ?? (value === undefined ? '' : String(value))
  const isRight = (text: string) => (isWhole ? /^[1-9]\d{0,6}$/ : /^-?\d{1,15}([.,]\d{1,6})?$/).test(text)
  return (
    <Field
      {...{ label, hint }}
      inputMode="decimal"
      value={shown}
      disabled={isLocked}
      problem={problem ?? (typed && !isRight(typed) ? t`This is no such number.` : undefined)}
      onBlur={() => setTyped(undefined)}
      onChange={({ target }) => {
        const text = target.value.trim()
        setTyped(target.value)
        if (text === '') onChange(undefined)
        else if (isRight(text)) onChange(Number(text.replace(',', '.')))
      }}
    />
  )
}

type ListProps = {
  label: string
  hint?: string
  problem?: string | undefined
  value: readonly string[]
  isLocked: boolean
  onChange: (lines: string[]) => void
}

function ListField({ label, hint, problem, value, isLocked, onChange }: ListProps) {
  const [typed, setTyped] = useState<string>()
  return (
    <TextField
      {...{ label, hint, problem }}
      rows={4}
      spellCheck={false}
      disabled={isLocked}
      value={typed ?? value.join('\n')}
      onBlur={() => setTyped(undefined)}
      onChange={({ target }) => {
        setTyped(target.value)
        onChange([...new Set(target.value.split('\n').map((line) => line.trim()))].filter(Boolean))
      }}
    />
  )
}
