import type { Body, Business } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { Field } from '../ui/field.tsx'
import { Head } from '../ui/page.tsx'
import { Save } from './save.tsx'
import { useBusinessForm } from './use-business-form.ts'

type SecurityForm = { requireSecondFactor: boolean; keepPersonDays: string }
const MOST_DAYS = 36_500

const toForm = ({ requireSecondFactor = false, keepPersonDays = 0 }: Business): SecurityForm => ({
  requireSecondFactor,
  keepPersonDays: String(keepPersonDays),
})

const daysOf = (typed: string) => {
  const days = /^\d{1,5}$/.test(typed.trim()) ? Number(typed) : undefined
  return days !== undefined && days <= MOST_DAYS ? days : undefined
}

function toBody(mine: SecurityForm, now: Business): Body<'updateBusiness'> {
  const before = toForm(now)
  const days = daysOf(mine.keepPersonDays)
  return {
    ...(mine.requireSecondFactor !== before.requireSecondFactor && { requireSecondFactor: mine.requireSecondFactor }),
    ...(mine.keepPersonDays !== before.keepPersonDays && days !== undefined && { keepPersonDays: days }),
  }
}

/** Who gets in, and how long people are remembered. */
export function SecurityPage() {
  const { t } = useLingui()
  const id = useId()
  const names: Record<keyof SecurityForm, string> = {
    requireSecondFactor: t`Everybody needs a second factor`,
    keepPersonDays: t`Days that orders remember a deleted customer`,
  }
  const settings = useBusinessForm<SecurityForm>({
    part: 'security',
    label: t`Save the security settings`,
    toForm,
    toBody,
    names,
    show: (value) => (typeof value === 'boolean' ? (value ? t`yes` : t`no`) : value),
  })
  const { form, change, isChanged, refusalOf } = settings
  const isWrong = daysOf(form.keepPersonDays) === undefined
  const refusal = refusalOf('requireSecondFactor')
  return (
    <>
      <Head title={t`Security`} />
      <div className="page form-page">
        <section className="section">
          <div className="section-head">
            <h2>{t`Getting in`}</h2>
          </div>
          <label className="choice">
            <input
              type="checkbox"
              className="check"
              checked={form.requireSecondFactor}
              aria-describedby={`${id}-factor`}
              onChange={({ target }) => change({ requireSecondFactor: target.checked })}
            />
            <span>
              {names.requireSecondFactor}
              <span className="note" id={`${id}-factor`}>
                {t`Roles count only for those who signed in with a password and a code, or with a passkey. Everybody else sees nothing of this business until they have one. You can switch it on only if you signed in that way yourself.`}
              </span>
            </span>
          </label>
          {refusal && <p className="problem">{refusal}</p>}
        </section>
        <section className="section">
          <div className="section-head">
            <h2>{t`Forgetting people`}</h2>
          </div>
          <p className="note">
            <Trans>
              When a customer deletes their account, their name, addresses and notes go out of finished orders. Where
              the law wants invoices to be kept, say for how long; orders in work always keep them.
            </Trans>
          </p>
          <div className="short">
            <Field
              label={names.keepPersonDays}
              className="num"
              inputMode="numeric"
              autoComplete="off"
              value={form.keepPersonDays}
              edited={isChanged('keepPersonDays')}
              problem={isWrong ? t`A whole number of days, 0 at least.` : refusalOf('keepPersonDays')}
              hint={form.keepPersonDays === '0' ? t`0: at once.` : t`Counted from the day of the order.`}
              onChange={({ target }) => change({ keepPersonDays: target.value })}
            />
          </div>
        </section>
      </div>
      <Save
        of={settings}
        reason={isWrong ? t`Fix the errors in the form.` : undefined}
        warning={
          form.requireSecondFactor && isChanged('requireSecondFactor')
            ? t`Colleagues without a second factor are locked out of this business until they set one up. API keys that were made without one are refused from then on: make new ones first.`
            : undefined
        }
      />
    </>
  )
}
