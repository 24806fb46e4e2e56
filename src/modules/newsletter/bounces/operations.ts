import { Type } from 'typebox'
import { operation } from '#platform/http/operation.ts'
import { BusinessId, Email, OneOf, Success } from '#vocabulary/schemas.ts'
import { MAIL_EVENTS } from './suppress.ts'

const MailEvents = Type.Object({
  events: Type.Array(
    Type.Object({
      type: OneOf(MAIL_EVENTS, {
        description: 'HARD_BOUNCE and COMPLAINT suppress the address; SOFT_BOUNCE is only recorded as an event.',
        examples: ['HARD_BOUNCE'],
      }),
      email: Email,
      businessId: Type.Optional(BusinessId),
      messageId: Type.Optional(
        Type.String({
          maxLength: 998,
          description: 'The Message-ID of the mail. Names the business if `businessId` is absent.',
          examples: ['<newsletter.biz_4k7q2m9x1c3v.snd_01jcq3v7k8.sub_01jcq3v7k8@api.example.com>'],
        }),
      ),
    }),
    { minItems: 1, maxItems: 1_000 },
  ),
})

export const receiveBounces = operation({
  method: 'POST',
  url: '/v1/newsletters/webhooks/bounces',
  config: { access: 'public', business: 'provider' },
  schema: {
    operationId: 'receiveBounces',
    tags: ['Newsletters'],
    summary: 'Receive bounces and complaints from a mail server',
    description:
      'Signed: `Kontor-Signature: t=<unix seconds>,v1=<hex>`, where `v1` is the HMAC-SHA256 of `<t>.<body>` with ' +
      '`BOUNCE_WEBHOOK_SECRET`; `t` is not older than 5 minutes. Events without a known business are ignored.',
    body: MailEvents,
    response: { 200: Success },
  },
})

export const receiveSesEvents = operation({
  method: 'POST',
  url: '/v1/newsletters/webhooks/ses',
  config: { access: 'public', business: 'provider' },
  schema: {
    operationId: 'receiveSesEvents',
    tags: ['Newsletters'],
    summary: 'Receive bounces and complaints from Amazon SES',
    description:
      'For Amazon SNS, with topics that `SNS_TOPIC_ARNS` names: their subscriptions are confirmed, and what is published ' +
      'there by SES is applied. Include the original headers in notifications: they name the business.',
    response: { 200: Success },
  },
})
