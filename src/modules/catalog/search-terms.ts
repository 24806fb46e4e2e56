import { joinWords, toTerms, type Weight, wordsOf } from '#vocabulary/search-words.ts'
import type { Product } from './product.ts'

/** A product's tsvector as text. Weights: A its name, B SKUs and category, C attributes and variants, D its description. */
export const termsOf = (product: Product) => toTerms(weighWords(product))

function* weighWords({ name, category, description, variants }: Product): Generator<[Weight, string[]]> {
  yield ['A', wordsOf(name)]
  yield ['B', wordsOf(category)]
  // First each SKU as one word, so that all of them can be found, however many variants there are.
  for (const { sku } of variants) yield ['B', [joinWords(wordsOf(sku))].filter(Boolean)]
  for (const variant of variants) {
    yield ['B', wordsOf(variant.sku)]
    yield ['C', wordsOf(variant.name)]
    for (const attribute of variant.attributes) yield ['C', wordsOf(`${attribute.name} ${attribute.value}`)]
  }
  yield ['D', wordsOf(description)]
}
