import type { Query } from '@kontor/sdk'
import { oneOf, type Search, wordOf } from '../shell/search.ts'

export const KINDS = ['image', 'video', 'audio', 'document'] as const
export type Kind = (typeof KINDS)[number]
export const SORTS = ['-createdAt', 'createdAt', 'fileName', '-size'] as const
export type Sort = (typeof SORTS)[number]

/** What the address of the library says. */
export type MediaSearch = {
  query?: string | undefined
  type?: Kind | undefined
  unused?: 'true' | undefined
  sort?: Sort | undefined
}

export const readMediaSearch = (search: Search): MediaSearch => ({
  query: wordOf(search.query),
  type: oneOf(search.type, KINDS),
  unused: oneOf(search.unused, ['true']),
  sort: oneOf(search.sort, SORTS),
})

/** The same, as the API takes it. */
export const filtersOf = ({ query, type, unused, sort }: MediaSearch): Query<'listMedia'> => ({
  ...(query && { query }),
  ...(type && { type: type === 'document' ? ['application/*', 'text/*'] : [`${type}/*`] }),
  ...(unused && { unused: true }),
  ...(sort && { sort }),
})

export const CLEARED: MediaSearch = { query: undefined, type: undefined, unused: undefined }
export const hasFilters = ({ query, type, unused }: MediaSearch) => Boolean(query ?? type ?? unused)
