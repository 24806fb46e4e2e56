import { currentOf, HISTORY, hideActors } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Product, Variant } from './product.ts'

/** Stands in a stored document where stock goes. JSON escapes this character, so it cannot come from anybody's text. */
const GAP = '\u0001'

/**
 * The answer to a read, ready to be sent but for the stock. Whatever is in it is public wherever the product is, but for who has
 * changed its status. Its history comes after all stock and before what others may give names to: `toAnswer` relies on it.
 */
export function toDocument(product: Product): string {
  const { id, businessId, name, slug, description, category, gallery, statuses, blocks } = product
  const head = JSON.stringify({ id, businessId, name, slug, description, category, gallery })
  const tail = JSON.stringify({
    statuses,
    blocks,
    createdAt: toSeconds(product.createdAt),
    updatedAt: toSeconds(product.updatedAt),
  })
  return `${head.slice(0, -1)},"variants":[${product.variants.map(toVariant).join(',')}],${tail.slice(1)}`
}

function toVariant(variant: Variant): string {
  const { id, name, sku, attributes, prices, gallery, tracked, lowStockThreshold, maxPerOrder } = variant
  const head = JSON.stringify({ id, name, sku, attributes, pricing: { markets: prices } })
  const threshold = lowStockThreshold === null ? '' : `,"lowStockThreshold":${lowStockThreshold}`
  const most = maxPerOrder === null ? '' : `,"maxPerOrder":${maxPerOrder}`
  const inventory = `{"tracked":${tracked},"quantity":${GAP}${threshold}${most}}`
  return `${head.slice(0, -1)},"inventory":${inventory},"gallery":${JSON.stringify(gallery)}}`
}

/**
 * `quantities` as the database hands them out: comma-separated in the order of the variants; null when there are none. Only
 * who may write products is told who did (`isForWriters`).
 */
export function toAnswer(document: string, quantities: string | null, isForWriters: boolean): string {
  const rest = (text: string) => (isForWriters ? text : hideActors(text, text.indexOf(HISTORY)))
  if (quantities === null) return rest(document)
  const values = quantities.split(',')
  let text = ''
  let from = 0
  for (const value of values) {
    const gap = document.indexOf(GAP, from)
    if (gap === -1) break
    text += document.slice(from, gap) + value
    from = gap + 1
  }
  text += rest(document.slice(from))
  if (from === 0 || text.includes(GAP))
    throw new Error('A stored document has not as many gaps as there is stock for it')
  return text
}

export const statusOf = (product: Product) => currentOf(product.statuses)
