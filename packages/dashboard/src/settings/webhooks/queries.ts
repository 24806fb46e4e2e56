import type { Answer } from '@kontor/sdk'
import { useQuery } from '@tanstack/react-query'
import { pages, query } from '../../api/query.ts'

export type Endpoint = Answer<'getWebhookEndpoint'>
export type Delivery = Answer<'listWebhookDeliveries'>['items'][number]
export type Attempt = Answer<'pingWebhookEndpoint'>
export const DELIVERY_STATUSES = ['FAILED', 'PENDING', 'DELIVERED'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** What becomes of deliveries is no event of the feed: it is looked at while somebody looks. */
const WATCH_MS = 1_000
const CALM_MS = 10_000

const isMoving = ({ status, behind, replay }: Endpoint) => replay !== null || (status === 'ACTIVE' && behind > 0)

/** A business has twenty at most. */
export const useEndpoints = (businessId: string) =>
  useQuery({
    ...query(businessId, 'listWebhookEndpoints', { query: { limit: 100 } }),
    refetchInterval: ({ state: { data } }) => (data?.items.some(isMoving) ? WATCH_MS : CALM_MS),
  })

export const useEndpoint = (businessId: string, id: string) =>
  useQuery({
    ...query(businessId, 'getWebhookEndpoint', { path: { id } }),
    refetchInterval: ({ state: { data } }) => (data && isMoving(data) ? WATCH_MS : CALM_MS),
  })

export const deliveriesQuery = (businessId: string, id: string, status: DeliveryStatus | undefined) =>
  pages(businessId, 'listWebhookDeliveries', { path: { id }, query: { limit: 50, ...(status && { status }) } })
