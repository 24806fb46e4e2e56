import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { readLastNumber } from '#platform/events/feed.ts'
import { topicsFor } from '#platform/events/readers.ts'
import { expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { decodeCursor, toPage } from '#vocabulary/paging.ts'
import { createEndpoint, deleteEndpoint, rotateSecret, updateEndpoint } from './change-endpoint.ts'
import { type Addresses, checkUrl } from './check-url.ts'
import { type Endpoint, type EndpointRow, etagOfEndpoint, presentEndpoint } from './endpoint.ts'
import { checkMayRead, checkTypesExist, type EventList } from './event-types.ts'
import { listDeliveries } from './list-deliveries.ts'
import * as operation from './operations.ts'
import { ping } from './ping.ts'
import { getEndpoint, readEndpoints } from './queries.ts'
import type { WebhookEndpointWithSecret } from './schemas.ts'
import { startReplay } from './start-replay.ts'

export type WebhookOptions = EventList & {
  box: SecretBox
  addresses: Addresses
  /** Throws 429 for the 11th in a minute. */
  countPing: (endpointId: string) => Promise<void>
}

const editorOf = ({ business, actor }: FastifyRequest) => ({ businessId: business.id, actor })

const present = async (db: Db, endpoint: Endpoint) =>
  presentEndpoint(endpoint, await readLastNumber(db, endpoint.row.businessId))

export const webhookEndpointRoutes: FastifyPluginAsyncTypebox<WebhookOptions> = async (app, options) => {
  const { box, addresses, countPing } = options
  const mayRead =
    ({ permissions }: FastifyRequest) =>
    ({ types }: Pick<EndpointRow, 'types'>) =>
      checkMayRead(types, permissions, options)

  handle(app, operation.createWebhookEndpoint, async (request, reply) => {
    const { cell, body } = request
    checkTypesExist(body.types, options)
    mayRead(request)(body)
    await checkUrl(body.url, addresses)
    return createOnce(
      request,
      reply,
      cell,
      async (tx): Promise<WebhookEndpointWithSecret> => {
        const { secret, ...endpoint } = await createEndpoint(tx, box, editorOf(request), body)
        return { ...(await present(tx, endpoint)), secret }
      },
      201,
      (answer) => ({ ...answer, secret: null }),
    )
  })

  handle(app, operation.listWebhookEndpoints, async ({ cell, business, query }) => {
    const { limit = 20, cursor } = query
    const filters = { list: 'webhook-endpoints', businessId: business.id }
    const before = (decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined) ?? '~'
    const [endpoints, lastOfFeed] = await Promise.all([
      readEndpoints(cell, business.id),
      readLastNumber(cell, business.id),
    ])
    const rest = endpoints.filter(({ row }) => row.id < before).slice(0, limit + 1)
    return toPage(
      rest,
      limit,
      filters,
      ({ row }) => [row.id],
      (endpoint) => presentEndpoint(endpoint, lastOfFeed),
    )
  })

  handle(app, operation.getWebhookEndpoint, async (request, reply) => {
    const { cell, business, params } = request
    const endpoint = await getEndpoint(cell, business.id, params.id)
    const lastOfFeed = await readLastNumber(cell, business.id)
    const etag = etagOfEndpoint(endpoint, lastOfFeed)
    return sendVersioned(request, reply, etag, presentEndpoint(endpoint, lastOfFeed))
  })

  handle(app, operation.updateWebhookEndpoint, async (request, reply) => {
    const { cell, params, body } = request
    const target = { id: params.id, expected: expectedOf(request) }
    if (body.types) checkTypesExist(body.types, options)
    if (body.url !== undefined) await checkUrl(body.url, addresses)
    const endpoint = await transaction(cell, (tx) =>
      updateEndpoint(tx, editorOf(request), target, body, mayRead(request)),
    )
    const lastOfFeed = await readLastNumber(cell, endpoint.row.businessId)
    const etag = etagOfEndpoint(endpoint, lastOfFeed)
    return sendVersioned(request, reply, etag, presentEndpoint(endpoint, lastOfFeed))
  })

  handle(app, operation.deleteWebhookEndpoint, async (request) => {
    const { cell, params } = request
    const target = { id: params.id, expected: expectedOf(request) }
    await transaction(cell, (tx) => deleteEndpoint(tx, editorOf(request), target))
    return { success: true } as const
  })

  handle(app, operation.rotateWebhookSecret, async (request) => {
    const { cell, params, body } = request
    const { keepOldHours = 24 } = body
    const { secret, ...endpoint } = await transaction(cell, (tx) =>
      rotateSecret(tx, box, editorOf(request), { id: params.id, keepOldHours }, mayRead(request)),
    )
    return { ...(await present(cell, endpoint)), secret }
  })

  handle(app, operation.pingWebhookEndpoint, async ({ cell, business, params, actor }) => {
    const { row } = await getEndpoint(cell, business.id, params.id)
    await countPing(row.id)
    return ping({ rules: addresses.rules, box }, row, actor)
  })

  handle(app, operation.listWebhookDeliveries, async ({ cell, business, params, query, permissions }) => {
    const { row } = await getEndpoint(cell, business.id, params.id)
    const topics = topicsFor(options.readers, permissions)
    return listDeliveries(cell, { businessId: business.id, endpointId: row.id }, topics, query)
  })

  handle(app, operation.replayWebhookEvents, async (request) => {
    const { cell, business, params, body } = request
    const target = { businessId: business.id, id: params.id }
    const endpoint = await transaction(cell, (tx) => startReplay(tx, target, body, mayRead(request)))
    return present(cell, endpoint)
  })
}
