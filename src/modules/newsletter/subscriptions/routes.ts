import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { isPaidPlan } from '#modules/content/index.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import { createOnce, keyOfRequest } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { holds } from '#vocabulary/permissions.ts'
import { noMail } from '../errors.ts'
import { getNewsletter } from './newsletter.ts'
import * as operation from './operations.ts'
import { countSubscribers, listSubscribers } from './queries.ts'
import { readPlanChoice, subscribeFree } from './subscribe.ts'
import { type PaidContext, subscribePaid } from './subscribe-paid.ts'
import { isOwnedBy, presentSubscription, redactAsNew, type SubscriptionRow } from './subscription.ts'
import { unsubscribe } from './unsubscribe.ts'

export type SubscriptionOptions = PaidContext & {
  /** Whether confirmation mails can be sent. */
  hasMail: boolean
  box: SecretBox
  rememberCustomer: (businessId: string, userId: string) => Promise<void>
}

export const subscriptionRoutes: FastifyPluginAsyncTypebox<SubscriptionOptions> = async (app, options) => {
  const subscriberOf = ({ business, actor, permissions }: FastifyRequest) => ({
    business,
    actor,
    seesDrafts: holds(permissions, 'CONTENT_WRITE') || holds(permissions, 'CONTENT_READ_DRAFTS'),
    keepsReaders: holds(permissions, 'NEWSLETTER_SEND'),
  })

  handle(app, operation.subscribe, async (request, reply) => {
    const { cell, params, body, business, actor, permissions } = request
    const mayRead = (row: SubscriptionRow) => isOwnedBy(row, actor) || holds(permissions, 'SUBSCRIBERS_READ')
    const subscriber = subscriberOf(request)
    const choice = await readPlanChoice(cell, subscriber, params.collectionId, body)
    const answer = (row: SubscriptionRow) =>
      presentSubscription({
        ...(mayRead(row) ? row : redactAsNew(row, body, choice.collection)),
        // Shown only to callers who sent the same name, because anybody may have given it.
        name: row.name === body.name ? row.name : '',
      })
    await options.rememberCustomer(business.id, actor.userId)
    if (!choice.plan || !isPaidPlan(choice.plan)) {
      if (choice.collection.doubleOptIn && !options.hasMail) throw noMail()
      return createOnce(request, reply, cell, async (tx) =>
        answer(await subscribeFree(tx, subscriber, params.collectionId, body)),
      )
    }
    const paid = await subscribePaid(options, cell, subscriber, choice, body, keyOfRequest(request))
    if (!('checkoutUrl' in paid)) return answer(paid)
    if (paid.isReplayed) void reply.header('idempotency-replayed', 'true')
    return { checkoutUrl: paid.checkoutUrl }
  })

  handle(app, operation.listSubscribers, async ({ cell, business, params, query }) => {
    await getNewsletter(cell, business.id, params.id)
    return listSubscribers(cell, business.id, params.id, query)
  })

  handle(app, operation.countSubscribers, async ({ cell, business, params }) => {
    await getNewsletter(cell, business.id, params.id)
    return countSubscribers(cell, business.id, params.id)
  })

  handle(app, operation.unsubscribe, async ({ cell, business, body }) => {
    await unsubscribe(cell, options.box, business.id, body.token, body)
    return { success: true } as const
  })
}
