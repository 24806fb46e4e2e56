import { now } from '#platform/clock.ts'
import { HISTORY, hideActors } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { holdingFirst } from './prices.ts'
import { type MarketPrice, optionsOf, type Product, type Variant } from './product.ts'

/** Placeholder for stock in a stored document. JSON escapes these characters, so no user's text can contain them. */
const STOCK_PLACEHOLDER = '\u0001'
/** What stands between these is for those who may write products. */
const HIDDEN = '\u0002'
const SHOWN = '\u0003'

/**
 * The response body of a read, serialised in advance, with placeholders for stock. All of it is public when the product
 * is, except planned prices and who changed its status. The status history comes after all stock and before any block: `toAnswer` relies
 * on this order.
 */
export function toDocument(product: Product, at = now()): string {
  const {
    variants,
    statuses,
    blocks,
    version: _version,
    pricesChangeAt: _next,
    createdAt,
    updatedAt,
    ...fields
  } = product
  const options = optionsOf(variants.map(({ attributes }) => attributes))
  const head = JSON.stringify({ ...withoutNulls(fields), options })
  const tail = JSON.stringify({ statuses, blocks, createdAt: toSeconds(createdAt), updatedAt: toSeconds(updatedAt) })
  return `${head.slice(0, -1)},"variants":[${variants.map((variant) => toVariant(variant, toSeconds(at))).join(',')}],${tail.slice(1)}`
}

function toVariant(variant: Variant, atSeconds: number): string {
  const { prices, gallery, tracked, lowStockThreshold, maxPerOrder, ...fields } = variant
  const head = JSON.stringify(withoutNulls(fields)).slice(0, -1)
  const threshold = lowStockThreshold === null ? '' : `,"lowStockThreshold":${lowStockThreshold}`
  const most = maxPerOrder === null ? '' : `,"maxPerOrder":${maxPerOrder}`
  const inventory = `{"tracked":${tracked},"quantity":${STOCK_PLACEHOLDER}${threshold}${most}}`
  return `${head},"pricing":${toPricing(prices, atSeconds)},"inventory":${inventory},"gallery":${JSON.stringify(gallery)}}`
}

/** Prices that do not hold now are for writers only: next week's prices are nobody else's business. */
function toPricing(prices: readonly MarketPrice[], atSeconds: number): string {
  const { holding, waiting } = holdingFirst(prices, atSeconds)
  const toTexts = (list: readonly MarketPrice[]) => list.map((price) => JSON.stringify(price)).join(',')
  const comma = holding.length > 0 ? ',' : ''
  const hidden = waiting.length > 0 ? `${HIDDEN}${comma}${toTexts(waiting)}${SHOWN}` : ''
  return `{"markets":[${toTexts(holding)}${hidden}]}`
}

/** Columns that are null are left out of the response. */
export const withoutNulls = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/**
 * Fills stock into a stored document. `quantities` are comma-separated, in the order of the variants, and null when
 * there are none. Only those who may write products (`isForWriters`) see planned prices and who changed the status.
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
  return text.includes(HIDDEN) ? withOrWithoutHidden(text, isForWriters) : text
}

// Spelled as texts: a linter takes control characters in a pattern for a mistake.
const BRACKETS = new RegExp(`[${HIDDEN}${SHOWN}]`, 'g')
const BETWEEN = new RegExp(`${HIDDEN}[^${SHOWN}]*${SHOWN}`, 'g')

const withOrWithoutHidden = (text: string, isForWriters: boolean) =>
  text.replaceAll(isForWriters ? BRACKETS : BETWEEN, '')
