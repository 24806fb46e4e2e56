import type { Answer } from '@kontor/sdk'
import { Plural, useLingui } from '@lingui/react/macro'
import { useMemo } from 'react'
import { isSame } from '../../merge/is-same.ts'
import { fieldOf, isBlank, partsOf, textOf, textsOf } from '../entry/form.ts'
import { useFieldName } from '../entry/use-entry.ts'
import { plainOf, useShownValue } from '../entry/words.tsx'
import type { Block } from '../queries.ts'
import { differencesOf } from './differences.ts'

type Version = Answer<'getEntryVersion'>

/** Every value by its field; a text has one for each language. */
function valuesOf({ blocks, locale }: Version): Map<string, unknown> {
  return new Map(
    blocks.flatMap(({ id, type, value }): [string, unknown][] => {
      if (isBlank(value ?? undefined)) return []
      if (type === 'TEXT') return Object.entries(textsOf(value, locale)).map(([tag, text]) => [fieldOf(id, tag), text])
      return [[id, type === 'MEDIA' && !Array.isArray(value) ? [value] : value]]
    }),
  )
}

type Props = { before: Version; after: Version; schema: readonly Block[] }

/** Field by field, what was and what is; inside of a text the words that changed. */
export function Comparison({ before, after, schema }: Props) {
  const { t } = useLingui()
  const known = [...after.blocks, ...before.blocks.filter(({ id }) => !after.blocks.some((one) => one.id === id))]
  const order = [...schema.map(({ id }) => id), ...known.map(({ id }) => id)]
  const nameOf = useFieldName({ blocks: known }, after.locale)
  const [was, is] = [valuesOf(before), valuesOf(after)]
  const fields = [...new Set([...was.keys(), ...is.keys()])].sort(
    (one, other) => order.indexOf(partsOf(one).blockId) - order.indexOf(partsOf(other).blockId),
  )
  const changed = fields.filter((field) => !isSame(was.get(field), is.get(field)))
  const isRich = (field: string) => known.find(({ id }) => id === partsOf(field).blockId)?.settings?.variant === 'HTML'
  const isText = (field: string) => partsOf(field).locale !== undefined
  return (
    <section aria-label={t`What changed`}>
      <p className="soft compare-head">
        {t`Version ${before.number} to version ${after.number}`}:{' '}
        {changed.length === 0 ? (
          t`the same texts and values`
        ) : (
          <Plural value={changed.length} one="# field changed" other="# fields changed" />
        )}
        {before.status !== after.status && <>, {t`another status`}</>}
      </p>
      {changed.map((field) => (
        <section key={field} className="section compared">
          <h2>{nameOf(field)}</h2>
          {isText(field) ? (
            <TextChange before={textOf(was.get(field))} after={textOf(is.get(field))} isRich={isRich(field)} />
          ) : (
            <ValueChange blocks={known} {...{ field }} before={was.get(field)} after={is.get(field)} />
          )}
        </section>
      ))}
      {fields.length > changed.length && (
        <p className="note section">
          {t`Unchanged: ${fields
            .filter((field) => !changed.includes(field))
            .map((field) => nameOf(field))
            .join(', ')}.`}
        </p>
      )}
    </section>
  )
}

function TextChange({ before, after, isRich }: { before: string; after: string; isRich: boolean }) {
  const { t } = useLingui()
  const pieces = useMemo(
    () => (isRich ? differencesOf(linesOf(before), linesOf(after)) : differencesOf(before, after)),
    [before, after, isRich],
  )
  const isOnlyLook = isRich && pieces.every(({ is }) => is === 'same')
  return (
    <>
      <p className="diff">
        {pieces.map(({ is, text }, index) => {
          const key = `${index}-${is}`
          if (is === 'gone') return <del key={key}>{text}</del>
          return is === 'new' ? <ins key={key}>{text}</ins> : <span key={key}>{shortened(text)}</span>
        })}
      </p>
      {isOnlyLook && <p className="note">{t`Only its look changed: the words are the same.`}</p>}
    </>
  )
}

/** A line for each paragraph, so that what is compared is what one reads. */
const linesOf = (html: string) =>
  html
    .split(/<\/(?:p|li|h\d|tr|div|blockquote|pre)>|<br \/>|<hr \/>/)
    .map((part) => plainOf(part))
    .filter(Boolean)
    .join('\n')

const LONG = 600
/** Much that stayed the same is left out between what changed. */
const shortened = (text: string) =>
  text.length > LONG ? `${text.slice(0, LONG / 2)} … ${text.slice(-LONG / 2)}` : text

type ValueProps = { blocks: readonly Block[]; field: string; before: unknown; after: unknown }

function ValueChange({ blocks, field, before, after }: ValueProps) {
  const show = useShownValue(blocks)
  return (
    <p className="diff">
      {!isBlank(before) && <del>{show(before, field)}</del>} {!isBlank(after) && <ins>{show(after, field)}</ins>}
    </p>
  )
}
