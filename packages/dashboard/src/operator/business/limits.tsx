import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { kontor } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import type { BusinessDetail } from '../types.ts'
import { useAsking } from '../use-asking.ts'
import { formOf, type LimitsForm, limitsOf } from './limits-form.ts'

/** What this business may use, where that differs from the others. */
export function LimitsPart({ of: { id, limits } }: { of: BusinessDetail }) {
  const { t } = useLingui()
  const saved = formOf(limits)
  const [typed, setTyped] = useState<Partial<LimitsForm>>({})
  const { ask, error, waiting } = useAsking()
  const form = { ...saved, ...typed }
  const read = limitsOf(form)
  const wrong = 'wrong' in read ? read.wrong : []
  const isEdited = (name: keyof LimitsForm) => form[name].trim() !== saved[name]
  const isChanged = (Object.keys(form) as (keyof LimitsForm)[]).some((name) => isEdited(name))
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (!('limits' in read) || !isChanged || waiting) return
    const body = read.limits
    if (!(await ask(() => kontor.operations.setOperatorLimits({ path: { id }, body })))) return
    setTyped({})
    toast(t`The limits are set.`)
  }
  const field = (name: keyof LimitsForm, label: string, problem: string) => (
    <Field
      label={label}
      inputMode={name === 'gigabytes' ? 'decimal' : 'numeric'}
      autoComplete="off"
      placeholder={t`as everybody`}
      value={form[name]}
      edited={isEdited(name)}
      problem={wrong.includes(name) ? problem : undefined}
      onChange={({ target }) => setTyped((before) => ({ ...before, [name]: target.value }))}
    />
  )
  const whole = t`A whole number, or nothing.`
  const refused = wrong.length > 0 ? t`A field is no number.` : isChanged ? undefined : t`Nothing has changed.`
  const reason = waiting ?? refused
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Limits`}</h2>
        <span className="note">{t`Empty: as everybody. Heeded within ten seconds.`}</span>
      </div>
      {error !== undefined && <Problem error={error} kept={t`What you typed is still here.`} />}
      <form className="op-limits" onSubmit={(event) => void save(event)}>
        {field('requestsPerMinute', t`Requests a minute`, whole)}
        {field('requestsAtOnce', t`Requests at once`, t`A whole number from 1 to 1,000, or nothing.`)}
        {field('jobsAtOnce', t`Jobs at once`, t`A whole number from 1 to 100, or nothing.`)}
        {field('mailsPerDay', t`Letters a day`, whole)}
        {field('gigabytes', t`Files, in GB`, t`A number, or nothing.`)}
        <Button type="submit" reason={reason}>{t`Set the limits`}</Button>
      </form>
    </section>
  )
}
