import { joinWords, toTerms, type Weight, wordsOf } from '#vocabulary/search-words.ts'
import type { Product } from './product.ts'

/**
 * A product's tsvector as text, in all its locales. Weights: A name, B SKUs, category and tags, C attributes and variant
 * names, D description.
 */
export const termsOf = (product: Product) => toTerms(weighWords(product))

function* weighWords(product: Product): Generator<[Weight, string[]]> {
  const { name, category, tags, description, variants, translations } = product
  const translated = Object.values(translations)
  yield ['A', wordsOf(name)]
  for (const texts of translated) yield ['A', wordsOf(texts.name ?? '')]
  yield ['B', wordsOf(category)]
  for (const tag of tags) yield ['B', wordsOf(tag)]
  // SKUs come first, one word each: the number of words is limited, and every SKU must be found.
  for (const { sku } of variants) yield ['B', [joinWords(wordsOf(sku))].filter(Boolean)]
  for (const variant of variants) {
    yield ['B', wordsOf(variant.sku)]
    yield ['C', wordsOf(variant.name)]
    for (const attribute of variant.attributes) yield ['C', wordsOf(`${attribute.name} ${attribute.value}`)]
    for (const { name = '', attributes = [] } of Object.values(variant.translations)) {
      yield ['C', wordsOf(name)]
      for (const attribute of attributes) yield ['C', wordsOf(`${attribute.name} ${attribute.value}`)]
    }
  }
  yield ['D', wordsOf(description)]
  for (const texts of translated) yield ['D', wordsOf(texts.description ?? '')]
}
