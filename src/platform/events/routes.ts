import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { decodeCursor, toPage } from '#vocabulary/paging.ts'
import { BusinessId, idOf, Nullable, PageOf, PageQuery, UnixSeconds } from '#vocabulary/schemas.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Db } from '../database/database.ts'

const Event = Type.Object(
  {
    id: idOf('evt', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    number: Type.Integer({ description: 'Counts the events of this business, without gaps.', examples: [42] }),
    type: Type.String({ examples: ['order.paid'] }),
    subject: Type.String({
      description: 'The id of what it happened to.',
      examples: ['ord_01jcq3v7k8f5t9x2m4n6p8r0sw'],
    }),
    actorId: Nullable(Type.String({ examples: ['usr_01jcq3v7k8f5t9x2m4n6p8r0sw'] })),
    actorKind: Type.String({ examples: ['user'] }),
    data: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true, examples: [{ total: 1999 }] }),
    timestamp: UnixSeconds,
  },
  { title: 'Event' },
)

const EventQuery = Type.Object({
  ...PageQuery,
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Follow the feed: events with a higher number, oldest first. Ask again with the last number seen.',
    }),
  ),
  type: Type.Optional(Type.String({ maxLength: 100, description: 'Only events of this type.' })),
})

export const eventRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/events',
    {
      config: { access: 'ADMIN', business: 'path' },
      schema: {
        operationId: 'listEvents',
        tags: ['Events'],
        summary: 'List events',
        description: 'What happened to what this business owns, newest first. With `after`, a feed that skips nothing.',
        params: Type.Object({ businessId: BusinessId }),
        querystring: EventQuery,
        response: { 200: PageOf(Event) },
      },
    },
    ({ cell, business, query }) => listEvents(cell, business.id, query),
  )
}

async function listEvents(db: Db, businessId: string, { limit = 20, cursor, after, type }: Static<typeof EventQuery>) {
  const filters = { list: 'events', businessId, after, type }
  const position = decodeCursor(filters, cursor, ['number'])?.[0] as number | undefined
  const forwards = after !== undefined
  let query = db
    .selectFrom('cell.events')
    .selectAll()
    .where('businessId', '=', businessId)
    .orderBy('number', forwards ? 'asc' : 'desc')
    .limit(limit + 1)
  const from = position ?? after
  if (from !== undefined) query = query.where('number', forwards ? '>' : '<', from)
  if (type !== undefined) query = query.where('type', '=', type)
  return toPage(
    await query.execute(),
    limit,
    filters,
    (row) => [row.number],
    (row) => ({
      id: row.id,
      number: row.number,
      type: row.type,
      subject: row.subject,
      actorId: row.actorId,
      actorKind: row.actorKind,
      data: row.data,
      timestamp: toSeconds(row.occurredAt),
    }),
  )
}
