import type { Product } from '@kontor/sdk'
import { type Edits, fieldOf, plainPricesOf, type Row, rowsOf, variantOf } from './edits.ts'

export type Buyable = {
  count: number
  total: number
  /** Why the others cannot be bought. */
  unpriced: Row[]
  empty: Row[]
}

/** Which variants can be bought in a market once it is on sale, with what is not yet saved. */
export function buyableIn(product: Product, edits: Edits, marketId: string): Buyable {
  const rows = rowsOf(product, edits)
  const isPriced = ({ id }: Row) => typeof priceOf(product, edits, id, marketId) === 'number'
  const unpriced = rows.filter((row) => !isPriced(row))
  const empty = rows.filter((row) => isPriced(row) && !hasStock(product, edits, row))
  return { count: rows.length - unpriced.length - empty.length, total: rows.length, unpriced, empty }
}

/** A planned price that holds now comes first of its market. */
function priceOf(product: Product, edits: Edits, id: string, marketId: string): unknown {
  const field = fieldOf.price(id, marketId)
  const edit = edits[field]
  if (edit) return edit.now
  const plain = plainPricesOf(product).get(field)
  if (plain !== undefined) return plain
  const first = variantOf(product, id)?.pricing.markets.find((price) => price.marketId === marketId)
  return first && (first.validFrom ?? 0) * 1_000 <= Date.now() ? first.price : null
}

function hasStock(product: Product, edits: Edits, { id, isNew }: Row): boolean {
  const { tracked = true, quantity = 0 } = variantOf(product, id)?.inventory ?? {}
  if (!tracked && !isNew) return true
  const delta = edits[fieldOf.stock(id)]?.now
  return quantity + (typeof delta === 'number' ? delta : 0) > 0
}

const TIMES = 8

export type Odd = { field: string; price: number }

/** New prices that are many times the others of their market, or a small part of them: a point was forgotten, as a rule. */
export function oddPrices(product: Product, edits: Edits, marketIds: readonly string[]): Odd[] {
  const edited = Object.keys(edits).filter(
    (field) => field.startsWith('price/') && typeof edits[field]?.now === 'number',
  )
  if (edited.length === 0) return []
  const rows = rowsOf(product, edits)
  const stored = plainPricesOf(product)
  return marketIds.flatMap((marketId): Odd[] => {
    const fields = new Set(rows.map(({ id }) => fieldOf.price(id, marketId)))
    const mine = edited.filter((field) => fields.has(field))
    if (mine.length === 0) return []
    const all = [...fields]
      .map((field) => (edits[field] ? edits[field].now : stored.get(field)))
      .filter((price) => typeof price === 'number')
      .sort((one, other) => one - other)
    const usual = all[Math.floor(all.length / 2)] ?? 0
    if (all.length < 3 || usual === 0) return []
    return mine.flatMap((field) => {
      const price = edits[field]?.now as number
      const isOdd = price >= usual * TIMES || (price > 0 && price * TIMES <= usual)
      return isOdd ? [{ field, price }] : []
    })
  })
}
