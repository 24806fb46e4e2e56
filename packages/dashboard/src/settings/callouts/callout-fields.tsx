import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { Field } from '../../ui/field.tsx'
import type { CalloutForm } from './form.ts'
import { type Point, usePointWords } from './words.ts'

type Props = {
  point: Point
  form: CalloutForm
  isChanged: (field: keyof CalloutForm) => boolean
  problemOf: (field: keyof CalloutForm) => string | undefined
  onChange: (changes: Partial<CalloutForm>) => void
}

/** Who is asked, how long a shopper waits for it, and what becomes of the sale if it does not answer. */
export function CalloutFields({ point, form, isChanged, problemOf, onChange }: Props) {
  const { t } = useLingui()
  const id = useId()
  const words = usePointWords()(point)
  const ways = [
    {
      value: 'FAIL',
      name: t`Refuse the sale`,
      about: t`The shop says that it cannot sell for the moment. Nobody pays a wrong price.`,
    },
    { value: 'FALLBACK', name: words.fallback, about: words.fallbackMeans },
  ] as const
  return (
    <>
      <section className="section">
        <Field
          label={t`Address`}
          type="url"
          inputMode="url"
          className="mono"
          maxLength={2_000}
          autoComplete="off"
          spellCheck={false}
          placeholder="https://service.example.com/kontor"
          value={form.url}
          edited={isChanged('url')}
          problem={problemOf('url')}
          hint={t`It begins with https:// and can be reached by everybody.`}
          onChange={({ target }) => onChange({ url: target.value })}
        />
        <div className="short-field">
          <Field
            label={t`Time limit, in milliseconds`}
            className="num"
            inputMode="numeric"
            autoComplete="off"
            value={form.timeoutMs}
            edited={isChanged('timeoutMs')}
            problem={problemOf('timeoutMs')}
            hint={t`A shopper waits that long at most. All services together have 5 seconds.`}
            onChange={({ target }) => onChange({ timeoutMs: target.value })}
          />
        </div>
        <label className="choice">
          <input
            type="checkbox"
            className="check"
            checked={form.isEnabled}
            aria-describedby={`${id}-enabled`}
            onChange={({ target }) => onChange({ isEnabled: target.checked })}
          />
          <span>
            {t`Is asked`}
            <span className="note" id={`${id}-enabled`}>
              {t`From the next quote on. A test asks it in any case.`}
            </span>
          </span>
        </label>
      </section>
      <section className="section">
        <fieldset className="options">
          <legend className="label">{t`If it does not answer in time, or answers wrongly`}</legend>
          {ways.map(({ value, name, about }) => (
            <label key={value} className="choice">
              <input
                type="radio"
                className="check radio"
                name={`${id}-failure`}
                checked={form.onFailure === value}
                aria-describedby={`${id}-${value}`}
                onChange={() => onChange({ onFailure: value })}
              />
              <span>
                {name}
                <span className="note" id={`${id}-${value}`}>
                  {about}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      </section>
    </>
  )
}
