import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '#platform/database/database.ts'
import { listEventsAbout, presentEvent } from '#platform/events/feed.ts'
import { handle } from '#platform/http/operation.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { type CommentRow, newestComments } from '../comments/queries.ts'
import { orderNotFound } from '../errors.ts'
import { findOrder } from '../queries.ts'
import * as operation from './operations.ts'
import { MAX_ITEMS } from './schemas.ts'

export const timelineRoutes: FastifyPluginAsyncTypebox = async (app) => {
  handle(app, operation.getTimeline, async ({ cell, business, params }) => {
    if (!(await findOrder(cell, business.id, params.id))) throw orderNotFound()
    return { items: await readTimeline(cell, business.id, params.id) }
  })
}

/** What happened to an order and what was said of it, merged by time, newest first. */
async function readTimeline(db: Db, businessId: string, orderId: string) {
  const [events, comments] = await Promise.all([
    listEventsAbout(db, businessId, orderId, MAX_ITEMS),
    newestComments(db, businessId, orderId, MAX_ITEMS),
  ])
  return [
    ...comments.map((row) => ({ at: row.createdAt, item: presentOnTimeline(row) })),
    ...events.map((row) => ({ at: row.occurredAt, item: presentEvent(row) })),
  ]
    .sort((a, b) => b.at.getTime() - a.at.getTime())
    .slice(0, MAX_ITEMS)
    .map(({ item }) => item)
}

const presentOnTimeline = ({ id, authorId, authorKind, text, createdAt }: CommentRow) => ({
  id,
  type: 'comment' as const,
  actorId: authorId,
  actorKind: authorKind,
  text,
  timestamp: toSeconds(createdAt),
})
