import { operation } from '#platform/http/operation.ts'
import { BusinessParams, Success } from '#vocabulary/schemas.ts'
import { PaymentAccount } from './schemas.ts'

export const getPaymentAccount = operation({
  method: 'GET',
  url: '/v1/businesses/:businessId/payment-account',
  config: { access: 'SETTINGS_WRITE', business: 'path' },
  schema: {
    operationId: 'getPaymentAccount',
    tags: ['Businesses'],
    summary: 'See where the money goes',
    description:
      'The account at the payment provider, by its last four characters. The operator of the service sets it.',
    params: BusinessParams,
    response: { 200: PaymentAccount },
  },
})

/** Each provider has its own webhook, at its name. */
export function receiveEvent(provider: string) {
  const title = `${provider.charAt(0).toUpperCase()}${provider.slice(1)}`
  return operation({
    method: 'POST',
    url: `/v1/payments/webhooks/${provider}`,
    config: { access: 'public', business: 'provider' },
    schema: {
      operationId: `receive${title}Event`,
      tags: ['Checkout'],
      summary: 'Take an event of the payment provider',
      description: `For ${title}. What it says is a hint: the provider is asked before anything is believed.`,
      response: { 200: Success },
    },
  })
}
