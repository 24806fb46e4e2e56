import { fold } from '#vocabulary/search-words.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { holdingFirst } from '../products/prices.ts'
import { type Product, statusOf } from '../products/product.ts'

const MAX_MARKS = 200
const MAX_VALUE = 200
/** Short enough for an index, whatever the letters are. */
const MAX_KEY = 100

/** Cuts by code points: half a surrogate pair could not be stored. */
const cut = (text: string, length: number) => (text.length > length ? Array.from(text).slice(0, length).join('') : text)

/** How a category, a tag or an attribute is written down. Filters and facets speak of them in the same way. */
export const markOf = {
  category: (slug: string) => `c:${slug}`,
  tag: (tag: string) => `t:${tag}`,
  /** The value is compared by its first 200 characters. */
  attribute: (name: string, value: string) => `${attributePrefix(name)}${cut(value, MAX_VALUE)}`,
}
/** An equals sign ends the name, so one inside of it is written otherwise. */
export const attributePrefix = (name: string) => `a:${name.replace(/[%=]/g, encodeURIComponent)}=`

/** Names sort without regard to case and accents. */
const nameKeyOf = (name: string) => cut(fold(name).replace(/\s+/g, ' ').trim(), MAX_KEY)

/** At most 200: of a product with more, the attributes of its last variants cannot be filtered by. */
function marksOf({ category, tags, variants }: Product): string[] {
  const marks = new Set(category === '' ? [] : [markOf.category(category)])
  for (const tag of tags) marks.add(markOf.tag(tag))
  for (const { attributes } of variants)
    for (const { name, value } of attributes) if (marks.size < MAX_MARKS) marks.add(markOf.attribute(name, value))
  return [...marks]
}

/** The lowest price that holds, for each market that has one. */
function pricesOf({ variants }: Product, at: Date): { market_id: string; price: number }[] {
  const atSeconds = toSeconds(at)
  const lowest = new Map<string, number>()
  for (const { prices } of variants)
    for (const { marketId, price } of holdingFirst(prices, atSeconds).holding)
      lowest.set(marketId, Math.min(price, lowest.get(marketId) ?? price))
  return Array.from(lowest, ([market_id, price]) => ({ market_id, price }))
}

/** What lists know of a product at a moment, all but its stock. */
export function listingRows(product: Product, at: Date) {
  return {
    product_id: product.id,
    status: statusOf(product),
    name_key: nameKeyOf(product.name),
    category: product.category,
    marks: marksOf(product),
    prices: [{ market_id: '', price: null }, ...pricesOf(product, at)],
  }
}
