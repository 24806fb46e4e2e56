import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type TSchema, Type } from 'typebox'
import { BusinessId, OneOf, PageOf, PageQuery } from '#vocabulary/schemas.ts'
import { wordsOf } from '../http/access.ts'
import { handle, operation } from '../http/operation.ts'
import { permissionMissing } from '../http/refusals.ts'
import type { EventDefinition } from './define.ts'
import { eventFields } from './feed.ts'
import { listEvents } from './list-events.ts'
import { type Readers, readingPermissions, topicOf, topicsFor } from './readers.ts'

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
  subject: Type.Optional(Type.String({ maxLength: 100, description: 'Only what happened to the record of this id.' })),
})

const listEventsOf = ({ events, readers }: EventOptions) =>
  operation({
    method: 'GET',
    url: '/events',
    config: { access: readingPermissions(readers), business: 'path' },
    schema: {
      operationId: 'listEvents',
      tags: ['Events'],
      summary: 'List events',
      description:
        'What happened to what this business owns, newest first. With `after`, a feed that skips nothing. Each permission shows the events of its own records: docs/events.md has the list. A page may be short, or empty, and still have a cursor.',
      params: Type.Object({ businessId: BusinessId }),
      querystring: EventQuery,
      response: { 200: PageOf(eventOf(events)) },
    },
  })

export type EventOptions = { events: readonly EventDefinition[]; readers: Readers }

export const eventRoutes: FastifyPluginAsyncTypebox<EventOptions> = async (app, options) => {
  const { readers } = options
  handle(app, listEventsOf(options), ({ cell, business, permissions, query }) => {
    const topics = topicsFor(readers, permissions)
    if (query.type !== undefined && topics && !topics.includes(topicOf(query.type))) {
      throw permissionMissing({ access: wordsOf(readers[topicOf(query.type)] ?? 'ADMIN') })
    }
    return listEvents(cell, business.id, topics, query)
  })
}
