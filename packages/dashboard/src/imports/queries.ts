import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { pages, query } from '../api/query.ts'
import type { Shown } from './search.ts'
import { type Import, isWorking, type Line } from './types.ts'

const WATCH_MS = 700

/** Asked for again and again while a worker is at it. */
export const useImport = (businessId: string, id: string) =>
  useQuery({
    ...query(businessId, 'getImport', { path: { id } }),
    refetchInterval: ({ state: { data } }) => (data && isWorking(data) ? WATCH_MS : false),
  })

export const importsQuery = (businessId: string) => query(businessId, 'listImports', { query: { limit: 20 } })

export const lineQuery = (businessId: string, id: string, number: number) =>
  query(businessId, 'getImportLine', { path: { id, number } })

const ALL: Line['status'][] = ['CREATED', 'CHANGED', 'UNCHANGED', 'SKIPPED', 'UNDONE', 'KEPT']
const STATUSES: Partial<Record<Shown, Line['status'][]>> = {
  created: ['CREATED'],
  changed: ['CHANGED'],
  same: ['UNCHANGED'],
  skipped: ['SKIPPED'],
  undone: ['UNDONE'],
  kept: ['KEPT'],
}

/** What the lines do, but for those that are wrong: these stand apart. */
export const useLines = (businessId: string, { id }: Import, show: Shown | undefined) =>
  useInfiniteQuery({
    ...pages(businessId, 'listImportLines', {
      path: { id },
      query: { limit: 100, status: (show && STATUSES[show]) ?? ALL },
    }),
    placeholderData: keepPreviousData,
  })

export const wrongQuery = (businessId: string, id: string) =>
  pages(businessId, 'listImportLines', { path: { id }, query: { limit: 20, status: ['FAILED'] } })
