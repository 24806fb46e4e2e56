import { conflict, rateLimited } from '#vocabulary/define-refusal.ts'

export const checkedLately = rateLimited(
  'A business can ask for a check once an hour. Try again in {minutes} minutes; every night there is one anyway.',
)
export const nothingToStop = conflict('', 'WRONG_STATE', 'No check is under way. There is nothing to stop.')
