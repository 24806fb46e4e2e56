import { conflict, defineRefusal, invalid, notFound } from '#vocabulary/define-refusal.ts'
import { MAX_BYTES } from './schemas.ts'

export const fileNotFound = notFound('file')
export const fileTooLarge = defineRefusal({
  status: 413,
  code: 'PAYLOAD_TOO_LARGE',
  field: 'size',
  detail: 'TOO_LARGE',
  message: `A file has at most ${MAX_BYTES / 1_000_000} MB. Make it smaller.`,
})
export const typeNotTaken = invalid(
  'mimeType',
  'TYPE_NOT_ALLOWED',
  'Files of the type {mimeType} are not taken. Convert it, for example to JPEG, PNG, WebP or PDF.',
)
export const quotaExceeded = conflict(
  'size',
  'QUOTA_EXCEEDED',
  'There is no room for {size} bytes: the business has stored {used} of {quota}. Delete files that you do not need; the operator of this service can raise the limit.',
)
export const fileInUse = conflict(
  'id',
  'IN_USE',
  'The {kind} {recordId} shows this file. Take it out there first, or delete it with force=true.',
)
