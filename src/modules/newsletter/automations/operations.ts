import { operation } from '#platform/http/operation.ts'
import { Success } from '#vocabulary/schemas.ts'
import { CollectionParams } from '../schemas.ts'
import * as shape from './schemas.ts'

const at = '/collections/:collectionId/automations'
const wishes = '/collections/:collectionId/wishes'

export const createAutomation = operation({
  method: 'POST',
  url: at,
  config: { access: 'NEWSLETTER_SEND', business: 'path', idempotent: true },
  schema: {
    operationId: 'createAutomation',
    tags: ['Newsletters'],
    summary: 'Let a letter go out by itself',
    description:
      'Counts from now on: nobody gets it because of what happened before. Only ACTIVE readers of the newsletter get it, and each as a recipient of a send, as with any letter.',
    params: CollectionParams,
    body: shape.NewAutomation,
    response: { 201: shape.Automation },
  },
})

export const listAutomations = operation({
  method: 'GET',
  url: at,
  config: { access: 'NEWSLETTER_SEND', business: 'path', fails: [409] },
  schema: {
    operationId: 'listAutomations',
    tags: ['Newsletters'],
    summary: 'List the letters of a newsletter that go out by themselves',
    description: 'At most one for each trigger.',
    params: CollectionParams,
    response: { 200: shape.AutomationList },
  },
})

export const getAutomation = operation({
  method: 'GET',
  url: `${at}/:id`,
  config: { access: 'NEWSLETTER_SEND', business: 'path', versioned: true, fails: [409] },
  schema: {
    operationId: 'getAutomation',
    tags: ['Newsletters'],
    summary: 'Get a letter that goes out by itself',
    params: shape.AutomationParams,
    response: { 200: shape.Automation },
  },
})

export const updateAutomation = operation({
  method: 'PUT',
  url: `${at}/:id`,
  config: { access: 'NEWSLETTER_SEND', business: 'path', versioned: true },
  schema: {
    operationId: 'updateAutomation',
    tags: ['Newsletters'],
    summary: 'Change a letter that goes out by itself',
    description:
      'Changes what is sent and keeps the rest. A new delay counts for what happens from then on. What waits when it is turned off waits on, and is passed over once it is a day late.',
    params: shape.AutomationParams,
    body: shape.AutomationChanges,
    response: { 200: shape.Automation },
  },
})

export const deleteAutomation = operation({
  method: 'DELETE',
  url: `${at}/:id`,
  config: { access: 'NEWSLETTER_SEND', business: 'path', versioned: true },
  schema: {
    operationId: 'deleteAutomation',
    tags: ['Newsletters'],
    summary: 'Delete a letter that goes out by itself',
    description: 'Whoever waits gets nothing. The letter itself and its sends stay.',
    params: shape.AutomationParams,
    response: { 200: Success },
  },
})

export const makeWish = operation({
  method: 'POST',
  url: wishes,
  config: { access: 'guest', business: 'path', fails: [409] },
  schema: {
    operationId: 'makeWish',
    tags: ['Newsletters'],
    summary: 'Wait for a variant that is sold out',
    description:
      'The reader gets the newsletter’s BACK_IN_STOCK letter once, when it can be bought again. It counts for ACTIVE readers only, and the answer does not tell whether the address is one: have people subscribe first. Returns 409 `WRONG_STATE` if the variant can be bought, or the newsletter has no such letter.',
    params: CollectionParams,
    body: shape.Wish,
    response: { 200: Success },
  },
})

export const withdrawWish = operation({
  method: 'DELETE',
  url: wishes,
  config: { access: 'guest', business: 'path' },
  schema: {
    operationId: 'withdrawWish',
    tags: ['Newsletters'],
    summary: 'Wait for a variant no longer',
    description: 'For whoever made the wish, or has the address. Anything else changes nothing.',
    params: CollectionParams,
    querystring: shape.Wish,
    response: { 200: Success },
  },
})
