import { conflict, defineRefusal, invalid, notFound } from '#vocabulary/define-refusal.ts'

export const businessNotFound = notFound('business')
export const jobNotFound = notFound('job')
export const alreadySuspended = conflict('id', 'WRONG_STATE', 'This business is suspended already.')
export const notSuspended = conflict('id', 'WRONG_STATE', 'This business is not suspended.')
export const notWhole = conflict(
  'id',
  'WRONG_STATE',
  'This business is being imported, or is going to be deleted: finish or undo that on the command line first.',
)
export const jobNotDead = conflict('id', 'WRONG_STATE', 'This job is not out of attempts: it waits, or runs.')
export const cellUnknown = invalid('cell', 'NOT_FOUND', 'There is no cell {cell}.')
export const rangeBackwards = invalid('to', 'INVALID', '`to` must be after `from`.')
export const rangeTooLong = invalid('from', 'TOO_LARGE', 'Ask for {days} days at most: begin later.')
export const cellNotAnswering = defineRefusal({
  status: 503,
  code: 'UNAVAILABLE',
  message: 'The cell {cell} has not answered. Try again shortly.',
  retryAfterSeconds: 5,
})
