import { notFound, unavailable } from '#vocabulary/define-refusal.ts'

export const noOpenCell = unavailable('There is no database for a new business right now. Try again shortly.')
export const pictureNotFound = notFound('picture')
