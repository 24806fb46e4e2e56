import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/dialog.tsx'
import type { Conflict, Merged } from './three-way.ts'

type Props<Value extends object> = {
  merged: Merged<Value>
  /** The name of a field, in the words of the screen. */
  nameOf: (field: keyof Value & string) => string
  show?: ((value: unknown, field: keyof Value & string) => ReactNode) | undefined
  onDecide: (value: Value | undefined) => void
}

/** Theirs and mine side by side, for the fields that both changed. What only one of us changed is merged already. */
export function MergeSheet<Value extends object>({ merged, nameOf, show = plain, onDecide }: Props<Value>) {
  const { t } = useLingui()
  const [takeTheirs, setTakeTheirs] = useState<ReadonlySet<string>>(new Set())
  const { conflicts, theirs } = merged
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const decide = (event: FormEvent) => {
    event.preventDefault()
    const value = { ...merged.value }
    for (const { field, theirs } of conflicts) if (takeTheirs.has(field)) value[field] = theirs as Value[typeof field]
    onDecide(value)
  }
  const choose = (field: string, isTheirs: boolean) =>
    setTakeTheirs((before) => {
      const next = new Set(before)
      if (isTheirs) next.add(field)
      else next.delete(field)
      return next
    })
  const foot = (
    <div className="flex gap-2 justify-end">
      <Button look="quiet" onClick={() => onDecide(undefined)}>{t`Back to my changes`}</Button>
      <Button look="main" type="submit" form={id}>{t`Save these`}</Button>
    </div>
  )
  return (
    <Sheet
      open
      wide
      onClose={() => onDecide(undefined)}
      title={t`Somebody was faster`}
      foot={foot}
      initialFocus={() => form.current?.querySelector('input') ?? null}
    >
      <p className="soft">
        <Plural value={conflicts.length} one="You both changed # field." other="You both changed # fields." />{' '}
        <Trans>Nothing is lost: choose what counts.</Trans>
      </p>
      <form className="sides" id={id} ref={form} onSubmit={decide}>
        {conflicts.map((conflict) => (
          <Sides
            key={conflict.field}
            {...{ conflict, name: nameOf(conflict.field) }}
            isTheirs={takeTheirs.has(conflict.field)}
            show={(value) => show(value, conflict.field)}
            onChoose={(isTheirs) => choose(conflict.field, isTheirs)}
          />
        ))}
      </form>
      {theirs.length > 0 && (
        <p className="note">
          <Trans>Taken over from them: {theirs.map(nameOf).join(', ')}.</Trans>
        </p>
      )}
    </Sheet>
  )
}

type SidesProps = {
  conflict: Conflict
  name: string
  isTheirs: boolean
  show: (value: unknown) => ReactNode
  onChoose: (isTheirs: boolean) => void
}

function Sides({ conflict, name, isTheirs, show, onChoose }: SidesProps) {
  const { t } = useLingui()
  return (
    <fieldset>
      <legend className="label">{name}</legend>
      <p className="note">
        <Trans>It was</Trans> {show(conflict.base)}
      </p>
      {([false, true] as const).map((theirs) => (
        <label key={String(theirs)} className="choice">
          <input
            type="radio"
            className="check radio"
            name={conflict.field}
            checked={isTheirs === theirs}
            onChange={() => onChoose(theirs)}
          />
          <span>
            <b className="strong">{theirs ? t`Theirs` : t`Mine`}</b> {show(theirs ? conflict.theirs : conflict.mine)}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

const plain = (value: unknown) => (typeof value === 'string' ? value || '–' : (JSON.stringify(value) ?? '–'))
