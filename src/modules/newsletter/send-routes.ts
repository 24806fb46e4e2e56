import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { type Collection, type Entry, findEntry } from '#modules/content/index.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Business } from '#vocabulary/business.ts'
import { notFound, providerNotConfigured } from '#vocabulary/errors.ts'
import { PageOf, PageOnly, Success } from '#vocabulary/schemas.ts'
import { compose } from './compose.ts'
import { noAddress, notANewsletter } from './errors.ts'
import { findNewsletter } from './newsletter.ts'
import { openTemplate } from './render.ts'
import * as shape from './schemas.ts'
import { presentSend } from './send.ts'
import { getSend, listSends, moveSend, planSend } from './sends.ts'
import { mailTest } from './test-mail.ts'
import { VARIABLES } from './variables.ts'

export type SendOptions = { publicUrl: string; hasMail: boolean }

const ENTRY_TYPES = ['NEWSLETTER']

export const sendRoutes: FastifyPluginAsyncTypebox<SendOptions> = async (app, { publicUrl, hasMail }) => {
  const at = '/v1/businesses/:businessId/entries/:entryId'

  app.post(
    `${at}/send`,
    {
      config: { access: 'NEWSLETTER_SEND', business: 'path', idempotent: true },
      schema: {
        operationId: 'sendEntry',
        tags: ['Newsletters'],
        summary: 'Send an entry to all subscribers',
        description:
          'Now, or at `scheduledAt`. The entry must belong to a newsletter and be complete; it need not be PUBLISHED. What is ' +
          'sent and who gets it is settled when it starts. While it is under way, sending again answers the same send; ' +
          'afterwards it is 409 `ALREADY_SENT`, unless `resend` is true.',
        params: shape.EntryParams,
        body: shape.NewSend,
        response: { 202: shape.Send },
      },
      preValidation: async (request) => {
        request.body ??= {} // nothing in it is required, so there may be none
      },
    },
    async (request, reply) => {
      if (!hasMail) throw providerNotConfigured('mail')
      const { cell, business, params, actor, body } = request
      const { businessId, entryId } = params
      const writer = {
        businessId,
        actor,
        compose: (entry: Entry, newsletter: Collection) => composeFor(business, entry, newsletter),
      }
      const plan = async (tx: Tx) => presentSend(await planSend(tx, writer, entryId, body))
      return createOnce(request, reply, cell, plan, 202)
    },
  )

  app.get(
    `${at}/sends`,
    {
      config: { access: 'NEWSLETTER_SEND', business: 'path' },
      schema: {
        operationId: 'listSends',
        tags: ['Newsletters'],
        summary: 'List the sends of an entry',
        params: shape.EntryParams,
        querystring: PageOnly,
        response: { 200: PageOf(shape.Send) },
      },
    },
    ({ cell, params, query }) => listSends(cell, params.businessId, params.entryId, query),
  )

  app.get(
    `${at}/sends/:id`,
    {
      config: { access: 'NEWSLETTER_SEND', business: 'path' },
      schema: {
        operationId: 'getSend',
        tags: ['Newsletters'],
        summary: 'How far a send is',
        description: '`planned + sent + failed + suppressed + uncertain = total`, at any time.',
        params: shape.SendParams,
        response: { 200: shape.Send },
      },
    },
    async ({ cell, params }) => presentSend(await getSend(cell, params.businessId, params.entryId, params.id)),
  )

  for (const [move, summary] of [
    ['pause', 'Pause a send'],
    ['resume', 'Go on with a paused send'],
    ['cancel', 'Stop a send for good'],
  ] as const) {
    app.post(
      `${at}/sends/:id/${move}`,
      {
        config: { access: 'NEWSLETTER_SEND', business: 'path', fails: [409] },
        schema: {
          operationId: `${move}Send`,
          tags: ['Newsletters'],
          summary,
          description: 'Mails that are being handed over at that moment still go out.',
          params: shape.SendParams,
          response: { 200: shape.Send },
        },
      },
      ({ cell, params, actor }) =>
        transaction(cell, async (tx) =>
          presentSend(await moveSend(tx, { businessId: params.businessId, actor }, params, move)),
        ),
    )
  }

  app.get(
    `${at}/preview`,
    {
      config: { access: 'CONTENT_READ_DRAFTS', business: 'path', fails: [409] },
      schema: {
        operationId: 'previewEntry',
        tags: ['Newsletters'],
        summary: 'See the mail that an entry becomes',
        params: shape.EntryParams,
        response: { 200: shape.Preview },
      },
    },
    ({ cell, business, params }) => preview(cell, business, params.entryId),
  )

  function composeFor(business: Business, entry: Entry, newsletter: Collection) {
    const siteUrl = business.allowedOrigins[0] ?? publicUrl
    return compose({ business: { ...business, siteUrl }, newsletter, entry })
  }

  async function preview(cell: Db, business: Business, entryId: string) {
    const entry = await findEntry(cell, business.id, entryId)
    if (!entry) throw notFound('entry')
    const newsletter = await findNewsletter(cell, entry)
    if (!newsletter) throw notANewsletter('entryId')
    return openTemplate(await composeFor(business, entry, newsletter))({
      name: 'Ada',
      email: 'ada@example.com',
      unsubscribeUrl: `${publicUrl}/newsletters/unsubscribe`,
    })
  }

  app.post(
    `${at}/test`,
    {
      config: { access: 'NEWSLETTER_SEND', business: 'path', fails: [409] },
      schema: {
        operationId: 'testEntry',
        tags: ['Newsletters'],
        summary: 'Send the mail to oneself',
        description: 'To the address of the caller’s own account.',
        params: shape.EntryParams,
        response: { 200: Success },
      },
    },
    async ({ cell, business, actor, params }) => {
      if (!hasMail) throw providerNotConfigured('mail')
      if (!actor.email) throw noAddress()
      await preview(cell, business, params.entryId) // what cannot be rendered is told now
      const { email } = actor
      await transaction(cell, (tx) =>
        enqueue(tx, mailTest, { businessId: business.id, entryId: params.entryId, email }),
      )
      return { success: true } as const
    },
  )

  app.get(
    '/v1/collections/entry-types/:entryType/variables',
    {
      config: { access: 'guest', business: 'none' },
      schema: {
        operationId: 'listTemplateVariables',
        tags: ['Newsletters'],
        summary: 'What a newsletter’s text may name',
        description: 'In Liquid: `{{ subscriber.name }}`.',
        params: Type.Object({ entryType: Type.String({ maxLength: 64, examples: ['NEWSLETTER'] }) }),
        response: { 200: shape.Variables },
      },
    },
    async ({ params }) => {
      if (!ENTRY_TYPES.includes(params.entryType)) throw notFound('entry type')
      return { variables: VARIABLES }
    },
  )
}
