import { oneOf, type Search, wordsOf } from '../shell/search.ts'

/** The filters of the list of products; those of attributes begin with `attribute.`. */
const FILTERS = [
  'id',
  'category',
  'categoryId',
  'query',
  'slug',
  'status',
  'sku',
  'tag',
  'priceFrom',
  'priceTo',
  'inStock',
  'market',
]
const isFilter = (name: string) => FILTERS.includes(name) || name.startsWith('attribute.')

/**
 * What is to be changed: `ids`, repeated or with commas between, or the filters of the list of products, as the API names them. Neither: all products.
 */
export type NewSearch = { ids?: string[] | undefined } & Record<string, string | string[] | undefined>

export function readNewSearch(search: Search): NewSearch {
  const ids = wordsOf(search.ids)
    ?.flatMap((words) => words.split(','))
    .filter(Boolean)
  if (ids) return { ids }
  return Object.fromEntries(
    Object.keys(search)
      .filter(isFilter)
      .flatMap((name) => {
        const words = wordsOf([search[name]].flat().map((one) => (typeof one === 'number' ? String(one) : one)))
        return words ? [[name, words.length > 1 ? words : words[0]]] : []
      }),
  )
}

export type Select = { ids: string[] } | { filters: Record<string, string | string[]> }

export function selectOf({ ids, ...filters }: NewSearch): Select {
  if (ids) return { ids }
  return {
    filters: Object.fromEntries(Object.entries(filters).flatMap(([name, value]) => (value ? [[name, value]] : []))),
  }
}

export const SHOWN = ['warned', 'changing', 'same', 'refused', 'skipped', 'kept'] as const
export type Shown = (typeof SHOWN)[number]
export type EditSearch = { show?: Shown | undefined }

export const readEditSearch = (search: Search): EditSearch => ({ show: oneOf(search.show, SHOWN) })
