import { useLingui } from '@lingui/react/macro'
import { lazy, type ReactNode, Suspense, useId } from 'react'
import { secondsAt, wallClockOf } from '../../i18n/days.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Field, Select, TextField } from '../../ui/field.tsx'
import type { Block, Entry } from '../queries.ts'
import type { Variable } from '../rich-text/editor.tsx'
import { type MediaItem, type Place, textOf } from './form.ts'
import { MediaField } from './media-field.tsx'
import { RelationField } from './relation-field.tsx'

/** The text editor is large: only who has such a block waits for it. */
const RichText = lazy(() =>
  import('../rich-text/editor.tsx').then(({ RichText: component }) => ({ default: component })),
)

export type FieldProps = {
  block: Block
  /** Of a text. */
  lang?: string | undefined
  label: ReactNode
  /** The same in plain words, for what has no label of its own. */
  name: string
  value: unknown
  edited: boolean
  isRequired: boolean
  problem: string | undefined
  hint?: string | undefined
  isLocked: boolean
  relations?: Entry['relations']
  /** Of a letter. */
  variables?: readonly Variable[] | undefined
  onChange: (value: unknown) => void
}

/** One block, by its kind. */
export function BlockField(props: FieldProps) {
  const { block, label, name, value, edited, isRequired, problem, hint, isLocked, onChange } = props
  const { t } = useLingui()
  const { timeZone } = useBusiness()
  const id = useId()
  const { settings = {} } = block
  const around = { label, edited, problem, hint, disabled: isLocked, 'aria-required': isRequired || undefined }
  switch (block.type) {
    case 'TEXT':
      return <Text {...props} />
    case 'NUMBER':
      return (
        <Field
          {...around}
          inputMode="decimal"
          autoComplete="off"
          className="figure-input"
          value={textOf(value)}
          onChange={({ target }) => onChange(target.value)}
        />
      )
    case 'BOOLEAN':
      return (
        <Select
          {...around}
          value={typeof value === 'boolean' ? String(value) : ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.value === 'true')}
        >
          <option value="">–</option>
          <option value="true">{t`Yes`}</option>
          <option value="false">{t`No`}</option>
        </Select>
      )
    case 'DATE':
      return (
        <Field
          {...around}
          type="datetime-local"
          hint={hint ?? t`At the clock of ${timeZone}`}
          value={typeof value === 'number' ? wallClockOf(value, timeZone) : ''}
          onChange={({ target }) =>
            onChange(target.value === '' ? undefined : secondsAt(target.value.slice(0, 16), timeZone))
          }
        />
      )
    case 'SELECT':
      return (
        <Select {...around} value={textOf(value)} onChange={({ target }) => onChange(target.value)}>
          <option value="">–</option>
          {withGone(settings.options ?? [], [textOf(value)]).map((option) => (
            <option key={option}>{option}</option>
          ))}
        </Select>
      )
    case 'MULTI_SELECT': {
      const chosen = (value ?? []) as string[]
      const toggle = (option: string) =>
        onChange(chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option])
      return (
        <fieldset
          className={`options ${edited ? 'edited' : ''}`}
          disabled={isLocked}
          aria-describedby={problem && `${id}-problem`}
        >
          <legend className="label">{label}</legend>
          {withGone(settings.options ?? [], chosen).map((option) => (
            <label key={option} className="choice">
              <input
                type="checkbox"
                className="check"
                checked={chosen.includes(option)}
                onChange={() => toggle(option)}
              />
              <span>{option}</span>
            </label>
          ))}
          {problem && (
            <p className="problem" id={`${id}-problem`}>
              {problem}
            </p>
          )}
        </fieldset>
      )
    }
    case 'GEO_LOCATION': {
      const place = (value ?? { latitude: '', longitude: '' }) as Place
      const part = (key: keyof Place, words: string) => (
        <Field
          label={words}
          inputMode="decimal"
          autoComplete="off"
          edited={edited}
          disabled={isLocked}
          value={place[key]}
          onChange={({ target }) => {
            // `54.32, 10.13` as maps give it goes into both.
            const both = /^\s*(-?\d+(?:\.\d+)?)\s*[,;]\s*(-?\d+(?:\.\d+)?)\s*$/.exec(target.value)
            onChange(both ? { latitude: both[1], longitude: both[2] } : { ...place, [key]: target.value })
          }}
        />
      )
      return (
        <fieldset className="place">
          <legend className="label">{label}</legend>
          {part('latitude', t`North`)}
          {part('longitude', t`East`)}
          {(problem ?? hint) && <p className={problem ? 'problem' : 'note'}>{problem ?? hint}</p>}
        </fieldset>
      )
    }
    case 'MEDIA':
      return (
        <MediaField
          {...{ block, label, name, edited, problem, isLocked }}
          value={(value ?? []) as MediaItem[]}
          onChange={onChange}
        />
      )
    case 'RELATIONSHIP':
      return (
        <RelationField
          {...{ label, name, edited, problem, isLocked, onChange }}
          relations={props.relations}
          target={settings.targetType ?? 'PRODUCT'}
          value={textOf(value)}
        />
      )
    default:
      return null
  }
}

/** What was chosen once and is no choice any more stays to be seen. */
const withGone = (options: readonly string[], chosen: readonly string[]) => [
  ...new Set([...options, ...chosen.filter((one) => one !== '')]),
]

function Text(props: FieldProps) {
  const { block, lang, label, name, value, edited, isRequired, problem, hint, isLocked, variables, onChange } = props
  const { maxLength, variant } = block.settings ?? {}
  const text = textOf(value)
  if (variant === 'HTML')
    return (
      <Suspense fallback={<RichBones label={label} />}>
        <RichText
          {...{ label, name, lang, edited, isRequired, problem, hint, isLocked, variables }}
          value={text}
          onChange={onChange}
        />
      </Suspense>
    )
  const common = {
    label,
    edited,
    problem,
    hint,
    lang,
    'aria-required': isRequired || undefined,
    readOnly: isLocked,
    value: text,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  }
  return maxLength !== undefined && maxLength <= 200 && !text.includes('\n') ? (
    <Field {...common} autoComplete="off" />
  ) : (
    <TextField {...common} rows={maxLength !== undefined && maxLength <= 500 ? 2 : 4} />
  )
}

const RichBones = ({ label }: { label: ReactNode }) => (
  <div className="field" aria-busy="true">
    <span className="label">{label}</span>
    <div className="rich rich-bones">
      <span className="bone" />
    </div>
  </div>
)
