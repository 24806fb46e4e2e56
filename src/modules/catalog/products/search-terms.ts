import { joinWords, toTerms, type Weight, wordsOf } from '#vocabulary/search-words.ts'
import type { Product } from './product.ts'

/**
 * A product's tsvector as text. Weights: A name, B SKUs and category, C attributes and variant names, D description.
 */
export const termsOf = (product: Product) => toTerms(weighWords(product))

function* weighWords({ name, category, description, variants }: Product): Generator<[Weight, string[]]> {
  yield ['A', wordsOf(name)]
  yield ['B', wordsOf(category)]
  // SKUs come first, one word each: the number of words is limited, and every SKU must be found.
  for (const { sku } of variants) yield ['B', [joinWords(wordsOf(sku))].filter(Boolean)]
  for (const variant of variants) {
    yield ['B', wordsOf(variant.sku)]
    yield ['C', wordsOf(variant.name)]
    for (const attribute of variant.attributes) yield ['C', wordsOf(`${attribute.name} ${attribute.value}`)]
  }
  yield ['D', wordsOf(description)]
}
