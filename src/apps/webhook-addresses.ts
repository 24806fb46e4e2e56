import type { Config } from '#platform/config.ts'
import { rulesFor } from '#platform/outgoing/check-address.ts'

/** Where webhooks may go, as configured. */
export const webhookAddresses = ({ outgoing, webhooks: { allowPrivate } }: Pick<Config, 'outgoing' | 'webhooks'>) => ({
  rules: rulesFor({ ...outgoing, allowPrivate }),
  allowsHttp: allowPrivate || outgoing.allowLoopback,
})
