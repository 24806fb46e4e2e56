import { useLingui } from '@lingui/react/macro'
import { TextField } from '../../ui/field.tsx'
import { useLocaleName } from '../words.tsx'
import { altField } from './fields.ts'
import type { useFile } from './use-file.ts'

type Props = { form: ReturnType<typeof useFile>; locales: readonly string[] }

/** What the picture shows, in the words of each language, side by side with what is missing. */
export function AltTexts({ form, locales }: Props) {
  const { t } = useLingui()
  const localeName = useLocaleName()
  const textOf = (locale: string) => (form.value[altField(locale)] as string | undefined) ?? ''
  const [known = ''] = locales.map(textOf).filter((text) => text.trim())
  const missing = locales.filter((locale) => !textOf(locale).trim())
  return (
    <section className="section" aria-labelledby="alt-texts">
      <div className="section-head">
        <h2 id="alt-texts">{t`Alt text`}</h2>
        {missing.length > 0 ? (
          <span className="note wait-text">{t`missing: ${missing.map(localeName).join(', ')}`}</span>
        ) : (
          <span className="note good-text">{t`complete`}</span>
        )}
      </div>
      <div className="alt-texts">
        {locales.map((locale) => (
          <TextField
            key={locale}
            label={localeName(locale)}
            lang={locale}
            rows={2}
            maxLength={1_000}
            placeholder={known || t`What is to be seen, for those who do not see it`}
            edited={form.changed.includes(altField(locale))}
            problem={form.problemOf(altField(locale))}
            value={textOf(locale)}
            onChange={(event) => form.change(altField(locale), event.target.value)}
          />
        ))}
      </div>
    </section>
  )
}
