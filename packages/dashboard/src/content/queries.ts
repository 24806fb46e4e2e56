import type { Answer } from '@kontor/sdk'
import { pages, query } from '../api/query.ts'

export type Collection = Answer<'getCollection'>
export type Entry = Answer<'getEntry'>
export type Block = Collection['blocks'][number]
export type BlockType = Block['type']
export type ContentStatus = Collection['statuses'][number]['status']
/** STALE are those that no longer fit the fields of their collection. */
export const SHOWN = ['DRAFT', 'PUBLISHED', 'ARCHIVED', 'STALE'] as const

export type EntrySearch = {
  query?: string | undefined
  locale?: string | undefined
  status?: (typeof SHOWN)[number] | undefined
}

const PAGE = 50

export const collectionsQuery = (businessId: string) => pages(businessId, 'listCollections', { query: { limit: PAGE } })

export const collectionQuery = (businessId: string, id: string) => query(businessId, 'getCollection', { path: { id } })

export const entriesQuery = (businessId: string, collectionId: string, search: EntrySearch) =>
  pages(businessId, 'listEntries', {
    query: {
      collectionId,
      limit: PAGE,
      ...(search.query ? { query: search.query } : {}),
      ...(search.locale ? { locale: search.locale } : {}),
      ...(search.status && search.status !== 'STALE' ? { status: search.status } : {}),
    },
  })

export const staleQuery = (businessId: string, id: string) =>
  pages(businessId, 'listStaleEntries', { path: { id }, query: { limit: 20 } })

export const entryQuery = (businessId: string, id: string) => query(businessId, 'getEntry', { path: { id } })

/** What its blocks point at, for their names. */
export const relationsQuery = (businessId: string, id: string) =>
  query(businessId, 'getEntry', { path: { id }, query: { include: 'relations' } })

export const statusOf = ({ statuses }: { statuses: readonly { status: ContentStatus }[] }): ContentStatus =>
  statuses.at(-1)?.status ?? 'DRAFT'
