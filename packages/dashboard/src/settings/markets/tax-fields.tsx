import { useLingui } from '@lingui/react/macro'
import { Plus, X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Figure } from './figure.tsx'
import type { FieldsProps, Rate } from './form.ts'

/** Whether prices have the tax inside, and at which rates. */
export function TaxFields({ form, isChanged, problemOf, onChange }: FieldsProps) {
  const { t } = useLingui()
  const { markets } = useBusiness()
  const id = useId()
  const set = (index: number, changes: Partial<Rate>) =>
    onChange({ taxRates: form.taxRates.map((rate, at) => (at === index ? { ...rate, ...changes } : rate)) })
  const known = [...new Set(markets.flatMap(({ taxRates }) => taxRates.map(({ taxClass }) => taxClass)))]
  const free = ['reduced', ...known].find((one) => !form.taxRates.some(({ taxClass }) => taxClass === one)) ?? ''
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Taxes`}</h2>
      </div>
      <fieldset className="field options">
        <legend className="label">{t`The prices that you enter`}</legend>
        <Choice
          name={id}
          isOn={!form.pricesIncludeTax}
          label={t`are without tax`}
          about={t`Tax is added at the checkout, as in the United States.`}
          onChoose={() => onChange({ pricesIncludeTax: false })}
        />
        <Choice
          name={id}
          isOn={form.pricesIncludeTax}
          label={t`include tax`}
          about={t`Shoppers pay the price that they see, as in Europe. Shipping prices and “free from” include it, too.`}
          onChoose={() => onChange({ pricesIncludeTax: true })}
        />
      </fieldset>
      <div className="form-grid">
        <Figure
          unit="%"
          field={{
            label: t`Tax on goods`,
            value: form.percent,
            edited: isChanged('percent'),
            problem: problemOf('percent'),
            hint: t`For all goods without a rate of their own below.`,
          }}
          onType={(percent) => onChange({ percent })}
        />
      </div>
      <fieldset className="field rows" aria-describedby={`${id}-rates`}>
        <legend className="label">{t`Other rates, by the tax class of a product`}</legend>
        {form.taxRates.map((rate, index) => (
          <div key={index} className="row-line">
            <Field
              label={t`Tax class`}
              list={`${id}-classes`}
              value={rate.taxClass}
              maxLength={40}
              autoComplete="off"
              spellCheck={false}
              problem={problemOf(`taxRates.${index}.taxClass`)}
              onChange={({ target }) => set(index, { taxClass: target.value.toLowerCase() })}
            />
            <Figure
              unit="%"
              field={{ label: t`Tax`, value: rate.percent, problem: problemOf(`taxRates.${index}.percent`) }}
              onType={(percent) => set(index, { percent })}
            />
            <Button
              look="quiet"
              icon={X}
              only={t`Remove the rate of ${rate.taxClass || '…'}`}
              onClick={() => onChange({ taxRates: form.taxRates.filter((_, at) => at !== index) })}
            />
          </div>
        ))}
        <datalist id={`${id}-classes`}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <div>
          <Button
            look="small"
            icon={Plus}
            reason={form.taxRates.length >= 20 ? t`The maximum is 20.` : undefined}
            onClick={() => onChange({ taxRates: [...form.taxRates, { taxClass: free, percent: '' }] })}
          >{t`Add a rate`}</Button>
        </div>
        <p className="note" id={`${id}-rates`}>
          {t`A product says which class it is of, such as reduced for books or food. Without one it is standard.`}
        </p>
      </fieldset>
      <label className="choice">
        <input
          type="checkbox"
          className="check"
          checked={form.taxShipping}
          onChange={({ target }) => onChange({ taxShipping: target.checked })}
        />
        <span>
          {t`Shipping is taxed, too`}
          <span className="note">{t`At the rate of standard goods.`}</span>
        </span>
      </label>
    </section>
  )
}

type ChoiceProps = { name: string; isOn: boolean; label: string; about: ReactNode; onChoose: () => void }

const Choice = ({ name, isOn, label, about, onChoose }: ChoiceProps) => (
  <label className="choice">
    <input type="radio" className="check radio" name={name} checked={isOn} onChange={onChoose} />
    <span>
      {label}
      <span className="note">{about}</span>
    </span>
  </label>
)
