import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { etagOf, expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { sendText } from '#platform/http/text.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { notFound } from '#vocabulary/errors.ts'
import { type Page, toPageText } from '#vocabulary/paging.ts'
import type { Resolvers } from '#vocabulary/references.ts'
import { BusinessParams, PageOf, PageOnly, RecordParams, Success } from '#vocabulary/schemas.ts'
import { blockFiltersOf } from './block-filters.ts'
import { collectionIdOf, createEntry, deleteEntry, orderIdOf, ownerOf, updateEntry } from './entries.ts'
import { type Entry, toDocument } from './entry.ts'
import { draftsAreHidden, ordersAreHidden, ownedIsNotSearched } from './errors.ts'
import { createListReader, type Listed, listOwned } from './list-entries.ts'
import { createEntryReader } from './queries.ts'
import { type Related, readRelations } from './relations.ts'
import * as shape from './schemas.ts'
import { getVersion, listVersions, restoreVersion } from './versions.ts'
import { etagFor, toAnswer, type Viewer, viewerOf } from './viewer.ts'

export type EntryOptions = {
  resolvers: Resolvers<Db>
  related: Related
  /** The newsletters that the caller pays for: those are open to them. */
  findOpened: (cell: Db, businessId: string, actor: Actor) => Promise<string[]>
  /** Whether the caller has placed that order. */
  ownsOrder: (cell: Db, businessId: string, actor: Actor, orderId: string) => Promise<boolean>
}

export const entryRoutes: FastifyPluginAsyncTypebox<EntryOptions> = async (app, options) => {
  const { resolvers, related, ownsOrder, findOpened } = options
  const readEntry = createEntryReader()
  const listEntries = createListReader()
  const writerOf = (request: FastifyRequest) => {
    const { business, actor } = request
    return { business, actor, seesOrders: viewerOf(request).seesOrders, resolvers }
  }
  const send = (request: FastifyRequest, reply: FastifyReply, entry: Entry) =>
    sendVersioned(request, reply, etagOf(entry.version), sendText<never>(reply, toDocument(entry)))

  app.post(
    '/entries',
    {
      config: { access: 'CONTENT_WRITE', business: 'path', idempotent: true },
      schema: {
        operationId: 'createEntry',
        tags: ['Entries'],
        summary: 'Create an entry',
        description:
          'Of the collection `collectionId`, or of `owner`. Its blocks are checked against the collection’s: a DRAFT may be ' +
          'incomplete, what is PUBLISHED or has a `publishAt` may not. Entries of orders and reservations have free blocks, ' +
          'and need `ORDERS_READ`. Without `statuses` it is a DRAFT, without `locale` it has the business’s.',
        params: BusinessParams,
        body: shape.EntryChanges,
        response: { 201: shape.Entry },
      },
    },
    (request, reply) =>
      createOnce(
        request,
        reply,
        request.cell,
        async (tx) => toDocument(await createEntry(tx, writerOf(request), request.body)) as never,
      ),
  )

  app.get(
    '/entries',
    {
      config: { access: 'guest', business: 'path', fails: [403], parameterPrefix: 'block.' },
      schema: {
        operationId: 'listEntries',
        tags: ['Entries'],
        summary: 'List and search entries',
        description:
          'Newest first; with `query` the best match first. Of one collection, or across all. `block.<id>=value` (up to five) ' +
          'keeps those whose block holds that value: a text of up to 200 characters in any of its locales, a number, true or ' +
          'false, a date, an id, a choice. Without `CONTENT_READ_DRAFTS` or `CONTENT_WRITE`: PUBLISHED ones of PUBLISHED ' +
          'collections, and of newsletters that have a paid plan those which the caller pays for. A page of more than about ' +
          '4 MB ends early: it may be shorter than `limit` and still have a `cursor`.',
        params: BusinessParams,
        querystring: shape.EntryQuery,
        response: { 200: shape.EntryPage },
      },
    },
    async (request, reply) => {
      const viewer = viewerOf(request)
      const opened = await openedTo(request, viewer)
      const page = await listVisible(request, viewer, opened)
      const text = toPageText({ items: page.items.map(({ text }) => text), cursor: page.cursor })
      if (!request.query.include) return sendText<never>(reply, text)
      const targets = page.items.flatMap(({ targets }) => targets)
      const relations = await readRelations(request.cell, { ...viewer, opened }, targets, related)
      return sendText<never>(reply, withRelations(text, relations))
    },
  )

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

  /** The newsletters that the caller pays for; null for who sees all. */
  const openedTo = async ({ cell, actor }: FastifyRequest, { businessId, seesDrafts }: Viewer) =>
    seesDrafts ? null : findOpened(cell, businessId, actor)

  const paysFor = async ({ cell, business, actor }: FastifyRequest, owner: string) =>
    (await findOpened(cell, business.id, actor)).includes(collectionIdOf(owner) ?? '')

  /** What belongs to an order is also for whoever placed it. */
  async function seesOwned({ cell, actor }: FastifyRequest, viewer: Viewer, owner: string): Promise<boolean> {
    if (viewer.seesOrders) return true
    const orderId = orderIdOf(owner)
    return orderId !== undefined && ownsOrder(cell, viewer.businessId, actor, orderId)
  }

  app.get(
    '/entries/:id',
    {
      config: { access: 'guest', business: 'path', versioned: true },
      schema: {
        operationId: 'getEntry',
        tags: ['Entries'],
        summary: 'Get an entry',
        params: RecordParams,
        querystring: shape.OneEntryQuery,
        response: { 200: shape.EntryWithRelations },
      },
    },
    async (request, reply) => {
      const viewer = viewerOf(request)
      const entry = await readEntry(request.cell, { businessId: viewer.businessId, id: request.params.id })
      if (!entry) throw notFound('entry')
      const isSeen =
        entry.isPublic ||
        (collectionIdOf(entry.owner)
          ? viewer.seesDrafts || (entry.isForPayers && (await paysFor(request, entry.owner)))
          : await seesOwned(request, viewer, entry.owner))
      if (!isSeen) throw notFound('entry')
      const text = toAnswer(entry.text, viewer)
      if (!request.query.include)
        return sendVersioned(request, reply, etagFor(entry.version, viewer), sendText<never>(reply, text))
      const opened = await openedTo(request, viewer)
      const relations = await readRelations(request.cell, { ...viewer, opened }, entry.targets, related)
      return sendText<never>(reply, withRelations(text, relations)) // what it points at changes without it: no ETag
    },
  )

  app.put(
    '/entries/:id',
    {
      config: { access: 'CONTENT_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'updateEntry',
        tags: ['Entries'],
        summary: 'Change an entry',
        description:
          'Changes what is sent and keeps the rest; `blocks` is replaced whole and checked against the schema of today. ' +
          '`publishAt: null` takes a planned publication back. Every change of blocks, locale, status or owner is kept as a version.',
        params: RecordParams,
        body: shape.EntryChanges,
        response: { 200: shape.Entry },
      },
    },
    async (request, reply) => {
      const { cell, params, body } = request
      const entry = await transaction(cell, (tx) =>
        updateEntry(tx, writerOf(request), params.id, expectedOf(request), body),
      )
      return send(request, reply, entry)
    },
  )

  app.delete(
    '/entries/:id',
    {
      config: { access: 'CONTENT_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'deleteEntry',
        tags: ['Entries'],
        summary: 'Delete an entry',
        description: 'Its versions go with it.',
        params: RecordParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { cell, params } = request
      await transaction(cell, (tx) => deleteEntry(tx, writerOf(request), params.id, expectedOf(request)))
      return { success: true } as const
    },
  )

  app.get(
    '/entries/:id/versions',
    {
      config: { access: 'CONTENT_WRITE', business: 'path' },
      schema: {
        operationId: 'listEntryVersions',
        tags: ['Entries'],
        summary: 'List an entry’s versions',
        description: 'Newest first, without their blocks. The last 100 are kept.',
        params: RecordParams,
        querystring: PageOnly,
        response: { 200: PageOf(shape.EntryVersion) },
      },
    },
    (request) => listVersions(request.cell, viewerOf(request), request.params.id, request.query),
  )

  app.get(
    '/entries/:id/versions/:number',
    {
      config: { access: 'CONTENT_WRITE', business: 'path' },
      schema: {
        operationId: 'getEntryVersion',
        tags: ['Entries'],
        summary: 'Get a version of an entry',
        params: shape.VersionParams,
        response: { 200: shape.FullEntryVersion },
      },
    },
    (request) => getVersion(request.cell, viewerOf(request), request.params.id, request.params.number),
  )

  app.post(
    '/entries/:id/versions/:number/restore',
    {
      config: { access: 'CONTENT_WRITE', business: 'path', versioned: true },
      schema: {
        operationId: 'restoreEntryVersion',
        tags: ['Entries'],
        summary: 'Go back to a version of an entry',
        description:
          'Blocks and locale become what they were; the status stays. It is a change like any other: the schema of today ' +
          'applies, and a new version is made.',
        params: shape.VersionParams,
        response: { 200: shape.Entry },
      },
    },
    async (request, reply) => {
      const { cell, params } = request
      const entry = await transaction(cell, (tx) =>
        restoreVersion(tx, writerOf(request), params.id, params.number, expectedOf(request)),
      )
      return send(request, reply, entry)
    },
  )
}

const withRelations = (text: string, relations: string) => `${text.slice(0, -1)},"relations":${relations}}`
