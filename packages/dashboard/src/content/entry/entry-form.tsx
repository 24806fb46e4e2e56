import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { useLocaleName } from '../../categories/words.ts'
import { useBusiness } from '../../session/use-business.ts'
import type { Block, Collection, Entry } from '../queries.ts'
import { relationsQuery } from '../queries.ts'
import { BlockField } from './block-field.tsx'
import { type EntryForm as Form, fieldOf, isBlank, type problemOf, untranslated } from './form.ts'
import { useVariables } from './use-variables.ts'
import { useProblemWords } from './words.tsx'

type Wrong = { field: string; problem: NonNullable<ReturnType<typeof problemOf>> }
type Props = {
  collection: Collection
  /** Undefined: it is not made yet. */
  entry: Pick<Entry, 'id'> | undefined
  own: string
  locales: readonly string[]
  /** The language beside that of the entry; undefined: none. */
  beside: string | undefined
  form: Form
  changed: readonly string[]
  wrong: readonly Wrong[]
  isLocked: boolean
  refusalOf: (field: string) => string | undefined
  onChange: (field: string, value: unknown) => void
}

/** One form, made from the fields of the collection. Texts stand beside their translation. */
export function EntryForm(props: Props) {
  const { collection, entry, own, locales, beside, form, changed, wrong, isLocked, refusalOf, onChange } = props
  const { t } = useLingui()
  const business = useBusiness()
  const localeName = useLocaleName()
  const wordsOf = useProblemWords()
  const hasRelations = collection.blocks.some(({ type }) => type === 'RELATIONSHIP')
  const { data: related } = useQuery({
    ...relationsQuery(business.id, entry?.id ?? ''),
    enabled: hasRelations && entry !== undefined,
  })
  const variables = useVariables(collection)
  const field = (block: Block, locale: string | undefined) => {
    const key = fieldOf(block.id, locale)
    const problem = wrong.find((one) => one.field === key)?.problem
    const name = block.label || block.id
    const isOther = locale !== undefined && locale !== own
    const label = isOther ? t`${name} in ${localeName(locale)}` : name
    return (
      <BlockField
        block={block}
        name={label}
        label={
          <>
            {label}
            {block.required && !isOther && <RequiredSign block={block} isMissing={isBlank(form[key])} />}
          </>
        }
        lang={locale}
        value={form[key]}
        edited={changed.includes(key)}
        isRequired={block.required === true && !isOther}
        problem={problem ? wordsOf(problem, block) : refusalOf(key)}
        relations={related?.relations}
        variables={variables}
        {...{ isLocked }}
        onChange={(value) => onChange(key, value)}
      />
    )
  }
  return (
    <>
      {locales.length > 1 && <Languages {...{ collection, own, locales, beside, form }} />}
      <div className={`entry-form ${beside === undefined ? '' : 'two'}`}>
        {collection.blocks.map((block) => (
          <Fragment key={block.id}>
            {block.type === 'TEXT' ? (
              <>
                <div className={beside === undefined ? 'whole' : 'half'}>{field(block, own)}</div>
                {beside !== undefined && <div className="half">{field(block, beside)}</div>}
              </>
            ) : (
              <div className="whole other">{field(block, undefined)}</div>
            )}
          </Fragment>
        ))}
        {collection.blocks.length === 0 && <p className="soft">{t`The collection has no fields yet.`}</p>}
      </div>
    </>
  )
}

/** Fields tell it by themselves; a group of them has no other way to say it. */
const isGroup = ({ type }: Block) =>
  type === 'MULTI_SELECT' || type === 'MEDIA' || type === 'RELATIONSHIP' || type === 'GEO_LOCATION'

function RequiredSign({ block, isMissing }: { block: Block; isMissing: boolean }) {
  const { t } = useLingui()
  return (
    <span className={isMissing ? 'needed missing' : 'needed'} aria-hidden={isGroup(block) ? undefined : true}>
      {t`required`}
    </span>
  )
}

type LanguagesProps = Pick<Props, 'collection' | 'own' | 'locales' | 'beside' | 'form'>

/** Which language stands beside, and what each lacks. */
function Languages({ collection, own, locales, beside, form }: LanguagesProps) {
  const { t } = useLingui()
  const localeName = useLocaleName()
  const texts = collection.blocks.filter(({ type }) => type === 'TEXT')
  if (texts.length === 0) return null
  return (
    <nav className="segment entry-languages" aria-label={t`Languages`}>
      <Link
        to="."
        search={(now: object) => ({ ...now, locale: own })}
        replace
        aria-current={beside === undefined ? 'true' : undefined}
      >
        {t`${localeName(own)} only`}
      </Link>
      {locales
        .filter((locale) => locale !== own)
        .map((locale) => {
          const missing = untranslated(collection.blocks, form, own, locale).length
          const written = texts.filter(({ id }) => !isBlank(form[fieldOf(id, locale)])).length
          return (
            <Link
              key={locale}
              to="."
              search={(now: object) => ({ ...now, locale })}
              replace
              aria-current={beside === locale ? 'true' : undefined}
            >
              {t`with ${localeName(locale)}`}
              {missing > 0 && (written > 0 || beside === locale) && (
                <span className="badge wait">{t`${missing} missing`}</span>
              )}
            </Link>
          )
        })}
    </nav>
  )
}

/** The address says which language stands beside; else the first that has words already. */
export function besideOf(form: Form, own: string, locales: readonly string[], wanted: string | undefined) {
  if (wanted === own) return undefined
  if (wanted !== undefined && locales.includes(wanted)) return wanted
  const hasWords = (locale: string) =>
    Object.entries(form).some(([field, value]) => field.endsWith(`@${locale}`) && !isBlank(value))
  return locales.find((locale) => locale !== own && hasWords(locale))
}
