import { Type } from 'typebox'
import { operation } from '#platform/http/operation.ts'
import { BusinessParams, PageOf, PageOnly, Success } from '#vocabulary/schemas.ts'
import * as shape from '../schemas.ts'

const at = '/v1/businesses/:businessId/entries/:entryId'

export const sendEntry = operation({
  method: 'POST',
  url: `${at}/send`,
  config: { access: 'NEWSLETTER_SEND', business: 'path', idempotent: true },
  schema: {
    operationId: 'sendEntry',
    tags: ['Newsletters'],
    summary: 'Send an entry to its readers',
    description:
      'Sends it now, or at `scheduledAt`. The entry must belong to a newsletter and be complete; it need not be PUBLISHED. Content and recipients are settled when it starts: all readers, or those for whom `conditions` hold then. While it is under way, sending again returns the same send; afterwards it returns 409 `ALREADY_SENT`, unless `resend` is true.',
    params: shape.EntryParams,
    body: shape.NewSend,
    response: { 202: shape.Send },
  },
})

export const listSends = operation({
  method: 'GET',
  url: `${at}/sends`,
  config: { access: 'NEWSLETTER_SEND', business: 'path' },
  schema: {
    operationId: 'listSends',
    tags: ['Newsletters'],
    summary: 'List the sends of an entry',
    params: shape.EntryParams,
    querystring: PageOnly,
    response: { 200: PageOf(shape.Send) },
  },
})

export const findSends = operation({
  method: 'GET',
  url: '/v1/businesses/:businessId/sends',
  config: { access: 'NEWSLETTER_SEND', business: 'path' },
  schema: {
    operationId: 'findSends',
    tags: ['Newsletters'],
    summary: 'Find sends of all letters',
    description: 'Newest first.',
    params: BusinessParams,
    querystring: shape.SendQuery,
    response: { 200: PageOf(shape.Send) },
  },
})

export const getSend = operation({
  method: 'GET',
  url: `${at}/sends/:id`,
  config: { access: 'NEWSLETTER_SEND', business: 'path' },
  schema: {
    operationId: 'getSend',
    tags: ['Newsletters'],
    summary: 'Get a send',
    description: '`planned + sent + failed + suppressed + uncertain = total`, at any time.',
    params: shape.SendParams,
    response: { 200: shape.Send },
  },
})

export const previewEntry = operation({
  method: 'GET',
  url: `${at}/preview`,
  config: { access: 'CONTENT_READ_DRAFTS', business: 'path', fails: [409] },
  schema: {
    operationId: 'previewEntry',
    tags: ['Newsletters'],
    summary: 'Preview the mail of an entry',
    params: shape.EntryParams,
    response: { 200: shape.Preview },
  },
})

export const testEntry = operation({
  method: 'POST',
  url: `${at}/test`,
  config: { access: 'NEWSLETTER_SEND', business: 'path', fails: [409] },
  schema: {
    operationId: 'testEntry',
    tags: ['Newsletters'],
    summary: 'Send a test mail to yourself',
    description: 'Goes to the address of your own account.',
    params: shape.EntryParams,
    response: { 200: Success },
  },
})

export const listTemplateVariables = operation({
  method: 'GET',
  url: '/v1/collections/entry-types/:entryType/variables',
  config: { access: 'guest', business: 'none' },
  schema: {
    operationId: 'listTemplateVariables',
    tags: ['Newsletters'],
    summary: 'List template variables',
    description: 'In Liquid: `{{ subscriber.name }}`.',
    params: Type.Object({ entryType: Type.String({ maxLength: 64, examples: ['NEWSLETTER'] }) }),
    response: { 200: shape.Variables },
  },
})

export const listRecipients = operation({
  method: 'GET',
  url: `${at}/sends/:id/recipients`,
  config: { access: 'SUBSCRIBERS_READ', business: 'path' },
  schema: {
    operationId: 'listRecipients',
    tags: ['Newsletters'],
    summary: 'List what became of each reader of a send',
    description: 'With `status=PLANNED` the next one first.',
    params: shape.SendParams,
    querystring: shape.RecipientQuery,
    response: { 200: PageOf(shape.Recipient) },
  },
})

export const countClicks = operation({
  method: 'GET',
  url: `${at}/sends/:id/clicks`,
  config: { access: 'NEWSLETTER_SEND', business: 'path' },
  schema: {
    operationId: 'countClicks',
    tags: ['Newsletters'],
    summary: 'Count what readers of a send have clicked',
    description:
      'Links in the order of the letter; one that differs from reader to reader is not counted. Clicks of programs are left out: those that say so, that only look ahead, or that come within ten seconds of the mail.',
    params: shape.SendParams,
    response: { 200: shape.Clicks },
  },
})

export const getSendResults = operation({
  method: 'GET',
  url: `${at}/sends/:id/results`,
  config: { access: 'SUBSCRIBERS_READ', business: 'path' },
  schema: {
    operationId: 'getSendResults',
    tags: ['Newsletters'],
    summary: 'Get what came of a send',
    description:
      'Readers whom it reached, what they clicked, who left by its link, and paid orders that followed: of a reader (by user or email address) within seven days of a click, or with a promo code that the letter names in capitals. Of the clicks of a reader on a link the first and the last are known. That an order followed does not say why.',
    params: shape.SendParams,
    response: { 200: shape.SendResults },
  },
})

export const sendRemaining = operation({
  method: 'POST',
  url: `${at}/sends/:id/send-remaining`,
  config: { access: 'NEWSLETTER_SEND', business: 'path', idempotent: true, fails: [409] },
  schema: {
    operationId: 'sendRemaining',
    tags: ['Newsletters'],
    summary: 'Send to those whom a send did not reach',
    description:
      'Makes a new send of the same letter to those of them who are ACTIVE and not suppressed, and to nobody else; whoever is in an earlier remainder of the send is left out. Returns 409 while a send of the entry is under way, or if nobody is left.',
    params: shape.SendParams,
    body: shape.RemainingSend,
    response: { 201: shape.Send },
  },
})

const moveSend = (move: 'pause' | 'resume' | 'cancel', summary: string) =>
  operation({
    method: 'POST',
    url: `${at}/sends/:id/${move}`,
    config: { access: 'NEWSLETTER_SEND', business: 'path', fails: [409] },
    schema: {
      operationId: `${move}Send`,
      tags: ['Newsletters'],
      summary,
      description: 'Mails that are being handed over at that moment still go out.',
      params: shape.SendParams,
      response: { 200: shape.Send },
    },
  })
export const pauseSend = moveSend('pause', 'Pause a send')
export const resumeSend = moveSend('resume', 'Resume a send')
export const cancelSend = moveSend('cancel', 'Cancel a send')
