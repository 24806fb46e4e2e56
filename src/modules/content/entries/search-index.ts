import type { Block } from '#vocabulary/blocks.ts'
import { toTerms, type Weight, wordsOf } from '#vocabulary/search-words.ts'

/** Longer texts can be searched, but not compared. */
export const MAX_VALUE_LENGTH = 200

export type EntryValue = { blockId: string; value: string }

const asNumber = (number: number) => `n:${number === 0 ? 0 : number}` // −0 is 0
const asText = (text: string) => `t:${text}`

/** The distinct values that an entry can be filtered by. */
export function valuesOf(blocks: readonly Block[]): EntryValue[] {
  const found = new Map<string, EntryValue>()
  for (const block of blocks) {
    for (const value of comparable(block)) found.set(`${block.id} ${value}`, { blockId: block.id, value })
  }
  return [...found.values()]
}

function comparable({ type, settings, value }: Block): string[] {
  if (value === undefined || value === null || type === 'MEDIA' || type === 'GEO_LOCATION') return []
  if (type === 'TEXT' && settings?.variant === 'HTML') return []
  const parts = typeof value === 'object' ? Object.values(value) : [value]
  return parts.flatMap((part) => {
    if (typeof part === 'number') return [asNumber(part)]
    const text = String(part)
    return text.length <= MAX_VALUE_LENGTH ? [asText(text)] : []
  })
}

/** All ways in which a value of a query may be stored: the type of the block, which is not known here, decides. */
export function candidatesOf(text: string): string[] {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(number) ? [asText(text), asNumber(number)] : [asText(text)]
}

/** Terms for full-text search. Weights: A the first text, B choices, C other short texts and numbers, D long texts. */
export function termsOf(blocks: readonly Block[]): { terms: string; words: string[] } {
  const title = blocks.find(({ type }) => type === 'TEXT')
  const weigh = (block: Block): Weight => {
    if (block === title) return 'A'
    if (block.type === 'SELECT' || block.type === 'MULTI_SELECT') return 'B'
    return textsOf(block).some((text) => text.length > MAX_VALUE_LENGTH) ? 'D' : 'C'
  }
  const weighed = blocks.map((block) => ({ block, weight: weigh(block) }))
  const ordered = weighed.toSorted((a, b) => a.weight.localeCompare(b.weight))
  return toTerms(wordsByWeight(ordered))
}

function* wordsByWeight(weighed: readonly { block: Block; weight: Weight }[]) {
  for (const { block, weight } of weighed) {
    for (const text of textsOf(block)) yield [weight, wordsOf(text)] as const
  }
}

function textsOf({ type, settings, value }: Block): string[] {
  if (value === undefined || value === null) return []
  if (typeof value === 'number') return type === 'NUMBER' ? [String(value)] : []
  if (type !== 'TEXT' && type !== 'SELECT' && type !== 'MULTI_SELECT') return []
  const texts = (typeof value === 'object' ? Object.values(value) : [value]) as string[]
  return settings?.variant === 'HTML' ? texts.map(withoutTags) : texts
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }

/** Strips tags from sanitised HTML, where every `<` that is not a tag is escaped. */
const withoutTags = (html: string) =>
  html.replace(/<[^>]*>/g, ' ').replace(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity)
