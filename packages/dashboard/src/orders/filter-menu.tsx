import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { isDay } from '../i18n/days.ts'
import { useBusiness } from '../session/use-business.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { Icon } from '../ui/icon.tsx'
import { Popover } from '../ui/popover.tsx'
import { amountOf, unitFor } from './amounts.ts'
import { FULFILLMENTS, isRelative, type OrderSearch, PAYMENT_STATUSES, type RelativeDays, STATUSES } from './filters.ts'
import { FULFILLMENT_WORDS, PAYMENT_WORDS, STATUS_WORDS } from './words.tsx'

type Props = { search: OrderSearch; onChange: (changes: OrderSearch) => void }

/** All filters in one small form: what is ticked counts at once, what is typed when it is sent. */
export function FilterMenu({ search, onChange }: Props) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const { markets } = useBusiness()
  const unit = unitFor(search, markets)
  const typed = (amount: number | undefined) => (amount === undefined ? undefined : String(amount / unit))
  const trigger = (
    <button type="button" className="chip add">
      <Icon of={Plus} />
      {t`Filter`}
    </button>
  )
  const since = (from: RelativeDays) => onChange({ from, to: undefined, ...NO_MOMENTS })
  const relative = isRelative(search.from) ? search.from : undefined
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const day = (name: string) => (isDay(formText(form, name)) ? formText(form, name) : undefined)
    const tag = formText(form, 'tag').trim()
    const hasDays = day('from') !== undefined || day('to') !== undefined
    const changes = {
      ...(hasDays && NO_MOMENTS),
      // A day that is typed takes the place of days that move.
      from: day('from') ?? (day('to') === undefined ? relative : undefined),
      to: day('to'),
      totalFrom: amountOf(formText(form, 'totalFrom'), unit),
      totalTo: amountOf(formText(form, 'totalTo'), unit),
    }
    onChange({ ...changes, ...(tag && { tag: [...new Set([...(search.tag ?? []), tag])] }) })
    setOpen(false)
  }
  const marketWords = Object.fromEntries(markets.map(({ id, name }) => [id, name]))
  return (
    <Popover trigger={trigger} label={t`Filter`} open={isOpen} onOpenChange={setOpen}>
      <form className="filters" onSubmit={submit} key={JSON.stringify(search)}>
        <Ticks
          title={t`Status`}
          values={STATUSES}
          words={STATUS_WORDS}
          on={search.status}
          onChange={(status) => onChange({ status })}
        />
        <Ticks
          title={t`Payment`}
          values={PAYMENT_STATUSES}
          words={PAYMENT_WORDS}
          on={search.paymentStatus}
          onChange={(paymentStatus) => onChange({ paymentStatus })}
        />
        <Ticks
          title={t`Fulfilment`}
          values={FULFILLMENTS}
          words={FULFILLMENT_WORDS}
          on={search.fulfillment}
          onChange={(fulfillment) => onChange({ fulfillment })}
        />
        <Ticks
          title={t`Market`}
          values={markets.map(({ id }) => id)}
          words={marketWords}
          on={search.market}
          onChange={(market) => onChange({ market })}
        />
        <fieldset>
          <legend className="label">{t`Placed`}</legend>
          <div className="flex gap-1">
            <Button look="small" onClick={() => since('today')}>{t`Today`}</Button>
            <Button look="small" onClick={() => since('7d')}>{t`7 days`}</Button>
            <Button look="small" onClick={() => since('30d')}>{t`30 days`}</Button>
          </div>
          <div className="two">
            <Field label={t`From`} type="date" name="from" defaultValue={relative ? undefined : search.from} />
            <Field label={t`To`} type="date" name="to" defaultValue={search.to} />
          </div>
        </fieldset>
        <fieldset>
          <legend className="label">{t`Total and tag`}</legend>
          <div className="two">
            <Field label={t`At least`} name="totalFrom" inputMode="decimal" defaultValue={typed(search.totalFrom)} />
            <Field label={t`At most`} name="totalTo" inputMode="decimal" defaultValue={typed(search.totalTo)} />
          </div>
          <Field label={t`Tag`} name="tag" autoComplete="off" />
        </fieldset>
        <Button type="submit" look="main">{t`Apply`}</Button>
      </form>
    </Popover>
  )
}

/** Days take the place of exact moments. */
const NO_MOMENTS = { createdFrom: undefined, createdTo: undefined }

type TicksProps<Value extends string> = {
  title: string
  values: readonly Value[]
  words: Record<string, MessageDescriptor | string>
  on: readonly Value[] | undefined
  onChange: (values: Value[] | undefined) => void
}

function Ticks<Value extends string>({ title, values, words, on = [], onChange }: TicksProps<Value>) {
  const { i18n } = useLingui()
  const toggle = (value: Value) => {
    const next = values.filter((one) => (one === value ? !on.includes(one) : on.includes(one)))
    onChange(next.length > 0 ? next : undefined)
  }
  return (
    <fieldset>
      <legend className="label">{title}</legend>
      <div className="ticks">
        {values.map((value) => {
          const word = words[value] ?? value
          return (
            <label key={value} className="choice">
              <input type="checkbox" className="check" checked={on.includes(value)} onChange={() => toggle(value)} />
              {typeof word === 'string' ? word : i18n._(word)}
            </label>
          )
        })}
      </div>
    </fieldset>
  )
}
