import { defineRefusal, invalid, notFound } from '#vocabulary/define-refusal.ts'

export const calloutNotFound = notFound('callout')
export const urlRequired = invalid('url', 'REQUIRED', 'Say which address is to be asked: fill in url.')
export const urlNotAllowed = invalid(
  'url',
  'INVALID',
  'The address must begin with https:// and be one that everybody can reach, without a password in it.',
)

/** Of a business whose service failed, and who wants no fallback. */
export const calloutFailed = defineRefusal({
  status: 503,
  code: 'CALLOUT_FAILED',
  field: '{point}',
  detail: 'CALLOUT_FAILED',
  message: 'The service of this shop for {point} did not answer as it should. Try again shortly.',
  retryAfterSeconds: 5,
})
