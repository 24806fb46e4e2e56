import { blockValue, type Entry } from '@kontor/sdk'
import { kontor, useBusiness } from './kontor.ts'
import { keep, readKept } from './storage.ts'
import { createStore, useStore } from './store.ts'
import { useLoad } from './use-load.ts'

export const useCollections = () =>
  useLoad('collections', async () => (await kontor.collections.list({ limit: 100 })).items)

/** The collection whose entries are the journal: by its slug, else the first that is no newsletter. */
export function useJournal() {
  const collections = useCollections()
  const plain = collections.value?.filter(({ type }) => type !== 'NEWSLETTER')
  return { ...collections, value: plain?.find(({ slug }) => slug === 'journal') ?? plain?.[0] }
}

const chosenLanguage = createStore(readKept('language', ''))

export function chooseLanguage(locale: string) {
  keep('language', locale)
  chosenLanguage.set(locale)
}

/** What the journal is read in: as chosen, else as the browser says, else the business's own. */
export function useLanguage() {
  const chosen = useStore(chosenLanguage)
  const { locales = [], defaultLocale = '' } = useBusiness().value ?? {}
  const [spoken = ''] = navigator.language.split('-')
  return {
    locales,
    language: [chosen, navigator.language, spoken].find((each) => locales.includes(each)) ?? defaultLocale,
  }
}

type Media = { url: string }

const isHtml = (block: Entry['blocks'][number]) => block.settings?.variant === 'HTML'

const isIn = (blocks: Entry['blocks'], language: string) =>
  blocks.some(({ type, value }) => type === 'TEXT' && typeof value === 'object' && value !== null && language in value)

/** For the address. A collection need not have a block for it: then it is the id. */
export const slugOf = ({ blocks }: Entry) => {
  const value: unknown = blockValue(blocks, 'slug')
  return typeof value === 'string' ? value : ''
}

/** By its slug; or by its id, as older links have it. */
export async function findEntry(collectionId: string, name: string): Promise<Entry> {
  const { items } = await kontor.entries.list({ collectionId, 'block.slug': name, limit: 1 })
  return items[0] ?? kontor.entries.get(name)
}

/** An entry as an article: known ids first, else the first block that can be it. */
export function articleOf(entry: Entry, language: string) {
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
    image: (Array.isArray(media) ? media[0] : media)?.url,
    at: typeof date === 'number' ? date : createdAt,
    productIds: blocks.flatMap(({ type, settings, value }) =>
      type === 'RELATIONSHIP' && settings?.targetType === 'PRODUCT' && typeof value === 'string' ? [value] : [],
    ),
  }
}

export const dayOf = (seconds: number) =>
  new Date(seconds * 1_000).toLocaleDateString(navigator.language, { day: 'numeric', month: 'long', year: 'numeric' })
