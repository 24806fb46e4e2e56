import { blockText } from '@kontor/sdk'
import type { Letter } from './types.ts'

const MAX_TITLE = 200

/** As the service finds the subject: the block of that name, else the title, else the first text. */
export function subjectOf({ blocks, locale }: Pick<Letter, 'blocks' | 'locale'>): string {
  const texts = blocks.filter(({ type }) => type === 'TEXT').map(({ id }) => id)
  const ids = ['subject', 'title', ...texts].filter((id) => texts.includes(id))
  const text = ids.map((id) => blockText(blocks, id, locale)).find((one) => one.trim() !== '') ?? ''
  return text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_TITLE)
}
