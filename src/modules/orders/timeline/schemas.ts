import { Type } from 'typebox'
import { eventFields } from '#platform/events/feed.ts'
import { OneOf } from '#vocabulary/schemas.ts'
import { CommentId, CommentText } from '../comments/schemas.ts'

export const MAX_ITEMS = 200

const { actorId, actorKind, timestamp } = eventFields

const TimelineEvent = Type.Object(eventFields, { title: 'TimelineEvent', description: 'An event, as the feed has it.' })
const TimelineComment = Type.Object(
  { id: CommentId, type: OneOf(['comment']), actorId, actorKind, text: CommentText, timestamp },
  { title: 'TimelineComment' },
)

export const Timeline = Type.Object(
  { items: Type.Array(Type.Union([TimelineEvent, TimelineComment]), { maxItems: MAX_ITEMS }) },
  { title: 'Timeline' },
)
