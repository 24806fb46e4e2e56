import type { Block, Entry } from './queries.ts'

type Titled = Pick<Entry, 'id' | 'locale' | 'blocks'>

/** A text block's words in this language, else in any that has them. */
export function textOf(value: unknown, locale: string): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  const texts = value as Record<string, unknown>
  const found = [texts[locale], ...Object.values(texts)].find((text) => typeof text === 'string' && text !== '')
  return typeof found === 'string' ? found : ''
}

const isPlain = ({ type, settings }: Block) => type === 'TEXT' && settings?.variant !== 'HTML'

/** What a person knows an entry by: its first plain text that is not empty. Empty: there is none. */
export function titleOf({ blocks, locale }: Titled, schema: readonly Block[] = blocks): string {
  const first = schema.filter(isPlain).map(({ id }) => blocks.find((block) => block.id === id)?.value)
  return first.map((value) => textOf(value, locale).trim()).find(Boolean) ?? ''
}
