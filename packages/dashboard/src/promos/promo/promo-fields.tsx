import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { Field, Select } from '../../ui/field.tsx'
import { type Field as FieldName, leastCurrencyOf, type PromoForm } from './form.ts'

type Props = {
  form: PromoForm
  changed: readonly FieldName[]
  problemOf: (field: FieldName) => ReactNode
  lacks: string | undefined
  onChange: (changes: Partial<PromoForm>) => void
}

/** What a code gives, and on what terms. */
export function PromoFields({ form, changed, problemOf, lacks, onChange }: Props) {
  const { t } = useLingui()
  const business = useBusiness()
  const { markets, timeZone } = business
  const currencies = [...new Set([...markets.map(({ currency }) => currency), form.currency])].filter(Boolean)
  const isFixed = form.type === 'FIXED'
  const least = leastCurrencyOf(business, form)
  const known = [...markets, ...form.markets.filter((id) => !markets.some((one) => one.id === id)).map(gone)]
  const field = (name: Exclude<FieldName, 'markets' | 'type'>) => ({
    value: form[name],
    edited: changed.includes(name),
    problem: problemOf(name),
    disabled: lacks !== undefined,
    autoComplete: 'off',
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  })
  const toggle = (id: string) =>
    onChange({
      markets: form.markets.includes(id) ? form.markets.filter((one) => one !== id) : [...form.markets, id].sort(),
    })
  return (
    <>
      <section className="section">
        <div className="section-head">
          <h2>{t`What it gives`}</h2>
        </div>
        <div className="promo-grid">
          <Field
            label={t`Code`}
            hint={t`Letters, digits, _ and -. Customers may type it in any case.`}
            maxLength={64}
            spellCheck={false}
            {...field('code')}
            className="code"
          />
          <Select
            label={t`Kind`}
            value={form.type}
            edited={changed.includes('type')}
            disabled={lacks !== undefined}
            onChange={(event) => onChange({ type: event.target.value as PromoForm['type'] })}
          >
            <option value="PERCENT">{t`A part of the goods`}</option>
            <option value="FIXED">{t`An amount`}</option>
          </Select>
          <Field label={isFixed ? t`Amount` : t`Percent`} inputMode="decimal" {...field('value')} />
          {isFixed && (
            <Select
              label={t`Currency`}
              hint={t`It works in markets with this currency only.`}
              value={form.currency}
              edited={changed.includes('currency')}
              problem={problemOf('currency')}
              disabled={lacks !== undefined}
              onChange={(event) => onChange({ currency: event.target.value })}
            >
              {currencies.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </Select>
          )}
        </div>
      </section>
      <section className="section">
        <div className="section-head">
          <h2>{t`Terms`}</h2>
          <span className="note">{t`what stays empty does not restrict it`}</span>
        </div>
        <div className="promo-grid">
          <Field label={t`From`} type="datetime-local" hint={t`At the clock of ${timeZone}`} {...field('startsAt')} />
          <Field label={t`Until before`} type="datetime-local" {...field('endsAt')} />
          <Field
            label={t`Goods at least, in ${least}`}
            hint={
              !isFixed && new Set(markets.map(({ currency }) => currency)).size > 1
                ? t`The same figure counts in each market, in its own currency.`
                : undefined
            }
            inputMode="decimal"
            {...field('minSubtotal')}
          />
          <Field label={t`Uses in all`} inputMode="numeric" {...field('maxRedemptions')} />
          <Field
            label={t`Uses for each customer`}
            hint={
              form.maxPerCustomer ? t`Customers then need an email address or a confirmed phone number.` : undefined
            }
            inputMode="numeric"
            {...field('maxPerCustomer')}
          />
        </div>
        <fieldset className="markets" disabled={lacks !== undefined}>
          <legend className="label">{t`Markets`}</legend>
          {known.map(({ id, name }) => (
            <label key={id} className="choice">
              <input
                type="checkbox"
                className="check"
                checked={form.markets.includes(id)}
                onChange={() => toggle(id)}
              />
              <span>{name}</span>
            </label>
          ))}
          <p className="note">
            {form.markets.length === 0 ? t`None is picked: it works in all of them.` : t`It works in these only.`}
          </p>
        </fieldset>
      </section>
    </>
  )
}

/** A market that the business has no more. */
const gone = (id: string) => ({ id, name: id })
