import { type Static, Type } from 'typebox'
import { BusinessId, Id, idOf, OrderId, UnixSeconds, UserId } from '#vocabulary/schemas.ts'

const MAX_TEXT = 5_000

export const CommentId = idOf('cmt', '01jcq3v7k8f5t9x2m4n6p8r0sw')
export const CommentText = Type.String({
  minLength: 1,
  maxLength: MAX_TEXT,
  pattern: '\\S',
  examples: ['The customer rang: deliver after six.'],
})

export const CommentParams = Type.Object({ businessId: BusinessId, id: Id, commentId: Id })

export const NewComment = Type.Object({ text: CommentText })
export type NewComment = Static<typeof NewComment>

export const Comment = Type.Object(
  {
    id: CommentId,
    orderId: OrderId,
    authorId: UserId,
    text: CommentText,
    createdAt: UnixSeconds,
  },
  { title: 'Comment' },
)
export type Comment = Static<typeof Comment>
