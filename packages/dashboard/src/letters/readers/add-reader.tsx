import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useAsk } from '../../outbox/use-outbox.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Newsletter } from '../types.ts'

const route = getRouteApi('/signed-in/$business/letters/readers/$newsletter')

/** One reader, to a free plan: who pays does so by themselves. */
export function AddReader({ of: { id, plans = [], doubleOptIn = false } }: { of: Newsletter }) {
  const { t } = useLingui()
  const ask = useAsk()
  const navigate = route.useNavigate()
  const [isAsked, setAsked] = useState(false)
  const [error, setError] = useState<unknown>()
  const free = plans.filter(({ price }) => !price || price.amount === 0)
  const isPaidOnly = plans.length > 0 && free.length === 0
  const close = () => void navigate({ search: (before) => ({ ...before, do: undefined }) })
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const [email, name, planId] = ['email', 'name', 'planId'].map((field) => formText(form, field).trim())
    setAsked(true)
    setError(undefined)
    try {
      const made = await ask({
        operation: 'subscribe',
        input: {
          path: { collectionId: id },
          body: { email: email ?? '', ...(name && { name }), ...(planId && { planId }) },
        },
        label: t`Add a reader`,
        about: [id],
      })
      const isPending = 'status' in made && made.status === 'PENDING'
      toast(isPending ? t`${email} was asked by mail to confirm it.` : t`${email} is a reader now.`)
      form.reset()
      form.querySelector('input')?.focus()
    } catch (cause) {
      setError(cause)
    } finally {
      setAsked(false)
    }
  }
  const why = isPaidOnly ? t`All plans are paid: who reads it has to pay for it.` : isAsked ? t`Processing…` : undefined
  return (
    <section className="page task" aria-label={t`Add a reader`}>
      <form className="line-form" onSubmit={(event) => void submit(event)}>
        <Field
          label={t`Email address`}
          name="email"
          type="email"
          required
          maxLength={254}
          autoComplete="off"
          autoFocus
        />
        <Field label={t`Name, if known`} name="name" maxLength={200} autoComplete="off" />
        {free.length > 0 && (
          <Select label={t`Plan`} name="planId">
            {free.map((plan) => (
              <option key={plan.id} value={plan.id}>
                {plan.name}
              </option>
            ))}
          </Select>
        )}
        <Button type="submit" look="main" reason={why}>{t`Add`}</Button>
        <Button look="quiet" onClick={close}>{t`Done`}</Button>
      </form>
      <p className="note">
        {doubleOptIn
          ? t`They get a mail first, and are a reader when they have confirmed it.`
          : t`They get the next letter. Have their consent.`}
      </p>
      {error !== undefined && <Problem error={error} kept={t`Nobody was added.`} />}
    </section>
  )
}
