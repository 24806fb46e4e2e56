import type { Answer } from '@kontor/sdk'
import { useQuery } from '@tanstack/react-query'
import { query } from '../api/query.ts'

export type Checks = Answer<'readChecks'>
export type CheckedRule = Checks['items'][number]

/** How far a check is is no event of the feed: it is looked at while somebody looks. */
const WATCH_MS = 1_000

export const checksQuery = (businessId: string) => query(businessId, 'readChecks')

export const useChecks = (businessId: string) =>
  useQuery({
    ...checksQuery(businessId),
    refetchInterval: ({ state: { data } }) => (data?.run ? WATCH_MS : false),
  })
