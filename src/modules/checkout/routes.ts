import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { findOrder } from '#modules/orders/index.ts'
import { keyOfRequest } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { isLocale } from '#vocabulary/locales.ts'
import { holds } from '#vocabulary/permissions.ts'
import { formatsIn } from './address-formats.ts'
import { type CheckoutContext, createCheckout } from './checkout.ts'
import { localeInvalid, orderNotFound } from './errors.ts'
import { explain } from './explain.ts'
import * as operation from './operations.ts'
import { quote } from './quote.ts'
import { tryMarket } from './try-market.ts'
import { tryPromo } from './try-promo.ts'

export const checkoutRoutes: FastifyPluginAsyncTypebox<CheckoutContext> = async (app, context) => {
  const { services } = context
  const checkout = createCheckout(context)

  handle(app, operation.listAddressFormats, ({ query }, reply) => {
    const { locale = 'en' } = query
    if (!isLocale(locale)) throw localeInvalid()
    void reply.header('cache-control', 'public, max-age=86400')
    return { items: formatsIn(locale) }
  })

  handle(app, operation.quote, (request) =>
    quote({ services, customerId: request.actor.userId, asker: askerOf(request) }, request.body),
  )

  handle(app, operation.tryPromoCode, ({ cell, business, body }) => tryPromo(cell, business, body))

  handle(app, operation.tryMarket, ({ body }) => tryMarket(body))

  handle(app, operation.checkout, async (request, reply) => {
    const { cell, business, actor, permissions, body } = request
    const requestKey = keyOfRequest(request)
    const isSeller = holds(permissions, 'ORDERS_WRITE')
    const caller = { cell, business, actor, isSeller, requestKey, asker: askerOf(request) }
    const { isRepeated, ...result } = await checkout(caller, body)
    if (isRepeated) void reply.header('idempotency-replayed', 'true')
    return result
  })

  handle(app, operation.explainOrder, async ({ cell, business, params }) => {
    const order = await findOrder(cell, business.id, params.id)
    if (!order) throw orderNotFound()
    return explain(order)
  })
}

/** For whom services of the business are asked, where it has any. */
const askerOf = (request: FastifyRequest) => ({
  cell: request.cell,
  business: request.business,
  requestId: request.id,
  whileOutside: <Result>(work: () => Promise<Result>) => request.whileOutside(work),
})
