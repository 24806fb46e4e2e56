import { invalid } from '#vocabulary/define-refusal.ts'

export const rangeBackwards = invalid('to', 'INVALID', '`to` must be after `from`.')
export const tooManyIntervals = invalid(
  'interval',
  'TOO_MANY',
  'That would be more than {most} intervals: choose a longer interval, or a shorter time.',
)
export const tooManyFigures = invalid(
  'interval',
  'TOO_MANY',
  'That would be more than {most} figures: choose one market or newsletter, a longer interval, or a shorter time.',
)
export const rangeTooLong = invalid('from', 'TOO_LARGE', 'A report covers at most {years} years: begin later.')
