import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, type TSchema, Type } from 'typebox'
import { decodeCursor, toPage } from '#vocabulary/paging.ts'
import { BusinessId, OneOf, PageOf, PageQuery } from '#vocabulary/schemas.ts'
import type { Db } from '../database/database.ts'
import { handle, operation } from '../http/operation.ts'
import type { EventDefinition } from './define.ts'
import { eventFields, presentEvent } from './feed.ts'

/** Returned as stored, even if an older version stored it. The reference shows one shape for each type. */
const eventOf = (kinds: readonly EventDefinition[]) =>
  Type.Object(eventFields, { title: 'Event', 'x-one-of': kinds.map(shapeOf) })

const Envelope = Type.Omit(Type.Object(eventFields), ['type', 'data'], { title: 'EventEnvelope' })

const shapeOf = ({ type, note, data }: EventDefinition): TSchema =>
  Type.Object(
    { type: OneOf([type]), data },
    { title: `${titleOf(type)}Event`, allOf: [Envelope], ...(note && { description: note }) },
  )

/** `order.status_changed` is OrderStatusChanged. */
const titleOf = (type: string) => type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())

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

const listEventsOf = (events: readonly EventDefinition[]) =>
  operation({
    method: 'GET',
    url: '/events',
    config: { access: 'ADMIN', business: 'path' },
    schema: {
      operationId: 'listEvents',
      tags: ['Events'],
      summary: 'List events',
      description: 'What happened to what this business owns, newest first. With `after`, a feed that skips nothing.',
      params: Type.Object({ businessId: BusinessId }),
      querystring: EventQuery,
      response: { 200: PageOf(eventOf(events)) },
    },
  })

type EventOptions = { events: readonly EventDefinition[] }

export const eventRoutes: FastifyPluginAsyncTypebox<EventOptions> = async (app, { events }) => {
  handle(app, listEventsOf(events), ({ cell, business, query }) => listEvents(cell, business.id, query))
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
  return toPage(await query.execute(), limit, filters, (row) => [row.number], presentEvent)
}
