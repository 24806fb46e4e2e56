import { conflict, forbidden, invalid, notFound } from '#vocabulary/define-refusal.ts'
import { MAX_ENDPOINTS, MAX_REPLAYED } from './limits.ts'

export const endpointNotFound = notFound('webhook endpoint')
export const addressRefused = invalid(
  'url',
  'INVALID',
  'The url must be an https address on a public host, at port 443, without a user name.',
)
export const typeUnknown = invalid(
  'types.{index}',
  'INVALID',
  'Unknown event type {type}. docs/events.md lists all event types.',
)
export const typeNotReadable = forbidden('To be told of {type}, you need the permission {access} in this business.')
export const tooManyEndpoints = conflict(
  'url',
  'TOO_MANY',
  `This business has ${MAX_ENDPOINTS} webhook endpoints. Delete one first.`,
)
export const replayUnclear = invalid('after', 'REQUIRED', 'Say what to send again: after, or failed: true, not both.')
export const replayReversed = invalid('before', 'INVALID', 'before must be larger than after + 1: both are left out.')
export const replayTooLong = invalid(
  'after',
  'TOO_MANY',
  `That would be {count} events. Send ${MAX_REPLAYED} at most, and the rest after them.`,
)
export const replayRunning = conflict(
  '',
  'WRONG_STATE',
  'Events are being sent to this endpoint once more. Wait until `replay` is null.',
)
export const endpointDisabled = conflict('isEnabled', 'WRONG_STATE', 'This endpoint is disabled. Enable it first.')
