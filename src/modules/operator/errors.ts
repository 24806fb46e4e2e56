import { conflict, defineRefusal, invalid, notFound } from '#vocabulary/define-refusal.ts'

export const businessNotFound = notFound('business')
export const jobNotFound = notFound('job')
export const alreadySuspended = conflict('id', 'WRONG_STATE', 'This business is suspended already.')
export const notSuspended = conflict('id', 'WRONG_STATE', 'This business is not suspended.')
export const notWhole = conflict(
  'id',
  'WRONG_STATE',
  'This business is being imported, or is going to be deleted: finish or undo that first.',
)
export const slugDiffers = invalid('slug', 'INVALID', 'This is not the slug of that business: nothing was deleted.')
export const alreadyDeleting = conflict('id', 'WRONG_STATE', 'This business is going to be deleted already.')
export const notDeleting = conflict('id', 'WRONG_STATE', 'Nobody wants this business deleted.')
export const deletionBegan = conflict('id', 'WRONG_STATE', 'Its time is up: some of this business may be gone already.')
export const exportNotFound = notFound('export')
export const exportUnderWay = conflict('id', 'WRONG_STATE', 'An archive of this business is being made already.')
export const exportNotReady = conflict('exportId', 'WRONG_STATE', 'This archive is still being made.')
export const exportFailed = conflict('exportId', 'WRONG_STATE', 'This archive could not be made: ask for another one.')
export const cellNotFound = notFound('cell')
export const mainStaysOn = conflict('placement', 'WRONG_STATE', 'main is where control is: it cannot be switched off.')
export const cellInUse = conflict(
  'placement',
  'IN_USE',
  '{businesses} businesses live in this cell, and would get 503. `force` switches it off all the same.',
)
export const cellOnTheWay = conflict(
  'placement',
  'IN_USE',
  'A business is moving out of this cell, or into it. `force` switches it off all the same.',
)
export const jobNotDead = conflict('id', 'WRONG_STATE', 'This job is not out of attempts: it waits, or runs.')
export const cellUnknown = invalid('cell', 'NOT_FOUND', 'Cell {cell} not found.')
export const rangeBackwards = invalid('to', 'INVALID', '`to` must be after `from`.')
export const rangeTooLong = invalid('from', 'TOO_LARGE', 'Ask for {days} days at most: begin later.')
export const cellNotAnswering = defineRefusal({
  status: 503,
  code: 'UNAVAILABLE',
  message: 'The cell {cell} has not answered. Try again shortly.',
  retryAfterSeconds: 5,
})
