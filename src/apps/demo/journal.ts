import { type Article, TAGS, TOPICS } from '#demo/content/article.ts'
import { harbourArticles } from '#demo/content/harbour-articles.ts'
import { workshopArticles } from '#demo/content/workshop-articles.ts'
import { DAY_MS, HOUR_MS } from '#demo/time.ts'
import { catalogResolvers } from '#modules/catalog/index.ts'
import {
  contentResolvers,
  createCollection,
  createEntry,
  listCollections,
  type NewCollection,
} from '#modules/content/index.ts'
import { guardCollection } from '#modules/newsletter/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { NewBlock } from '#vocabulary/blocks.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Demo } from './demo.ts'
import { imageUrl } from './image-routes.ts'
import type { OnProgress, Outcome } from './make-demo.ts'
import { inThePast } from './past.ts'
import { readProductIds } from './products.ts'

const ARTICLES = [...workshopArticles, ...harbourArticles].sort((a, b) => a.day - b.day)

const COLLECTION: NewCollection = {
  name: 'Journal',
  slug: 'journal',
  description: 'Notes from the boathouse: who makes what we sell, how to look after it, and where we have been.',
  statuses: [{ status: 'PUBLISHED' }],
  blocks: [
    { id: 'title', type: 'TEXT', label: 'Title', required: true, settings: { maxLength: 200 } },
    { id: 'slug', type: 'TEXT', label: 'Slug', required: true, settings: { maxLength: 100 } },
    { id: 'summary', type: 'TEXT', label: 'Summary', settings: { maxLength: 400 } },
    { id: 'body', type: 'TEXT', label: 'Text', required: true, settings: { variant: 'HTML' } },
    { id: 'cover', type: 'MEDIA', label: 'Picture', settings: { accept: ['image/*'], maxItems: 1 } },
    { id: 'topic', type: 'SELECT', label: 'Topic', settings: { options: [...TOPICS] } },
    { id: 'tags', type: 'MULTI_SELECT', label: 'Tags', settings: { options: [...TAGS] } },
    { id: 'product', type: 'RELATIONSHIP', label: 'Product', settings: { targetType: 'PRODUCT' } },
    { id: 'date', type: 'DATE', label: 'Date' },
    { id: 'featured', type: 'BOOLEAN', label: 'On the front page' },
  ],
}

export const hasCollection = async ({ cell, business }: Demo, slug: string) =>
  (await listCollections(cell, { businessId: business.id, seesDrafts: true, seesActors: true }, { slug })).items
    .length > 0

/** One transaction: if the collection exists, so do its entries. */
export async function makeJournal(demo: Demo, onProgress: OnProgress): Promise<Outcome> {
  if (await hasCollection(demo, 'journal')) return { count: ARTICLES.length, made: 0 }
  const { cell, control, business, owner, startMs } = demo
  const productIds = await readProductIds(demo)
  const resolvers = { ...catalogResolvers(control), ...contentResolvers }
  await transaction(cell, async (tx) => {
    const collection = await inThePast(startMs + 29 * DAY_MS, () =>
      createCollection(tx, { businessId: business.id, actor: owner, guard: guardCollection }, COLLECTION),
    )
    for (const article of ARTICLES) {
      const timeMs = startMs + article.day * DAY_MS + 2 * HOUR_MS
      await inThePast(timeMs, () =>
        createEntry(
          tx,
          { business, actor: owner, seesOrders: true, resolvers },
          {
            collectionId: collection.id,
            locale: 'en',
            blocks: toBlocks(demo, article, toSeconds(new Date(timeMs)), productIds),
            statuses: [{ status: 'PUBLISHED' }],
          },
        ),
      )
    }
  })
  onProgress(ARTICLES.length, ARTICLES.length)
  return { count: ARTICLES.length, made: ARTICLES.length }
}

function toBlocks(
  { publicUrl }: Demo,
  { title, slug, summary, body, cover, topic, tags, product, isFeatured = false }: Article,
  date: number,
  productIds: ReadonlyMap<string, string>,
): NewBlock[] {
  const picture = { url: imageUrl(publicUrl, cover.motif, cover.seed), mimeType: 'image/svg+xml' }
  const productId = product === undefined ? undefined : productIds.get(product)
  return [
    { id: 'title', type: 'TEXT', value: title },
    { id: 'slug', type: 'TEXT', value: slug },
    { id: 'summary', type: 'TEXT', value: summary },
    { id: 'body', type: 'TEXT', value: body },
    { id: 'cover', type: 'MEDIA', value: picture },
    { id: 'topic', type: 'SELECT', value: topic },
    { id: 'tags', type: 'MULTI_SELECT', value: [...tags] },
    ...(productId === undefined ? [] : [{ id: 'product', type: 'RELATIONSHIP' as const, value: productId }]),
    { id: 'date', type: 'DATE', value: date },
    { id: 'featured', type: 'BOOLEAN', value: isFeatured },
  ]
}
