import { useLingui } from '@lingui/react/macro'
import { Field } from '../../ui/field.tsx'
import { TypeChoice } from './type-choice.tsx'

export type EndpointForm = { url: string; types: string[]; description: string }
export const EMPTY: EndpointForm = { url: '', types: [], description: '' }

type Props = {
  form: EndpointForm
  /** Why nothing of it can be changed. */
  lacks?: string | undefined
  isChanged?: (field: keyof EndpointForm) => boolean
  problemOf: (field: keyof EndpointForm) => string | undefined
  onChange: (changes: Partial<EndpointForm>) => void
}

/** Where it is, what it is told of, and what it is for. */
export function EndpointFields({ form, lacks, isChanged = () => false, problemOf, onChange }: Props) {
  const { t } = useLingui()
  const problem = problemOf('types')
  return (
    <>
      <section className="section">
        {lacks && <p className="note">{lacks}</p>}
        <Field
          label={t`Address`}
          type="url"
          inputMode="url"
          className="mono"
          maxLength={2_000}
          autoComplete="off"
          spellCheck={false}
          placeholder="https://erp.example.com/kontor"
          disabled={lacks !== undefined}
          value={form.url}
          edited={isChanged('url')}
          problem={problemOf('url')}
          hint={t`It begins with https:// and can be reached by everybody.`}
          onChange={({ target }) => onChange({ url: target.value })}
        />
        <Field
          label={t`Purpose`}
          maxLength={500}
          autoComplete="off"
          placeholder={t`Tells the warehouse what to pack`}
          disabled={lacks !== undefined}
          value={form.description}
          edited={isChanged('description')}
          problem={problemOf('description')}
          hint={t`So that you know in a year who listens there.`}
          onChange={({ target }) => onChange({ description: target.value })}
        />
      </section>
      <section className="section">
        <div className="section-head">
          <h2>{t`What it is told of`}</h2>
        </div>
        <TypeChoice types={form.types} lacks={lacks} onChange={(types) => onChange({ types })} />
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
      </section>
    </>
  )
}
