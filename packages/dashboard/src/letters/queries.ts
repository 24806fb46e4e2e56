import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { pages, query } from '../api/query.ts'
import { usePermissions } from '../session/permissions.ts'
import { useBusiness } from '../session/use-business.ts'
import type { Part, ReadersSearch } from './search.ts'
import type { Newsletter, Send } from './types.ts'

const WATCH_MS = 700
const WATCH_LIST_MS = 2_000
const RESULTS_MS = 5_000
/** One that waits for its time: when it is due soon, and otherwise. */
const SOON_SECONDS = 60
const WAIT_MS = 15_000

/** How soon a send may look different. */
export function watchMs({ status, scheduledAt, automationId, planned }: Send): number | false {
  if (status === 'RUNNING') return automationId && planned === 0 ? WAIT_MS : WATCH_MS // it waits for the next one due
  if (status !== 'SCHEDULED') return false
  return scheduledAt - Date.now() / 1_000 < SOON_SECONDS ? WATCH_MS : WAIT_MS
}

export const collectionsQuery = (businessId: string) => pages(businessId, 'listCollections', { query: { limit: 100 } })

/** All of them, however many other collections there are. */
export function useNewsletters() {
  const { id } = useBusiness()
  const list = useInfiniteQuery(collectionsQuery(id))
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const newsletters: Newsletter[] =
    list.data?.pages.flatMap(({ items }) => items).filter(({ type }) => type === 'NEWSLETTER') ?? []
  return { newsletters, isPending: list.isPending || hasNextPage, error: list.error, retry: () => void list.refetch() }
}

export const newsletterQuery = (businessId: string, id: string) => query(businessId, 'getCollection', { path: { id } })

export const lettersQuery = (businessId: string, collectionId: string) =>
  pages(businessId, 'listEntries', { query: { collectionId, limit: 20 } })

/** As many as one chooses from. */
export const choicesQuery = (businessId: string, collectionId: string) =>
  pages(businessId, 'listEntries', { query: { collectionId, limit: 100 } })

export const automationsQuery = (businessId: string, collectionId: string) =>
  query(businessId, 'listAutomations', { path: { collectionId } })

export const letterQuery = (businessId: string, id: string) => query(businessId, 'getEntry', { path: { id } })

export const sendsQuery = (businessId: string, entryId: string) =>
  query(businessId, 'listSends', { path: { entryId }, query: { limit: 20 } })

/** The sends of a letter, for who may know of them. */
export function useSends(entryId: string) {
  const { id } = useBusiness()
  const { may } = usePermissions()
  return useQuery({
    ...sendsQuery(id, entryId),
    enabled: may('NEWSLETTER_SEND'),
    refetchInterval: ({ state: { data } }) => (data?.items.some(isMoving) ? WATCH_LIST_MS : false),
  })
}

const isMoving = ({ status, automationId, planned }: Send) => status === 'RUNNING' && (!automationId || planned > 0)

/** The sends of several letters in one request, by letter; for who may know of them. */
export function useSendsOf(entryId: readonly string[]) {
  const { id } = useBusiness()
  const { may } = usePermissions()
  const list = useInfiniteQuery({
    ...pages(id, 'findSends', { query: { entryId: [...entryId], limit: 100 } }),
    enabled: may('NEWSLETTER_SEND') && entryId.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(isMoving)) ? WATCH_LIST_MS : false,
  })
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  return Map.groupBy(list.data?.pages.flatMap(({ items }) => items) ?? [], (send) => send.entryId)
}

export const sendQuery = (businessId: string, entryId: string, id: string) =>
  query(businessId, 'getSend', { path: { entryId, id } })

export const useSend = (businessId: string, entryId: string, id: string, isEnabled: boolean) =>
  useQuery({
    ...sendQuery(businessId, entryId, id),
    enabled: isEnabled,
    refetchInterval: ({ state: { data } }) => (data ? watchMs(data) : false),
  })

/** What came of a send, for who may know of its readers. Clicks and orders come for days: it is asked anew now and then. */
export const useResults = (businessId: string, { entryId, id, status }: Send, isEnabled: boolean) =>
  useQuery({
    ...query(businessId, 'getSendResults', { path: { entryId, id } }),
    enabled: isEnabled,
    refetchInterval: status === 'RUNNING' ? RESULTS_MS : false,
  })

const STATUS = { sent: 'SENT', failed: 'FAILED', suppressed: 'SUPPRESSED', uncertain: 'UNCERTAIN', planned: 'PLANNED' }
const MOST_WATCHED_PAGES = 1

type Wanted = { show?: Part | undefined; email?: string | undefined }

/** Readers of a part, or the one with that address. While it is sent they are looked for again and again. */
export const useRecipients = (
  businessId: string,
  { entryId, id, status }: Send,
  { show, email }: Wanted,
  isEnabled: boolean,
) =>
  useInfiniteQuery({
    ...pages(businessId, 'listRecipients', {
      path: { entryId, id },
      query: { limit: 50, ...(email ? { email } : show ? { status: STATUS[show] as 'SENT' } : {}) },
    }),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      status === 'RUNNING' && (data?.pages.length ?? 0) <= MOST_WATCHED_PAGES ? WATCH_LIST_MS : false,
  })

/** Those whose mail is being handed over at this moment: a few dozen at most. */
export function useUnderWay(businessId: string, { entryId, id, status }: Send, isEnabled: boolean) {
  const { data } = useQuery({
    ...query(businessId, 'listRecipients', { path: { entryId, id }, query: { limit: 100, status: 'SENDING' } }),
    enabled: isEnabled,
    refetchInterval: status === 'RUNNING' ? WATCH_LIST_MS : false,
  })
  return isEnabled ? (data?.items ?? []) : []
}

export const previewQuery = (businessId: string, entryId: string) =>
  query(businessId, 'previewEntry', { path: { entryId } })

export const variablesQuery = () => query('-', 'listTemplateVariables', { path: { entryType: 'NEWSLETTER' } })

export const countsQuery = (businessId: string, id: string) => query(businessId, 'countSubscribers', { path: { id } })

/** How many readers a letter goes to. Undefined: it is not known yet, or not for this person. */
export function useReach(newsletterId: string | undefined) {
  const { id } = useBusiness()
  const { may } = usePermissions()
  const { data } = useQuery({
    ...countsQuery(id, newsletterId ?? ''),
    enabled: newsletterId !== undefined && may('SUBSCRIBERS_READ'),
  })
  if (!data) return undefined
  const active = data.items.find(({ value }) => value === 'ACTIVE')?.count ?? 0
  return { active, suppressed: data.suppressed, reached: active - data.suppressed }
}

export const readersQuery = (businessId: string, id: string, { status, email }: ReadersSearch) =>
  pages(businessId, 'listSubscribers', {
    path: { id },
    query: { limit: 100, ...(status && { status }), ...(email && { email }) },
  })

export const useReaderImport = (businessId: string, id: string, importId: string, isEnabled: boolean) =>
  useQuery({
    ...query(businessId, 'getSubscriberImport', { path: { id, importId } }),
    enabled: isEnabled,
    refetchInterval: ({ state: { data } }) => (data && data.status !== 'DONE' ? WATCH_MS : false),
  })

export const importErrorsQuery = (businessId: string, id: string, importId: string) =>
  pages(businessId, 'listSubscriberImportErrors', { path: { id, importId }, query: { limit: 20 } })

export const suppressionsQuery = (businessId: string) =>
  pages(businessId, 'listSuppressions', { query: { limit: 100 } })
