import { useLingui } from '@lingui/react/macro'
import { Plus, X } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Figure } from './figure.tsx'
import { codeOf, type FieldsProps, type Method } from './form.ts'

/** Ways of shipping, what they cost, and from when they are free. */
export function ShippingFields({ form, problemOf, onChange }: FieldsProps) {
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
            reason={form.shippingMethods.length >= 50 ? t`The maximum is 50.` : undefined}
            onClick={add}
          >{t`Add a way of shipping`}</Button>
        </div>
      </div>
    </section>
  )
}
