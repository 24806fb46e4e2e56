import { pages, query } from '../api/query.ts'
import { filtersOf, type MediaSearch } from './search.ts'

const PAGE = 60
const MOST = 100

export const mediaPages = (businessId: string, search: MediaSearch) =>
  pages(businessId, 'listMedia', { query: { ...filtersOf(search), limit: PAGE } })

/** What becomes a picture that pages can show; a drawing (SVG) does not, and neither does what was not taken. */
export const picturePages = (businessId: string, words: string) =>
  pages(businessId, 'listMedia', {
    query: {
      type: ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'],
      status: ['PENDING', 'PROCESSING', 'READY'],
      ...(words && { query: words }),
      limit: PAGE,
    },
  })

export const fileQuery = (businessId: string, id: string) => query(businessId, 'getMedia', { path: { id } })

export const usagesQuery = (businessId: string, id: string) =>
  query(businessId, 'listMediaUsages', { path: { id }, query: { limit: MOST } })
