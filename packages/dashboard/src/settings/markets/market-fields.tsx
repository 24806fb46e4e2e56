import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { Field } from '../../ui/field.tsx'
import { codeOf, type FieldsProps } from './form.ts'
import { ShippingFields } from './shipping-fields.tsx'
import { TaxFields } from './tax-fields.tsx'
import { useMarketNames } from './words.ts'

const CURRENCIES = Intl.supportedValuesOf('currency')

/** A market: what it is called, its taxes, its shipping. */
export function MarketFields(props: FieldsProps) {
  return (
    <>
      <Name {...props} />
      <TaxFields {...props} />
      <ShippingFields {...props} />
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
