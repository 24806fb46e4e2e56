import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Plus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import type { Patch, Row } from './edits.ts'
import { countOf, MOST_VARIANTS, missing, optionsOf, readValues, toPatch } from './generate.ts'

type Props = { rows: readonly Row[]; onMake: (patch: Patch) => void; onClose: () => void }

type Typed = { name: string; values: string }

const MOST_OPTIONS = 5
const newId = () => `var_${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`

const begin = (rows: readonly Row[]): Typed[] => {
  const known = optionsOf(rows).map(({ name, values }) => ({ name, values: values.join(', ') }))
  return known.length > 0
    ? known
    : [
        { name: '', values: '' },
        { name: '', values: '' },
      ]
}

/** Makes variants of options: three colours in four sizes are twelve. What is there already stays as it is. */
export function Generator({ rows, onMake, onClose }: Props) {
  const { t } = useLingui()
  const [typed, setTyped] = useState(() => begin(rows))
  const [prefix, setPrefix] = useState('')
  const options = typed
    .map(({ name, values }) => ({ name: name.trim(), values: readValues(values) }))
    .filter(({ name, values }) => name && values.length > 0)
  const total = countOf(options)
  const isTooMany = total > MOST_VARIANTS
  const seeds = isTooMany ? [] : missing(options, rows)
  const count = seeds.length
  const isFull = rows.length + count > MOST_VARIANTS
  const reason =
    options.length === 0
      ? t`Name an option and its values.`
      : isTooMany || isFull
        ? t`A product has ${MOST_VARIANTS} variants at most.`
        : count === 0
          ? t`All of them are there.`
          : undefined
  const set = (index: number, changes: Partial<Typed>) =>
    setTyped(typed.map((one, at) => (at === index ? { ...one, ...changes } : one)))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason) return
    onMake(toPatch(seeds, rows, prefix.trim(), newId))
    onClose()
  }
  return (
    <form
      className="generator"
      aria-label={t`Make variants`}
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      {typed.map(({ name, values }, index) => (
        // The place is what an option is known by: there is nothing else while it has no name.
        // oxlint-disable-next-line react/no-array-index-key
        <div className="option" key={index}>
          <Field
            label={index === 0 ? t`Option` : t`Option ${index + 1}`}
            placeholder={index === 0 ? t`Colour` : t`Size`}
            maxLength={100}
            autoComplete="off"
            autoFocus={index === 0}
            value={name}
            onChange={(event) => set(index, { name: event.target.value })}
          />
          <Field
            label={index === 0 ? t`Values, with commas` : t`Values of option ${index + 1}`}
            placeholder={index === 0 ? t`Navy, Cream, Red` : t`120 ml, 350 ml, 500 ml`}
            autoComplete="off"
            value={values}
            onChange={(event) => set(index, { values: event.target.value })}
          />
          <Button
            look="quiet"
            icon={X}
            only={t`Take option ${index + 1} away`}
            onClick={() => setTyped(typed.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <div className="make">
        <Button
          look="small"
          icon={Plus}
          reason={typed.length >= MOST_OPTIONS ? t`${MOST_OPTIONS} options are enough.` : undefined}
          onClick={() => setTyped([...typed, { name: '', values: '' }])}
        >{t`Option`}</Button>
        <Field
          label={t`SKUs begin with`}
          placeholder="HG001"
          maxLength={60}
          autoComplete="off"
          value={prefix}
          onChange={(event) => setPrefix(event.target.value)}
        />
        <p className="note" role="status">
          {options.length > 0 && (
            <Trans>
              {options.map(({ values }) => values.length).join(' × ')} = {total}
            </Trans>
          )}
        </p>
        <span className="acts">
          <Button look="quiet" onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" look="main" reason={reason}>
            <Plural value={count} _0="Make variants" one="Make # variant" other="Make # variants" />
          </Button>
        </span>
      </div>
    </form>
  )
}
