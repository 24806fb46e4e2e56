import { blockValue, type KontorError, type Media, type PublicCollection, type PublicEntry } from '@kontor/sdk'
import { kontor } from './kontor.ts'
import { useLoad } from './use-load.ts'

/** What the shop has written, and what it sends: both are found by their slugs. */
export const useJournal = () => useCollection('journal')
export const useLetters = () => useCollection('harbour-letter')

/** Undefined if the business has none. */
const useCollection = (slug: string) =>
  useLoad(`collection:${slug}`, async (): Promise<{ found: PublicCollection | undefined }> => {
    try {
      return { found: await kontor.storefront.collection(slug) }
    } catch (error) {
      if ((error as KontorError).status === 404) return { found: undefined }
      throw error
    }
  })

const isHtml = (block: PublicEntry['blocks'][number]) => block.settings?.variant === 'HTML'

const isIn = (blocks: PublicEntry['blocks'], language: string) =>
  blocks.some(({ type, value }) => type === 'TEXT' && typeof value === 'object' && value !== null && language in value)

/** For the address. A collection need not have a block for it: then it is the id. */
export const slugOf = ({ blocks }: PublicEntry) => {
  const value: unknown = blockValue(blocks, 'slug')
  return typeof value === 'string' ? value : ''
}

/** By its slug; or by its id, as older links have it. */
export async function findEntry(collectionId: string, name: string, preview?: string | null): Promise<PublicEntry> {
  if (preview) return kontor.storefront.entries.get(name, { preview })
  const { items } = await kontor.storefront.entries.list({ collectionId, 'block.slug': name, limit: 1 })
  return items[0] ?? kontor.storefront.entries.get(name)
}

/** An entry as an article: known ids first, else the first block that can be it. */
export function articleOf(entry: PublicEntry, language: string) {
  const { id, blocks, locale, createdAt } = entry
  const text = (blockId: string | undefined) => {
    const value: unknown = blockId === undefined ? undefined : blockValue(blocks, blockId, language)
    return typeof value === 'string' ? value : ''
  }
  const plain = blocks.filter((block) => block.type === 'TEXT' && !isHtml(block))
  const media = blocks.find(({ type }) => type === 'MEDIA')?.value as Media | Media[] | undefined
  const date: unknown = blockValue(blocks, 'date', language)
  return {
    id,
    href: `/journal/${encodeURIComponent(slugOf(entry) || id)}`,
    /** Not every text is there in every language. */
    locale: isIn(blocks, language) ? language : locale,
    title: text('title') || text(plain[0]?.id),
    summary: text('summary') || text('excerpt') || text('intro'),
    author: text('author'),
    html: text(blocks.find(isHtml)?.id),
    image: Array.isArray(media) ? media[0] : media,
    at: typeof date === 'number' ? date : createdAt,
    productIds: blocks.flatMap(({ type, settings, value }) =>
      type === 'RELATIONSHIP' && settings?.targetType === 'PRODUCT' && typeof value === 'string' ? [value] : [],
    ),
  }
}

export const dayOf = (seconds: number) =>
  new Date(seconds * 1_000).toLocaleDateString(navigator.language, { day: 'numeric', month: 'long', year: 'numeric' })
