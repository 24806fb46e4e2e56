export const SORTS = ['-lastOrderAt', '-orders', '-spent', 'name'] as const
export type Sort = (typeof SORTS)[number]

/** What the address of the list says. */
export type CustomerSearch = {
  query?: string | undefined
  tag?: string[] | undefined
  show?: 'guests' | 'accounts' | undefined
  sort?: Sort | undefined
  /** Which money `-spent` goes by. */
  currency?: string | undefined
  /** The saved view that was opened. */
  view?: string | undefined
}

const wordsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one !== '')

/** A query of figures, such as `2024`, comes as a number. */
const textOf = (value: unknown) => (typeof value === 'number' ? String(value) : wordsOf(value)[0])

export function readCustomerSearch(search: Record<string, unknown>): CustomerSearch {
  const tags = wordsOf(search.tag)
  return {
    query: textOf(search.query),
    tag: tags.length > 0 ? tags : undefined,
    show: (['guests', 'accounts'] as const).find((one) => one === search.show),
    sort: SORTS.find((one) => one === search.sort),
    currency: wordsOf(search.currency)[0],
    view: wordsOf(search.view)[0],
  }
}

/** The same, as the API takes it. `currencies` are those of the business. */
export function filtersOf({ query, tag, show }: CustomerSearch) {
  return {
    ...(query ? { query } : {}),
    ...(tag ? { tag } : {}),
    ...(show ? { guests: show === 'guests' } : {}),
  }
}

export function orderOf({ sort, currency }: CustomerSearch, currencies: readonly string[]) {
  if (sort !== '-spent') return sort ? { sort } : {}
  const known = currency ?? currencies[0]
  return known ? { sort, currency: known } : {}
}
