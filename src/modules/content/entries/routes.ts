import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HoldMedia } from '#modules/media/index.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { etagOf, expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { sendText } from '#platform/http/text.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { previewUrlOf } from '#vocabulary/origins.ts'
import { type Page, toPageText } from '#vocabulary/paging.ts'
import type { Resolvers } from '#vocabulary/references.ts'
import { draftsAreHidden, entryNotFound, ordersAreHidden, ownedIsNotSearched } from '../errors.ts'
import { createEntryReader } from '../queries.ts'
import type * as shape from '../schemas.ts'
import { etagFor, toAnswer, type Viewer, viewerOf } from '../viewer.ts'
import { blockFiltersOf } from './block-filters.ts'
import { collectionIdOf, createEntry, deleteEntry, orderIdOf, ownerOf, updateEntry } from './change-entry.ts'
import { type Entry, toDocument } from './entry.ts'
import { createListReader, type Listed, listOwned } from './list-entries.ts'
import * as operation from './operations.ts'
import { makePreviewToken } from './preview-token.ts'
import { type Related, readRelations } from './relations.ts'
import { getVersion, listVersions, restoreVersion } from './restore-version.ts'

export type EntryOptions = {
  box: SecretBox
  resolvers: Resolvers<Db>
  media: HoldMedia
  related: Related
  /** Newsletters that the caller pays for, whose paid entries they may read. */
  findOpened: (cell: Db, businessId: string, actor: Actor) => Promise<string[]>
  /** Whether the caller placed that order. */
  ownsOrder: (cell: Db, businessId: string, actor: Actor, orderId: string) => Promise<boolean>
}

export const entryRoutes: FastifyPluginAsyncTypebox<EntryOptions> = async (app, options) => {
  const { box, resolvers, media, related, ownsOrder, findOpened } = options
  const readEntry = createEntryReader()
  const listEntries = createListReader()
  const writerOf = (request: FastifyRequest) => {
    const { business, actor } = request
    return { business, actor, seesOrders: viewerOf(request).seesOrders, resolvers, media }
  }
  const send = (request: FastifyRequest, reply: FastifyReply, entry: Entry) =>
    sendVersioned(request, reply, etagOf(entry.version), sendText<never>(reply, toDocument(entry)))

  handle(app, operation.createEntry, (request, reply) =>
    createOnce(
      request,
      reply,
      request.cell,
      async (tx) => toDocument(await createEntry(tx, writerOf(request), request.body)) as never,
    ),
  )

  handle(app, operation.listEntries, async (request, reply) => {
    const viewer = viewerOf(request)
    const opened = await openedTo(request, viewer)
    const page = await listVisible(request, viewer, opened)
    const text = toPageText({ items: page.items.map(({ text }) => text), cursor: page.cursor })
    if (!request.query.include) return sendText<never>(reply, text)
    const targets = page.items.flatMap(({ targets }) => targets)
    const relations = await readRelations(request.cell, { ...viewer, opened }, targets, related)
    return sendText<never>(reply, withRelations(text, relations))
  })

  type ListRequest = FastifyRequest<{ Querystring: shape.EntryQuery }>

  async function listVisible(request: ListRequest, viewer: Viewer, opened: string[] | null): Promise<Page<Listed>> {
    const { cell, query } = request
    const { businessId, seesDrafts, seesActors } = viewer
    const blocks = blockFiltersOf(request)
    if (query.owner !== undefined && !collectionIdOf(query.owner)) {
      if (!(await seesOwned(request, viewer, query.owner))) throw ordersAreHidden()
      if (blocks.length > 0 || query.query?.trim() || query.collectionId !== undefined) throw ownedIsNotSearched()
      return listOwned(cell, viewer, query.owner, query)
    }
    if (!seesDrafts && query.status !== undefined && query.status !== 'PUBLISHED') throw draftsAreHidden()
    const owner = ownerOf(query)
    const collectionId = owner === undefined ? undefined : collectionIdOf(owner)
    const list = { ...query, ...(collectionId !== undefined && { collectionId }) }
    return listEntries(cell, { businessId, query: list, blocks, seesDrafts, seesActors, opened })
  }

  /** Newsletters that the caller pays for; null for those who see all. */
  const openedTo = async ({ cell, actor }: FastifyRequest, { businessId, seesDrafts }: Viewer) =>
    seesDrafts ? null : findOpened(cell, businessId, actor)

  const paysFor = async ({ cell, business, actor }: FastifyRequest, owner: string) =>
    (await findOpened(cell, business.id, actor)).includes(collectionIdOf(owner) ?? '')

  /** Entries of an order can also be read by the customer who placed it. */
  async function seesOwned({ cell, actor }: FastifyRequest, viewer: Viewer, owner: string): Promise<boolean> {
    if (viewer.seesOrders) return true
    const orderId = orderIdOf(owner)
    return orderId !== undefined && ownsOrder(cell, viewer.businessId, actor, orderId)
  }

  handle(app, operation.getEntry, async (request, reply) => {
    const viewer = viewerOf(request)
    const entry = await readEntry(request.cell, { businessId: viewer.businessId, id: request.params.id })
    if (!entry) throw entryNotFound()
    const isSeen =
      entry.isPublic ||
      (collectionIdOf(entry.owner)
        ? viewer.seesDrafts || (entry.isForPayers && (await paysFor(request, entry.owner)))
        : await seesOwned(request, viewer, entry.owner))
    if (!isSeen) throw entryNotFound()
    const text = toAnswer(entry.text, viewer)
    if (!request.query.include)
      return sendVersioned(request, reply, etagFor(entry.version, viewer), sendText<never>(reply, text))
    const opened = await openedTo(request, viewer)
    const relations = await readRelations(request.cell, { ...viewer, opened }, entry.targets, related)
    return sendText<never>(reply, withRelations(text, relations)) // no ETag: referenced records change without it
  })

  handle(app, operation.updateEntry, async (request, reply) => {
    const { cell, params, body } = request
    const entry = await transaction(cell, (tx) =>
      updateEntry(tx, writerOf(request), params.id, expectedOf(request), body),
    )
    return send(request, reply, entry)
  })

  handle(app, operation.deleteEntry, async (request) => {
    const { cell, params } = request
    await transaction(cell, (tx) => deleteEntry(tx, writerOf(request), params.id, expectedOf(request)))
    return { success: true } as const
  })

  handle(app, operation.createPreviewToken, async ({ cell, business, params }, reply) => {
    const named = { businessId: business.id, id: params.id }
    const entry = await readEntry(cell, named)
    if (!entry?.owner.startsWith('collection:')) throw entryNotFound() // a shop shows no others
    const { token, expiresAt } = makePreviewToken(box, named)
    return reply.code(201).send({ token, url: previewUrlOf(business, params.id, token), expiresAt })
  })

  handle(app, operation.listEntryVersions, (request) =>
    listVersions(request.cell, viewerOf(request), request.params.id, request.query),
  )

  handle(app, operation.getEntryVersion, (request) =>
    getVersion(request.cell, viewerOf(request), request.params.id, request.params.number),
  )

  handle(app, operation.restoreEntryVersion, async (request, reply) => {
    const { cell, params } = request
    const entry = await transaction(cell, (tx) =>
      restoreVersion(tx, writerOf(request), params.id, params.number, expectedOf(request)),
    )
    return send(request, reply, entry)
  })
}

const withRelations = (text: string, relations: string) => `${text.slice(0, -1)},"relations":${relations}}`
