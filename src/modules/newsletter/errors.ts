import { conflict, invalid } from '#vocabulary/errors.ts'

export const notANewsletter = (field: string) =>
  conflict(field, 'NOT_A_NEWSLETTER', 'That is no newsletter: its collection is not of the type NEWSLETTER.')
export const planRequired = () => invalid('planId', 'REQUIRED', 'planId is required: this newsletter has plans.')
export const planNotFound = (field: string) => invalid(field, 'NOT_FOUND', 'The newsletter has no such plan.')
export const plansDiffer = () => invalid('planId', 'INVALID', 'planId and plan_id name different plans.')
export const marketNotFound = () => invalid('market', 'NOT_FOUND', 'This business has no such market.')
export const alreadySubscribed = () =>
  conflict('planId', 'ALREADY_SUBSCRIBED', 'This address has a paid subscription already. It must be ended first.')
export const returnUrlInvalid = (field: string) =>
  invalid(field, 'INVALID_REDIRECT_URI', `${field} must be on an origin that the business allows.`)
export const priceOutOfRange = () =>
  invalid('planId', 'AMOUNT_OUT_OF_RANGE', 'The payment provider takes from 50 to 99,999,999 minor units.')
export const tokenInvalid = () => invalid('token', 'TOKEN_INVALID', 'This link is not valid.')
export const entryMoved = () =>
  conflict('entryId', 'WRONG_STATE', 'The entry has been moved to another newsletter since it was planned.')
export const mailTooLarge = (limit: number) =>
  invalid('blocks', 'TOO_LARGE', `A mail cannot be longer than ${limit} characters.`)
export const alreadySent = () =>
  conflict('entryId', 'ALREADY_SENT', 'This entry has been sent. Send `resend: true` to send it once more.')
export const cannotMove = (status: string, verb: string) =>
  conflict('status', 'WRONG_STATE', `A send that is ${status} cannot be ${verb}.`)
export const hasSubscribers = (field: string, what: string) =>
  conflict(field, 'IN_USE', `${what}, because people are subscribed to it.`)
export const isSending = () => conflict('id', 'IN_USE', 'The newsletter is being sent. Cancel that first.')
export const noAddress = () => invalid('email', 'REQUIRED', 'Your account has no email address to send a test to.')
