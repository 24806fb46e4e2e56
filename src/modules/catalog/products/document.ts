import { HISTORY, hideActors } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Product, Variant } from './product.ts'

/** Placeholder for stock in a stored document. JSON escapes this character, so no user's text can contain it. */
const STOCK_PLACEHOLDER = '\u0001'

/**
 * The response body of a read, serialised in advance, with placeholders for stock. All of it is public when the product
 * is, except who changed its status. The status history comes after all stock and before any block: `toAnswer` relies
 * on this order.
 */
export function toDocument(product: Product): string {
  const { variants, statuses, blocks, version: _version, createdAt, updatedAt, ...fields } = product
  const head = JSON.stringify(withoutNulls(fields))
  const tail = JSON.stringify({ statuses, blocks, createdAt: toSeconds(createdAt), updatedAt: toSeconds(updatedAt) })
  return `${head.slice(0, -1)},"variants":[${variants.map(toVariant).join(',')}],${tail.slice(1)}`
}

function toVariant(variant: Variant): string {
  const { prices, gallery, tracked, lowStockThreshold, maxPerOrder, ...fields } = variant
  const head = JSON.stringify({ ...withoutNulls(fields), pricing: { markets: prices } })
  const threshold = lowStockThreshold === null ? '' : `,"lowStockThreshold":${lowStockThreshold}`
  const most = maxPerOrder === null ? '' : `,"maxPerOrder":${maxPerOrder}`
  const inventory = `{"tracked":${tracked},"quantity":${STOCK_PLACEHOLDER}${threshold}${most}}`
  return `${head.slice(0, -1)},"inventory":${inventory},"gallery":${JSON.stringify(gallery)}}`
}

/** Columns that are null are left out of the response. */
const withoutNulls = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/**
 * Fills stock into a stored document. `quantities` are comma-separated, in the order of the variants, and null when
 * there are none. Only those who may write products (`isForWriters`) see who changed the status.
 */
export function toAnswer(document: string, quantities: string | null, isForWriters: boolean): string {
  const rest = (text: string) => (isForWriters ? text : hideActors(text, text.indexOf(HISTORY)))
  if (quantities === null) return rest(document)
  const values = quantities.split(',')
  let text = ''
  let from = 0
  for (const value of values) {
    const at = document.indexOf(STOCK_PLACEHOLDER, from)
    if (at === -1) break
    text += document.slice(from, at) + value
    from = at + 1
  }
  text += rest(document.slice(from))
  if (from === 0 || text.includes(STOCK_PLACEHOLDER))
    throw new Error('A stored document has not as many gaps as there is stock for it')
  return text
}
