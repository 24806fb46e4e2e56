import { operation } from '#platform/http/operation.ts'
import { Success } from '#vocabulary/schemas.ts'

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
