import { conflict, forbidden, notFound } from '#vocabulary/define-refusal.ts'

export const viewNotFound = notFound('saved view')
export const notYourView = forbidden('Only its author or an ADMIN may change a shared view.')
export const tooManyViews = conflict('name', 'TOO_MANY', 'You have 100 saved views here. Delete one first.')
