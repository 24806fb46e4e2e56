import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type TSchema, Type } from 'typebox'
import type { Permission } from '#vocabulary/permissions.ts'
import { anyOf, BusinessId, OneOf, PageOf, PageQuery } from '#vocabulary/schemas.ts'
import { wordsOf } from '../http/access.ts'
import { handle, operation } from '../http/operation.ts'
import { permissionMissing, valueInvalid } from '../http/refusals.ts'
import type { EventDefinition } from './define.ts'
import { eventFields } from './feed.ts'
import { listEvents } from './list-events.ts'
import { type Readers, readingPermissions, topicOf, topicsFor } from './readers.ts'
import type { Streams } from './streams.ts'

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
  type: anyOf(Type.String({ maxLength: 100, examples: ['order.paid'] }), 'Only events of this type.'),
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

const StreamQuery = Type.Object({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Begin with the event after this number. By default: with the next one that happens.',
    }),
  ),
  type: anyOf(Type.String({ maxLength: 100, examples: ['order.paid'] }), 'Only events of this type.'),
  subject: Type.Optional(Type.String({ maxLength: 100, description: 'Only what happened to the record of this id.' })),
})

const streamEventsOf = ({ readers }: EventOptions) =>
  operation({
    method: 'GET',
    url: '/events/stream',
    config: {
      access: readingPermissions(readers),
      business: 'path',
      downloads: ['text/event-stream'],
      isStream: true,
    },
    schema: {
      operationId: 'streamEvents',
      tags: ['Events'],
      summary: 'Follow events as they happen',
      description:
        'The events of `GET …/events`, as server-sent events: `id` is the number, `data` the event. `Last-Event-ID` goes on without a gap. It ends with the access token, the session, the role or the business: connect again. Read it with `fetch`, which sends the token in a header.',
      params: Type.Object({ businessId: BusinessId }),
      querystring: StreamQuery,
    },
  })

export type EventOptions = { events: readonly EventDefinition[]; readers: Readers; streams: Streams }

export const eventRoutes: FastifyPluginAsyncTypebox<EventOptions> = async (app, options) => {
  const { readers, streams } = options
  const mayRead = (permissions: readonly Permission[], types: readonly string[] = []) => {
    const topics = topicsFor(readers, permissions)
    const refused = topics && types.find((type) => !topics.includes(topicOf(type)))
    if (refused === undefined) return topics
    throw permissionMissing({ access: wordsOf(readers[topicOf(refused)] ?? 'ADMIN') })
  }

  handle(app, listEventsOf(options), ({ cell, business, permissions, query }) =>
    listEvents(cell, business.id, mayRead(permissions, query.type), query),
  )

  handle(app, streamEventsOf(options), async (request, reply) => {
    const { permissions, query, headers, method } = request
    mayRead(permissions, query.type)
    const after = numberIn(headers['last-event-id']) ?? query.after
    void reply.headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no', // a proxy must pass on each line at once
    })
    return reply.send(method === 'HEAD' ? '' : await streams.open(request, { ...query, after }))
  })
}

function numberIn(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined
  if (/^\d{1,15}$/.test(String(header))) return Number(header)
  throw valueInvalid({ field: 'Last-Event-ID', message: 'Last-Event-ID must be the number of an event, such as 42.' })
}
