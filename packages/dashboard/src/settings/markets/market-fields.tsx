import { useLingui } from '@lingui/react/macro'
import { Plus, X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { codeOf, type MarketForm, type Method, type Rate } from './form.ts'
import { useMarketNames } from './words.ts'

export type FieldsProps = {
  form: MarketForm
  isNew?: boolean
  isChanged: (field: keyof MarketForm) => boolean
  problemOf: (place: string) => string | undefined
  onChange: (changes: Partial<MarketForm>) => void
}

const CURRENCIES = Intl.supportedValuesOf('currency')

/** A market: what it is called, its taxes, its shipping. */
export function MarketFields(props: FieldsProps) {
  return (
    <>
      <Name {...props} />
      <Taxes {...props} />
      <Shipping {...props} />
    </>
  )
}

function Name({ form, isNew = false, isChanged, problemOf, onChange }: FieldsProps) {
  const { t } = useLingui()
  const { markets } = useBusiness()
  const names = useMarketNames()
  const list = useId()
  const taken = markets.map(({ id }) => id)
  // The code follows the name until somebody types one.
  const rename = (name: string) => {
    const follows = isNew && (form.id === '' || form.id === codeOf(form.name, taken))
    onChange({ name, ...(follows && { id: name.trim() ? codeOf(name, taken) : '' }) })
  }
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Market`}</h2>
      </div>
      <div className="form-grid">
        <Field
          label={names.name}
          value={form.name}
          maxLength={200}
          autoComplete="off"
          edited={isChanged('name')}
          problem={problemOf('name')}
          onChange={({ target }) => rename(target.value)}
        />
        <Field
          label={names.currency}
          list={list}
          value={form.currency}
          maxLength={3}
          autoComplete="off"
          spellCheck={false}
          edited={isChanged('currency')}
          problem={problemOf('currency')}
          onChange={({ target }) => onChange({ currency: target.value.toUpperCase() })}
        />
        <datalist id={list}>
          {CURRENCIES.map((currency) => (
            <option key={currency} value={currency} />
          ))}
        </datalist>
        {isNew && (
          <Field
            label={names.id}
            value={form.id}
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            problem={problemOf('id')}
            hint={t`Prices and checkouts name the market by it. It stays.`}
            onChange={({ target }) => onChange({ id: target.value })}
          />
        )}
      </div>
    </section>
  )
}

/** Figures that are typed, with their unit behind. */
const Figure = ({
  unit,
  field,
  onType,
}: {
  unit: string
  field: Parameters<typeof Field>[0]
  onType: (text: string) => void
}) => (
  <Field
    {...field}
    inputMode="decimal"
    autoComplete="off"
    className="num"
    label={
      <>
        {field.label} <span className="soft">{unit}</span>
      </>
    }
    onChange={({ target }) => onType(target.value)}
  />
)

function Taxes({ form, isChanged, problemOf, onChange }: FieldsProps) {
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
            reason={form.taxRates.length >= 20 ? t`More than 20 cannot be.` : undefined}
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

function Shipping({ form, problemOf, onChange }: FieldsProps) {
  const { t } = useLingui()
  const set = (index: number, changes: Partial<Method>) =>
    onChange({ shippingMethods: form.shippingMethods.map((one, at) => (at === index ? { ...one, ...changes } : one)) })
  const add = () => {
    const name = form.shippingMethods.length === 0 ? t`Standard` : ''
    const taken = form.shippingMethods.map(({ id }) => id)
    const id = codeOf(name || 'method', taken)
    onChange({ shippingMethods: [...form.shippingMethods, { id, name, price: '', freeFrom: '' }] })
  }
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Shipping`}</h2>
      </div>
      {form.shippingMethods.length === 0 && (
        <p className="note">{t`None: a checkout asks for no way of shipping, and it costs nothing.`}</p>
      )}
      <div className="rows">
        {form.shippingMethods.map((method, index) => (
          <div key={method.id} className="row-line wide">
            <Field
              label={t`Way of shipping`}
              value={method.name}
              maxLength={200}
              autoComplete="off"
              problem={problemOf(`shippingMethods.${index}.name`)}
              onChange={({ target }) => set(index, { name: target.value })}
            />
            <Figure
              unit={form.currency}
              field={{ label: t`Price`, value: method.price, problem: problemOf(`shippingMethods.${index}.price`) }}
              onType={(price) => set(index, { price })}
            />
            <Figure
              unit={form.currency}
              field={{
                label: t`Free from`,
                value: method.freeFrom,
                placeholder: t`never`,
                problem: problemOf(`shippingMethods.${index}.freeFrom`),
              }}
              onType={(freeFrom) => set(index, { freeFrom })}
            />
            <Button
              look="quiet"
              icon={X}
              only={t`Remove ${method.name || '…'}`}
              onClick={() => onChange({ shippingMethods: form.shippingMethods.filter((_, at) => at !== index) })}
            />
          </div>
        ))}
        <div>
          <Button
            look="small"
            icon={Plus}
            reason={form.shippingMethods.length >= 50 ? t`More than 50 cannot be.` : undefined}
            onClick={add}
          >{t`Add a way of shipping`}</Button>
        </div>
      </div>
    </section>
  )
}
