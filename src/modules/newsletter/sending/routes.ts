import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findEntry } from '#modules/content/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Business } from '#vocabulary/business.ts'
import { refusalOf } from '#vocabulary/errors.ts'
import { fromSeconds } from '#vocabulary/time.ts'
import { countClicks } from '../clicks/count-clicks.ts'
import { entryNotFound, entryTypeNotFound, noAddress, noMail, notANewsletter } from '../errors.ts'
import { composeLetter } from '../mail/compose-letter.ts'
import { openTemplate } from '../mail/render.ts'
import { VARIABLES } from '../mail/variables.ts'
import { type PaidOrders, readResults } from '../results/read-results.ts'
import { checkDailyLimit } from './daily-limit.ts'
import { findSends } from './find-sends.ts'
import { listRecipients } from './list-recipients.ts'
import { moveSend } from './move-send.ts'
import { findNewsletter } from './newsletter.ts'
import * as operation from './operations.ts'
import { planSend } from './plan-send.ts'
import { getSend, listSends } from './queries.ts'
import { presentSend } from './send.ts'
import { sendRemaining } from './send-remaining.ts'
import { mailTest } from './test-mail.ts'

export type SendOptions = { publicUrl: string; hasMail: boolean; paidOrders: PaidOrders }

const ENTRY_TYPES = ['NEWSLETTER']

export const sendRoutes: FastifyPluginAsyncTypebox<SendOptions> = async (app, { publicUrl, hasMail, paidOrders }) => {
  handle(
    app,
    operation.sendEntry,
    async (request, reply) => {
      if (!hasMail) throw noMail()
      const { cell, business, params, actor, permissions, body } = request
      const { entryId } = params
      if (fromSeconds(body.scheduledAt ?? 0) <= now()) await checkDailyLimit(cell, business)
      // Composed before the transaction, because it may take seconds, so that a template error is returned now, not
      // when the send is due.
      const problem = await refusalOf(composeEntry(cell, business, entryId))
      const plan = async (tx: Tx) =>
        presentSend(await planSend(tx, { business, actor, permissions, problem }, entryId, body))
      return createOnce(request, reply, cell, plan, 202)
    },
    {
      preValidation: async (request) => {
        request.body ??= {} // the body is optional
      },
    },
  )

  handle(app, operation.listSends, ({ cell, business, params, query }) =>
    listSends(cell, business.id, params.entryId, query),
  )

  handle(app, operation.findSends, ({ cell, business, query }) => findSends(cell, business.id, query))

  handle(app, operation.getSend, async ({ cell, business, params }) =>
    presentSend(await getSend(cell, business.id, params.entryId, params.id)),
  )

  handle(app, operation.listRecipients, ({ cell, business, params, query }) =>
    listRecipients(cell, business.id, params, query),
  )

  handle(app, operation.countClicks, ({ cell, business, params }) => countClicks(cell, business.id, params))

  handle(app, operation.getSendResults, ({ cell, business, params }) =>
    readResults(cell, business.id, params, paidOrders),
  )

  handle(app, operation.sendRemaining, async (request, reply) => {
    if (!hasMail) throw noMail()
    const { cell, business, params, actor, body } = request
    await checkDailyLimit(cell, business)
    const plan = async (tx: Tx) =>
      presentSend(await sendRemaining(tx, { businessId: business.id, actor }, params, body))
    return createOnce(request, reply, cell, plan)
  })

  for (const [move, moving] of [
    ['pause', operation.pauseSend],
    ['resume', operation.resumeSend],
    ['cancel', operation.cancelSend],
  ] as const) {
    handle(app, moving, ({ cell, business, params, actor }) =>
      transaction(cell, async (tx) =>
        presentSend(await moveSend(tx, { businessId: business.id, actor }, params, move)),
      ),
    )
  }

  handle(app, operation.previewEntry, ({ cell, business, params }) => preview(cell, business, params.entryId))

  async function composeEntry(cell: Db, business: Business, entryId: string) {
    const entry = await findEntry(cell, business.id, entryId)
    if (!entry) throw entryNotFound()
    const newsletter = await findNewsletter(cell, entry)
    if (!newsletter) throw notANewsletter({ field: 'entryId' })
    return composeLetter(cell, { business, newsletter, entry, publicUrl })
  }

  async function preview(cell: Db, business: Business, entryId: string) {
    return openTemplate(await composeEntry(cell, business, entryId))({
      name: 'Ada',
      email: 'ada@example.com',
      goods: { names: 'Fog lamp', url: business.allowedOrigins[0] ?? publicUrl },
      unsubscribeUrl: `${publicUrl}/newsletters/unsubscribe`,
      clicksChoiceUrl: `${publicUrl}/newsletters/clicks`,
    })
  }

  handle(app, operation.testEntry, async ({ cell, business, actor, params }) => {
    if (!hasMail) throw noMail()
    if (!actor.email) throw noAddress()
    await preview(cell, business, params.entryId) // returns template errors now
    const { email } = actor
    await transaction(cell, (tx) => enqueue(tx, mailTest, { businessId: business.id, entryId: params.entryId, email }))
    return { success: true } as const
  })

  handle(app, operation.listTemplateVariables, async ({ params }) => {
    if (!ENTRY_TYPES.includes(params.entryType)) throw entryTypeNotFound()
    return { variables: VARIABLES }
  })
}
