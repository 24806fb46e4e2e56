import { operation } from '#platform/http/operation.ts'
import { PageOf, PageOnly, RecordParams, Success } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const commentOnOrder = operation({
  method: 'POST',
  url: '/orders/:id/comments',
  config: { access: 'ORDERS_WRITE', business: 'path', idempotent: true },
  schema: {
    operationId: 'commentOnOrder',
    tags: ['Orders'],
    summary: 'Comment on an order',
    description: 'For the people of the business. Customers never see it.',
    params: RecordParams,
    body: shape.NewComment,
    response: { 201: shape.Comment },
  },
})

export const listComments = operation({
  method: 'GET',
  url: '/orders/:id/comments',
  config: { access: 'ORDERS_READ', business: 'path' },
  schema: {
    operationId: 'listOrderComments',
    tags: ['Orders'],
    summary: 'List comments on an order',
    description: 'Newest first.',
    params: RecordParams,
    querystring: PageOnly,
    response: { 200: PageOf(shape.Comment) },
  },
})

export const deleteComment = operation({
  method: 'DELETE',
  url: '/orders/:id/comments/:commentId',
  config: { access: 'ORDERS_WRITE', business: 'path' },
  schema: {
    operationId: 'deleteOrderComment',
    tags: ['Orders'],
    summary: 'Delete a comment',
    description: 'Your own; an `ADMIN` may delete any.',
    params: shape.CommentParams,
    response: { 200: Success },
  },
})
