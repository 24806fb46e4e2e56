import { operation } from '#platform/http/operation.ts'
import { FILE_TYPES } from '#platform/transfer/routes.ts'
import { BusinessParams, PageOf, PageOnly, Success } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const listCustomers = operation({
  method: 'GET',
  url: '/customers',
  config: { access: 'ORDERS_READ', business: 'path' },
  schema: {
    operationId: 'listCustomers',
    tags: ['Customers'],
    summary: 'List customers',
    description:
      'Everybody who has ordered or subscribed here, guests among them; kept within seconds of a change. A page may be short, even empty, before the last: go on while there is a `cursor`.',
    params: BusinessParams,
    querystring: shape.CustomerQuery,
    response: { 200: PageOf(shape.Customer) },
  },
})

export const exportCustomers = operation({
  method: 'GET',
  url: '/customers/export',
  config: { access: 'ORDERS_READ', business: 'path', downloads: FILE_TYPES, reads: 'replica' },
  schema: {
    operationId: 'exportCustomers',
    tags: ['Import and export'],
    summary: 'Export customers',
    description:
      'All that match, by name, streamed: CSV (a row a customer and currency) or NDJSON (a customer a line, as it is read). Each export is noted in the audit log, with its filters.',
    params: BusinessParams,
    querystring: shape.ExportQuery,
  },
})

export const getCustomer = operation({
  method: 'GET',
  url: '/customers/:userId',
  config: { access: 'ORDERS_READ', business: 'path', versioned: true },
  schema: {
    operationId: 'getCustomer',
    tags: ['Customers'],
    summary: 'Get a customer',
    description: 'Also by an id that they had as a guest; `id` is then the user’s.',
    params: shape.CustomerParams,
    response: { 200: shape.CustomerDetails },
  },
})

export const updateCustomer = operation({
  method: 'PUT',
  url: '/customers/:userId',
  config: { access: 'ORDERS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'updateCustomer',
    tags: ['Customers'],
    summary: 'Tag a customer',
    description: 'The tags as a whole. Everything else follows from orders and subscriptions. Needs ORDERS_READ, too.',
    params: shape.CustomerParams,
    body: shape.CustomerChanges,
    response: { 200: shape.CustomerDetails },
  },
})

export const exportCustomer = operation({
  method: 'GET',
  url: '/customers/:userId/export',
  config: { access: 'ADMIN', business: 'path' },
  schema: {
    operationId: 'exportCustomer',
    tags: ['Customers'],
    summary: 'Export a customer',
    description:
      'Everything that the business keeps about them, in one JSON document: comments, subscriptions, and all orders with their comments. Noted in the audit log.',
    params: shape.CustomerParams,
    response: { 200: shape.CustomerExport },
  },
})

export const eraseCustomer = operation({
  method: 'POST',
  url: '/customers/:userId/erase',
  config: { access: 'ADMIN', business: 'path' },
  schema: {
    operationId: 'eraseCustomer',
    tags: ['Customers'],
    summary: 'Erase a customer',
    description:
      'Takes the person out of what this business keeps: name, email, phones, addresses, tags and comments, and out of their orders that are DELIVERED, CANCELLED or REFUNDED. Money, lines and histories stay. Orders in work keep what is needed and are named: call again once they have ended. It cannot be undone, and is noted in the audit log.',
    params: shape.CustomerParams,
    response: { 200: shape.Erasure },
  },
})

export const commentOnCustomer = operation({
  method: 'POST',
  url: '/customers/:userId/comments',
  config: { access: 'ORDERS_WRITE', business: 'path', idempotent: true },
  schema: {
    operationId: 'commentOnCustomer',
    tags: ['Customers'],
    summary: 'Comment on a customer',
    description: 'For the people of the business. The customer never sees it.',
    params: shape.CustomerParams,
    body: shape.NewComment,
    response: { 201: shape.Comment },
  },
})

export const listComments = operation({
  method: 'GET',
  url: '/customers/:userId/comments',
  config: { access: 'ORDERS_READ', business: 'path' },
  schema: {
    operationId: 'listCustomerComments',
    tags: ['Customers'],
    summary: 'List comments on a customer',
    description: 'Newest first.',
    params: shape.CustomerParams,
    querystring: PageOnly,
    response: { 200: PageOf(shape.Comment) },
  },
})

export const deleteComment = operation({
  method: 'DELETE',
  url: '/customers/:userId/comments/:commentId',
  config: { access: 'ORDERS_WRITE', business: 'path' },
  schema: {
    operationId: 'deleteCustomerComment',
    tags: ['Customers'],
    summary: 'Delete a comment on a customer',
    description: 'Your own; an `ADMIN` may delete any.',
    params: shape.CommentParams,
    response: { 200: Success },
  },
})
