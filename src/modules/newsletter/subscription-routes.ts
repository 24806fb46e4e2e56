import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { findCollection, isPaidPlan } from '#modules/content/index.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import { createOnce, keyOfRequest } from '#platform/http/idempotency.ts'
import type { Payments } from '#platform/payments/provider.ts'
import type { Business } from '#vocabulary/business.ts'
import { notFound, providerNotConfigured } from '#vocabulary/errors.ts'
import { holds } from '#vocabulary/permissions.ts'
import { BusinessParams, PageOf, RecordParams, Success } from '#vocabulary/schemas.ts'
import { notANewsletter } from './errors.ts'
import { subscribePaid } from './paid.ts'
import { listSubscribers } from './queries.ts'
import * as shape from './schemas.ts'
import { readWish, subscribeFree } from './subscribe.ts'
import { asNew, isOwn, presentSubscription, type SubscriptionRow } from './subscription.ts'
import { unsubscribe } from './unsubscribe.ts'

export type SubscriptionOptions = {
  /** Whether addresses can be asked to confirm. */
  hasMail: boolean
  payments: Payments
  box: SecretBox
  publicUrl: string
  rememberCustomer: (businessId: string, userId: string) => Promise<void>
  isAllowedUrl: (business: Business, url: string) => boolean | Promise<boolean>
}

export const subscriptionRoutes: FastifyPluginAsyncTypebox<SubscriptionOptions> = async (app, options) => {
  const subscriberOf = ({ business, actor, permissions }: FastifyRequest) => ({
    business,
    actor,
    seesDrafts: holds(permissions, 'CONTENT_WRITE') || holds(permissions, 'CONTENT_READ_DRAFTS'),
  })

  app.post(
    '/collections/:collectionId/subscribe',
    {
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
    },
    async (request, reply) => {
      const { cell, params, body, business, actor } = request
      const subscriber = subscriberOf(request)
      const wish = await readWish(cell, subscriber, params.collectionId, body)
      const answer = (row: SubscriptionRow) =>
        presentSubscription({
          ...(isOwn(row, actor) ? row : asNew(row, body, wish.collection)),
          name: row.name === body.name ? row.name : '', // anybody may have given it
        })
      await options.rememberCustomer(business.id, actor.userId)
      if (!wish.plan || !isPaidPlan(wish.plan)) {
        if (wish.collection.doubleOptIn && !options.hasMail) throw providerNotConfigured('mail')
        return createOnce(request, reply, cell, async (tx) =>
          answer(await subscribeFree(tx, subscriber, params.collectionId, body)),
        )
      }
      const paid = await subscribePaid(options, cell, subscriber, wish, body, keyOfRequest(request))
      if (!('checkoutUrl' in paid)) return answer(paid)
      if (paid.isReplayed) void reply.header('idempotency-replayed', 'true')
      return { checkoutUrl: paid.checkoutUrl }
    },
  )

  app.get(
    '/collections/:id/subscribers',
    {
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
    },
    async ({ cell, params, query }) => {
      const collection = await findCollection(cell, params.businessId, params.id)
      if (!collection) throw notFound('collection')
      if (collection.type !== 'NEWSLETTER') throw notANewsletter('id')
      return listSubscribers(cell, params.businessId, params.id, query)
    },
  )

  app.post(
    '/collections/unsubscribe',
    {
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
    },
    async ({ cell, params, body }) => {
      await unsubscribe(cell, options.box, params.businessId, body.token, body)
      return { success: true } as const
    },
  )
}
