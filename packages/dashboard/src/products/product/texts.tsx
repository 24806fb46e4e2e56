import type { Product } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useBusiness } from '../../session/use-business.ts'
import { Field, TextField as LongField } from '../../ui/field.tsx'
import { type Edits, fieldOf, TEXT_FIELDS, type TextField, valueOf } from './edits.ts'
import type { EditsOf } from './use-edits.ts'
import { languageOf } from './use-words.ts'

type Props = {
  product: Product
  edited: EditsOf
  /** The language that is shown. */
  locale: string
  onLocale: (locale: string) => void
  isNew: boolean
}

/** What has to be there in every language. */
const NEEDED: TextField[] = ['name', 'description']

/** The texts in each language, with what the default one says beside what is missing. */
export function Texts({ product, edited, locale, onLocale, isNew }: Props) {
  const { t } = useLingui()
  const { defaultLocale } = useBusiness()
  const { edits, change } = edited
  const isDefault = locale === defaultLocale
  const fieldIn = (field: TextField) => (isDefault ? field : fieldOf.text(locale, field))
  const bind = (field: TextField) => ({
    value: valueOf(product, edits, fieldIn(field)) as string,
    edited: fieldIn(field) in edits && !isNew,
    onChange: (event: { target: { value: string } }) => change({ [fieldIn(field)]: event.target.value }),
  })
  const original = (field: TextField) => {
    const text = valueOf(product, edits, field) as string
    return isDefault || !text ? undefined : `${languageOf(defaultLocale)}: “${cut(text)}”`
  }
  return (
    <section className="section" aria-label={t`Texts`}>
      <Languages {...{ product, edits, locale, onLocale, isNew }} />
      <div className="two" lang={locale}>
        <Field
          label={t`Name`}
          maxLength={200}
          required={isDefault}
          autoFocus={isNew && isDefault}
          autoComplete="off"
          hint={original('name')}
          {...bind('name')}
        />
        <Field
          label={t`Address`}
          maxLength={100}
          autoComplete="off"
          placeholder={t`made from the name`}
          hint={original('slug')}
          {...bind('slug')}
        />
        <div className="wide">
          <LongField
            label={t`Description`}
            rows={3}
            maxLength={100_000}
            hint={original('description')}
            {...bind('description')}
          />
        </div>
        <details
          className="wide"
          open={TEXT_FIELDS.some((field) => field.startsWith('seo') && fieldIn(field) in edits)}
        >
          <summary>
            <Trans>For search engines</Trans>
          </summary>
          <div className="two">
            <div className="wide">
              <Field
                label={t`Title`}
                maxLength={200}
                placeholder={t`the name`}
                hint={original('seo.title')}
                {...bind('seo.title')}
              />
            </div>
            <div className="wide">
              <LongField
                label={t`Text`}
                rows={2}
                maxLength={1_000}
                placeholder={t`the beginning of the description`}
                hint={original('seo.description')}
                {...bind('seo.description')}
              />
            </div>
          </div>
        </details>
      </div>
    </section>
  )
}

const cut = (text: string) => (text.length > 120 ? `${text.slice(0, 120)}…` : text)

type LanguagesProps = {
  product: Product
  edits: Edits
  locale: string
  onLocale: (locale: string) => void
  isNew: boolean
}

function Languages({ product, edits, locale, onLocale, isNew }: LanguagesProps) {
  const { t } = useLingui()
  const { locales, defaultLocale } = useBusiness()
  const all = [...new Set([defaultLocale, ...locales, ...Object.keys(product.translations)])]
  if (all.length < 2) return null
  const stateOf = (one: string) => {
    const fieldIn = (field: TextField) => (one === defaultLocale ? field : fieldOf.text(one, field))
    const lacking = NEEDED.filter((field) => !(valueOf(product, edits, fieldIn(field)) as string).trim())
    if (TEXT_FIELDS.some((field) => fieldIn(field) in edits) && !isNew) return { word: t`edited`, tone: 'wait' }
    if (lacking.length === NEEDED.length && one !== defaultLocale) return { word: t`empty`, tone: '' }
    if (lacking.includes('description') && valueOf(product, edits, 'description'))
      return { word: t`no description`, tone: '' }
    return lacking.includes('name') && one !== defaultLocale ? { word: t`no name`, tone: '' } : undefined
  }
  return (
    <div className="segment langs" role="radiogroup" aria-label={t`Language`}>
      {all.map((one) => {
        const state = stateOf(one)
        return (
          <label key={one}>
            <input type="radio" name="language" checked={one === locale} onChange={() => onLocale(one)} />
            {languageOf(one)}
            {state && <span className={`badge ${state.tone}`}>{state.word}</span>}
          </label>
        )
      })}
    </div>
  )
}
