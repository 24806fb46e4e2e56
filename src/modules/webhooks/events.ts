import { Type } from 'typebox'
import { defineEvent, FieldNames, Nothing } from '#platform/events/define.ts'
import { Nullable, OneOf, UnixSeconds } from '#vocabulary/schemas.ts'
import { REASONS } from './schemas.ts'

const subject = 'webhook endpoint'

export const webhookEndpointCreated = defineEvent('webhook_endpoint.created', { subject, data: Nothing })
export const webhookEndpointUpdated = defineEvent('webhook_endpoint.updated', {
  subject,
  note: 'With the fields that were sent.',
  data: Type.Object({ fields: FieldNames }),
})
export const webhookEndpointDeleted = defineEvent('webhook_endpoint.deleted', { subject, data: Nothing })
export const webhookEndpointSecretRotated = defineEvent('webhook_endpoint.secret_rotated', { subject, data: Nothing })
export const webhookEndpointDisabled = defineEvent('webhook_endpoint.disabled', {
  subject,
  note: 'By itself: it answered 410, or nothing was delivered to it for five days.',
  data: Type.Object({
    reason: OneOf(REASONS.filter((reason) => reason !== 'PERSON')),
    failingSince: Nullable(UnixSeconds),
  }),
})
