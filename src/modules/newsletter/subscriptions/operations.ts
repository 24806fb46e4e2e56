import { operation } from '#platform/http/operation.ts'
import { BusinessParams, PageOf, RecordParams, Success } from '#vocabulary/schemas.ts'
import * as shape from '../schemas.ts'

export const subscribe = operation({
  method: 'POST',
  url: '/collections/:collectionId/subscribe',
  config: { access: 'guest', business: 'path', idempotent: true, fails: [502] },
  schema: {
    operationId: 'subscribe',
    tags: ['Newsletters'],
    summary: 'Subscribe an address',
    description:
      'To a free plan: 201 with the subscription, ACTIVE at once, or PENDING until the mailed link is followed where the ' +
      'newsletter wants that (`doubleOptIn`) or ' +
      'the address had left everything. An address has one subscription to a newsletter: again, it is the same one. ' +
      'To a paid plan: 200 with the address where it is paid; the subscription comes with the money. `plan_id` is read too.',
    params: shape.CollectionParams,
    body: shape.NewSubscription,
    response: {
      200: shape.SubscribeResult,
      201: shape.Subscription,
    },
  },
})

export const listSubscribers = operation({
  method: 'GET',
  url: '/collections/:id/subscribers',
  config: { access: 'SUBSCRIBERS_READ', business: 'path', fails: [409] },
  schema: {
    operationId: 'listSubscribers',
    tags: ['Newsletters'],
    summary: 'List a newsletter’s subscribers',
    description: 'Newest first, whatever their status.',
    params: RecordParams,
    querystring: shape.SubscriberQuery,
    response: { 200: PageOf(shape.Subscription) },
  },
})

export const countSubscribers = operation({
  method: 'GET',
  url: '/collections/:id/subscribers/counts',
  config: { access: 'SUBSCRIBERS_READ', business: 'path', fails: [409] },
  schema: {
    operationId: 'countSubscribers',
    tags: ['Newsletters'],
    summary: 'Count a newsletter’s subscribers by status',
    description:
      'A status that none of them has is left out. A letter goes to the ACTIVE ones that are not suppressed.',
    params: RecordParams,
    response: { 200: shape.SubscriberCounts },
  },
})

export const unsubscribe = operation({
  method: 'POST',
  url: '/collections/unsubscribe',
  config: { access: 'public', business: 'path' },
  schema: {
    operationId: 'unsubscribe',
    tags: ['Newsletters'],
    summary: 'Unsubscribe',
    description:
      'With the token of a newsletter mail; no login is needed. No mail comes from then on, and a paid plan is not renewed. ' +
      'Doing it again changes nothing.',
    params: BusinessParams,
    body: shape.Unsubscribe,
    response: { 200: Success },
  },
})
