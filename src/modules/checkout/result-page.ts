import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { showPage } from '#platform/http/page.ts'

/**
 * The page that the payment session returns to when the shop front gave no address. Shows only what the shopper knows
 * already.
 */
export const resultPage: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/checkout/result', { config: { access: 'public', business: 'none' } }, ({ query }, reply) => {
    const { order, outcome } = query as Record<string, unknown>
    const number = typeof order === 'string' && /^[0-9A-Z-]{1,20}$/.test(order) ? order : ''
    return outcome === 'paid'
      ? showPage(reply, {
          title: 'Thank you',
          text: 'Your payment was received. A confirmation is on its way to you. Your order number:',
          code: number,
        })
      : showPage(reply, {
          title: 'Nothing was paid',
          text: 'You left the payment page. Your order is kept for an hour from when you placed it; go back to the shop to try again.',
          code: number,
        })
  })
}
