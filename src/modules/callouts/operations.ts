import { operation } from '#platform/http/operation.ts'
import { BusinessParams, Success } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

const admin = { access: 'ADMIN', business: 'path' } as const
const tags = ['Callouts']

export const listCallouts = operation({
  method: 'GET',
  url: '/callouts',
  config: admin,
  schema: {
    operationId: 'listCallouts',
    tags,
    summary: 'List callouts',
    description: 'The services that are asked during quote and checkout: one for each point at most.',
    params: BusinessParams,
    response: { 200: shape.Callouts },
  },
})

export const getCallout = operation({
  method: 'GET',
  url: '/callouts/:point',
  config: admin,
  schema: {
    operationId: 'getCallout',
    tags,
    summary: 'Get a callout',
    params: shape.CalloutParams,
    response: { 200: shape.Callout },
  },
})

export const saveCallout = operation({
  method: 'PUT',
  url: '/callouts/:point',
  config: admin,
  schema: {
    operationId: 'saveCallout',
    tags,
    summary: 'Set or change a callout',
    description:
      'Changes what is sent and keeps the rest; the first time `url` is needed, and the answer holds the `secret`, once. To get another one, delete the callout and set it again.',
    params: shape.CalloutParams,
    body: shape.CalloutChanges,
    response: { 200: shape.Callout },
  },
})

export const removeCallout = operation({
  method: 'DELETE',
  url: '/callouts/:point',
  config: admin,
  schema: {
    operationId: 'removeCallout',
    tags,
    summary: 'Remove a callout',
    description: 'From the next quote on the settings of the market count.',
    params: shape.CalloutParams,
    response: { 200: Success },
  },
})

export const testCallout = operation({
  method: 'POST',
  url: '/callouts/:point/test',
  config: admin,
  schema: {
    operationId: 'testCallout',
    tags,
    summary: 'Try a callout',
    description:
      'Sends a made-up cart, also while the callout is not enabled, and answers what came, how long it took, and what is wrong with it. Ten a minute.',
    params: shape.CalloutParams,
    response: { 200: shape.CalloutTest },
  },
})
