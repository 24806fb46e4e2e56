// Refusals that must not compile: clients switch on codes, and src/vocabulary/error-codes.ts lists all that there are.
import { conflict, invalid, rateLimited } from '#vocabulary/define-refusal.ts'
import { AppError, type Detail } from '#vocabulary/errors.ts'

const nameRequired = invalid('name', 'REQUIRED', 'Give it a name.')
const slugExists = conflict('{at}.slug', 'SLUG_EXISTS', 'The slug {slug} is taken.')
const tooMany = rateLimited('Come back later.')

export const known: Error[] = [nameRequired(), slugExists({ at: 'body', slug: 'a' }), tooMany({ seconds: 1 })]
export const gatheredOnes: Detail[] = [nameRequired.asDetail(), slugExists.asDetail({ at: 'body', slug: 'a' })]
// @ts-expect-error the message names a slug
export const withoutValue = slugExists({ at: 'body' })
// @ts-expect-error the field names a place
export const withoutPlace = slugExists.asDetail({ slug: 'a' })
// @ts-expect-error neither names a name
export const withAnother = slugExists({ at: 'body', slug: 'a', name: 'b' })
// @ts-expect-error for how long?
export const withoutSeconds = tooMany()
// @ts-expect-error no such detail
export const unknownDetail = invalid('name', 'MISSING', 'Give it a name.')
// @ts-expect-error no such error
export const unknownError = new AppError(418, 'TEAPOT', 'There is no coffee here.')
// @ts-expect-error no such detail
export const gathered: Detail = { field: 'name', error: 'MISSING', message: 'Give it a name.' }
