import type { Address } from '#vocabulary/address.ts'
import { joinWords, wordsOf } from '#vocabulary/search-words.ts'
import type { OrderRow } from '../order.ts'

/** Ids and tags stand among the words with a letter and a colon in front, which no word has. */
export const markOf = {
  product: (id: string) => `p:${id}`,
  market: (id: string) => `m:${id}`,
  tag: (tag: string) => `t:${tag}`,
}

const MAX_WORDS = 1_000
/** Words of one name. */
const MAX_NAME_WORDS = 100

/** What an order is found by. */
export type SearchWords = {
  /** In the index and counted. */
  words: string[]
  /** In the index, but not counted, because hardly two orders share one: telephone and tracking numbers. */
  numbers: string[]
}

type Searched = Pick<OrderRow, 'lines' | 'blocks' | 'market' | 'phone' | 'shippingAddress' | 'billingAddress'>

export function searchWordsOf(order: Searched, trackingNumbers: readonly string[] = []): SearchWords {
  const { lines, blocks, market, phone, shippingAddress, billingAddress } = order
  const addresses = [shippingAddress, billingAddress].filter((address) => address !== null)
  const texts = [
    ...addresses.flatMap(({ name, company, city }: Address) => [name, company, city]),
    ...blocks.filter(({ id }) => id === 'name').map(({ value }) => (typeof value === 'string' ? value : null)),
    ...lines.map(({ name }) => name),
  ]
  const words = [
    markOf.market(market),
    ...lines.map(({ productId }) => markOf.product(productId)),
    ...texts.flatMap((text) => wordsOf(text ?? '').slice(0, MAX_NAME_WORDS)),
    ...lines.flatMap(({ sku }) => codeWords(sku)),
  ]
  const phones = [phone, ...addresses.map((address) => address.phone)].map((number) =>
    (number ?? '').replaceAll(/\D/g, ''),
  )
  const numbers = [...phones.filter(Boolean), ...trackingNumbers.flatMap(codeWords)]
  return { words: distinct(words), numbers: distinct(numbers) }
}

/** A code is found by its parts, and written in one: `TS-RED-XL` by `red`, `ts-red-xl` and `TSREDXL`. */
function codeWords(code: string): string[] {
  const parts = wordsOf(code)
  return parts.length > 1 ? [...parts, joinWords(parts)] : parts
}

const distinct = (words: readonly string[]) => [...new Set(words)].filter(Boolean).slice(0, MAX_WORDS)

/** A word as tsvector and tsquery write it. */
export const quoteTerm = (word: string) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
