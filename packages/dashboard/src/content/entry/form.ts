import type { Body } from '@kontor/sdk'
import { type Item, toNewMedia } from '../../media/picture.ts'
import { isSame } from '../../merge/is-same.ts'
import type { Block, Entry } from '../queries.ts'

type NewBlock = NonNullable<Body<'updateEntry'>['blocks']>[number]
export type MediaItem = Item
export type Place = { latitude: string; longitude: string }

/**
 * An entry as it is typed, flat, so that each field is merged by itself. A text has one for each language, `<block>@<locale>`; the
 * other kinds have one, by the block's id. Undefined and empty: there is no value.
 */
export type EntryForm = Record<string, unknown>

export const fieldOf = (blockId: string, locale?: string) => (locale === undefined ? blockId : `${blockId}@${locale}`)

export function partsOf(field: string): { blockId: string; locale: string | undefined } {
  const [blockId = '', locale] = field.split('@')
  return { blockId, locale }
}

export const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

type Filled = Pick<Entry, 'locale' | 'blocks'>

const valueOf = ({ blocks }: Filled, id: string) => blocks.find((block) => block.id === id)?.value

/** The texts of a block by language. A plain string is in the language of the entry. */
export function textsOf(value: unknown, locale: string): Record<string, string> {
  if (typeof value === 'string') return { [locale]: value }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, string>) : {}
}

/** Every language that the business sells in or that the entry has words in; that of the entry first. */
export function localesOf(entry: Filled, locales: readonly string[]): string[] {
  const written = entry.blocks
    .filter(({ type }) => type === 'TEXT')
    .flatMap(({ value }) => Object.keys(textsOf(value, entry.locale)))
  return [...new Set([entry.locale, ...locales, ...written])]
}

export function toForm(schema: readonly Block[], entry: Filled, locales: readonly string[]): EntryForm {
  const form: EntryForm = {}
  for (const { id, type } of schema) {
    const value = valueOf(entry, id) ?? undefined
    if (type !== 'TEXT') form[id] = toField(type, value)
    else for (const locale of locales) form[fieldOf(id, locale)] = textsOf(value, entry.locale)[locale] ?? ''
  }
  return form
}

/** A value of another kind than the field's, left from an earlier schema, is shown as none. */
function toField(type: Block['type'], value: unknown): unknown {
  switch (type) {
    case 'NUMBER':
      return typeof value === 'number' ? String(value) : ''
    case 'BOOLEAN':
      return typeof value === 'boolean' ? value : undefined
    case 'DATE':
      return typeof value === 'number' ? value : undefined
    case 'RELATIONSHIP':
    case 'SELECT':
      return typeof value === 'string' ? value : ''
    case 'MULTI_SELECT':
      return Array.isArray(value) ? value : []
    case 'MEDIA':
      return Array.isArray(value) ? value : value === undefined ? [] : [value]
    case 'GEO_LOCATION': {
      const { latitude = '', longitude = '' } = (value ?? {}) as { latitude?: number; longitude?: number }
      return { latitude: String(latitude), longitude: String(longitude) }
    }
    default:
      return value
  }
}

export type FieldProblem = 'number' | 'bounds' | 'place' | 'long' | 'url'

/** `12,5` and `12.5`. */
const numberOf = (text: string) => Number(text.trim().replace(',', '.'))
const isNumber = (text: string) => /^-?\d+([.,]\d+)?(e[+-]?\d+)?$/i.test(text.trim())

/** What the service would refuse of a field. What is empty is never wrong; whether it may be is another question. */
export function problemOf({ type, settings = {} }: Block, value: unknown): FieldProblem | undefined {
  if (isBlank(value)) return undefined
  switch (type) {
    case 'TEXT':
      return Array.from(textOf(value)).length > (settings.maxLength ?? 100_000) ? 'long' : undefined
    case 'NUMBER': {
      const text = textOf(value)
      const { min = -Infinity, max = Infinity, integer = false } = settings
      if (!isNumber(text) || (integer && !Number.isInteger(numberOf(text)))) return 'number'
      return numberOf(text) < min || numberOf(text) > max ? 'bounds' : undefined
    }
    case 'GEO_LOCATION': {
      const { latitude, longitude } = value as Place
      const isRight = (text: string, most: number) => isNumber(text) && Math.abs(numberOf(text)) <= most
      return isRight(latitude, 90) && isRight(longitude, 180) ? undefined : 'place'
    }
    case 'MEDIA':
      return (value as MediaItem[]).every(({ url, mediaId }) => mediaId || isAddress(url)) ? undefined : 'url'
    default:
      return undefined
  }
}

const isAddress = (url: string) => /^https?:\/\/[^\s/?#"<>\\][^\s"<>\\]*$/.test(url)

export function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.values(value).every((part) => part === '')
}

/** The fields of a block: one, or one for each language. */
export const fieldsOf = ({ id, type }: Block, form: EntryForm): string[] =>
  type === 'TEXT' ? Object.keys(form).filter((field) => partsOf(field).blockId === id) : [id]

/** Required blocks without any value, by the service's own rule: a text in one language is enough. */
export const missingOf = (schema: readonly Block[], form: EntryForm): Block[] =>
  schema.filter((block) => block.required && fieldsOf(block, form).every((field) => isBlank(form[field])))

/** Texts that this language lacks and the entry's own has. */
export const untranslated = (schema: readonly Block[], form: EntryForm, own: string, locale: string): Block[] =>
  schema.filter(
    ({ id, type }) => type === 'TEXT' && !isBlank(form[fieldOf(id, own)]) && isBlank(form[fieldOf(id, locale)]),
  )

/**
 * The blocks to write, by the schema of today. What was not touched is sent exactly as it was stored; what the schema no longer
 * has is left out, as the service would refuse it.
 */
export function toBlocks(schema: readonly Block[], entry: Filled, base: EntryForm, mine: EntryForm): NewBlock[] {
  return schema.flatMap((block) => {
    const { id, type } = block
    const stored = entry.blocks.find((one) => one.id === id)
    const isTouched = fieldsOf(block, mine).some((field) => !isSame(base[field], mine[field]))
    if (!isTouched && stored?.type === type)
      return stored.value === undefined ? [] : [{ id, type, value: stored.value }]
    const value = type === 'TEXT' ? toTexts(block, entry.locale, stored?.value, mine) : fromField(block, mine[id])
    return value === undefined ? [] : [{ id, type, value }]
  })
}

function toTexts(block: Block, own: string, stored: unknown, mine: EntryForm): unknown {
  const texts = fieldsOf(block, mine)
    .map((field) => [partsOf(field).locale ?? own, textOf(mine[field])] as const)
    .filter(([, text]) => text !== '')
  if (texts.length === 0) return undefined
  const isOne = texts.length === 1 && texts[0]?.[0] === own
  // A block that was written by language stays so: shops may count on it.
  return isOne && typeof stored !== 'object' ? texts[0]?.[1] : Object.fromEntries(texts)
}

function fromField({ type, settings }: Block, value: unknown): unknown {
  if (isBlank(value)) return undefined
  if (type === 'NUMBER') return numberOf(textOf(value))
  if (type === 'GEO_LOCATION') {
    const { latitude, longitude } = value as Place
    return { latitude: numberOf(latitude), longitude: numberOf(longitude) }
  }
  if (type === 'MEDIA') {
    const items = (value as MediaItem[]).map(toNewMedia)
    return settings?.maxItems === 1 ? items[0] : items
  }
  return value
}

/** Values that the schema no longer has a field for, or one of another kind: they go when the entry is saved. */
export const orphansOf = (schema: readonly Block[], entry: Filled): Block[] =>
  entry.blocks.filter(
    ({ id, type, value }) =>
      !isBlank(value ?? undefined) && !schema.some((block) => block.id === id && block.type === type),
  )
