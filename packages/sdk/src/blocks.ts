import type { Block } from './generated/types.gen.ts'

type Blocks = readonly Pick<Block, 'id' | 'type' | 'value'>[]

/**
 * The value of a block; undefined if there is none. Of a text in several languages it is the one for `locale`, else one of
 * the same language, else the first that there is. `blockValue<number>(…)` says what you know of the schema.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the schema, the compiler cannot
export function blockValue<Value = unknown>(blocks: Blocks, id: string, locale?: string): Value | undefined {
  const block = blocks.find((block) => block.id === id)
  const value = block?.value ?? undefined
  if (block?.type !== 'TEXT' || typeof value !== 'object') return value as Value | undefined
  return pick(value as Record<string, string>, locale) as Value | undefined
}

/** The value as text, to be shown; empty if there is none. */
export function blockText(blocks: Blocks, id: string, locale?: string): string {
  const value = blockValue<string | number | boolean | string[] | object>(blocks, id, locale) ?? ''
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The text for `locale`, else one of the same language, else the first that there is. */
export function pick(texts: Record<string, string>, locale = ''): string | undefined {
  const [language = ''] = locale.split('-')
  const keys = Object.keys(texts)
  return texts[locale] ?? texts[language] ?? texts[keys.find((key) => key.startsWith(`${language}-`)) ?? keys[0] ?? '']
}
