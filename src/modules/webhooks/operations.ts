import { operation } from '#platform/http/operation.ts'
import { BusinessParams, PageOf, PageOnly, Success } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

const tags = ['Webhooks']

export const createWebhookEndpoint = operation({
  method: 'POST',
  url: '/webhook-endpoints',
  config: { access: 'SETTINGS_WRITE', business: 'path', idempotent: true, fails: [409] },
  schema: {
    operationId: 'createWebhookEndpoint',
    tags,
    summary: 'Create a webhook endpoint',
    description:
      'It is told by signed requests (Standard Webhooks) what happens from now on. Only this answer has its `secret`. 20 for a business at most.',
    params: BusinessParams,
    body: shape.NewWebhookEndpoint,
    response: { 201: shape.WebhookEndpointWithSecret },
  },
})

export const listWebhookEndpoints = operation({
  method: 'GET',
  url: '/webhook-endpoints',
  config: { access: 'SETTINGS_WRITE', business: 'path' },
  schema: {
    operationId: 'listWebhookEndpoints',
    tags,
    summary: 'List webhook endpoints',
    description: 'Newest first.',
    params: BusinessParams,
    querystring: PageOnly,
    response: { 200: PageOf(shape.WebhookEndpoint) },
  },
})

export const getWebhookEndpoint = operation({
  method: 'GET',
  url: '/webhook-endpoints/:id',
  config: { access: 'SETTINGS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'getWebhookEndpoint',
    tags,
    summary: 'Get a webhook endpoint',
    params: shape.EndpointParams,
    response: { 200: shape.WebhookEndpoint },
  },
})

export const updateWebhookEndpoint = operation({
  method: 'PUT',
  url: '/webhook-endpoints/:id',
  config: { access: 'SETTINGS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'updateWebhookEndpoint',
    tags,
    summary: 'Change a webhook endpoint',
    description:
      'Who changes it must be able to read every type that it is told of, because they may send it elsewhere.',
    params: shape.EndpointParams,
    body: shape.WebhookEndpointChanges,
    response: { 200: shape.WebhookEndpoint },
  },
})

export const deleteWebhookEndpoint = operation({
  method: 'DELETE',
  url: '/webhook-endpoints/:id',
  config: { access: 'SETTINGS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'deleteWebhookEndpoint',
    tags,
    summary: 'Delete a webhook endpoint',
    description: 'It is told nothing more, and its deliveries are gone.',
    params: shape.EndpointParams,
    response: { 200: Success },
  },
})

export const rotateWebhookSecret = operation({
  method: 'POST',
  url: '/webhook-endpoints/:id/rotate',
  config: { access: 'SETTINGS_WRITE', business: 'path' },
  schema: {
    operationId: 'rotateWebhookSecret',
    tags,
    summary: 'Make a new secret',
    description: 'Only this answer has it. For `keepOldHours` requests are signed with both.',
    params: shape.EndpointParams,
    body: shape.RotateBody,
    response: { 200: shape.WebhookEndpointWithSecret },
  },
})

export const pingWebhookEndpoint = operation({
  method: 'POST',
  url: '/webhook-endpoints/:id/ping',
  config: { access: 'SETTINGS_WRITE', business: 'path', isSlow: true },
  schema: {
    operationId: 'pingWebhookEndpoint',
    tags,
    summary: 'Send a test event',
    description:
      'At once, of the type `webhook_endpoint.ping` and the number 0, also to one that is disabled, and answers what came of it. It is not tried again, and is no event of the feed. 10 a minute.',
    params: shape.EndpointParams,
    response: { 200: shape.WebhookAttempt },
  },
})

export const listWebhookDeliveries = operation({
  method: 'GET',
  url: '/webhook-endpoints/:id/deliveries',
  config: { access: 'SETTINGS_WRITE', business: 'path' },
  schema: {
    operationId: 'listWebhookDeliveries',
    tags,
    summary: 'List deliveries that failed',
    description:
      'Events that were not delivered at the first attempt, newest first, for 14 days. DELIVERED: a later attempt did. What was delivered at once is not listed: it is everything else up to `lastNumber`. Only those of types that you may read: a receiver may answer with what it was told.',
    params: shape.EndpointParams,
    querystring: shape.DeliveryQuery,
    response: { 200: PageOf(shape.WebhookDelivery) },
  },
})

export const replayWebhookEvents = operation({
  method: 'POST',
  url: '/webhook-endpoints/:id/replay',
  config: { access: 'SETTINGS_WRITE', business: 'path', fails: [409] },
  schema: {
    operationId: 'replayWebhookEvents',
    tags,
    summary: 'Send events again',
    description:
      'Those between two numbers, or those that failed; 100,000 at most, one replay at a time. New events go before them. `webhook-id` is what it was, so a receiver knows what it has.',
    params: shape.EndpointParams,
    body: shape.ReplayBody,
    response: { 200: shape.WebhookEndpoint },
  },
})
