import { AppError, badRequest, conflict, type Detail, forbidden, invalid, unauthenticated } from '#vocabulary/errors.ts'

const detail = (field: string, error: string, message: string): Detail => ({ field, error, message })

export const unknownProvider = (known: readonly string[]) => badRequest(`provider must be ${known.join(' or ')}.`)
export const emailExists = () =>
  badRequest('This email address is registered already.', [
    detail('email', 'EMAIL_EXISTS', 'This email address is registered already.'),
  ])
export const wrongPassword = (field = 'password') =>
  invalid(field, 'PASSWORD_WRONG', 'The email address or the password is wrong.')
export const wrongOldPassword = () => invalid('oldPassword', 'PASSWORD_WRONG', 'This is not your password.')
export const weakPassword = (field: string, message: string) => invalid(field, 'PASSWORD_WEAK', message)
export const notConfirmed = () =>
  invalid('email', 'NOT_CONFIRMED', 'Confirm your email address first: follow the link in the mail that we sent you.')
export const suspended = () => forbidden('This account is suspended.')
export const invalidOrigin = (field: string) =>
  invalid(field, 'INVALID_ORIGIN_URI', `${field} is not among the origins that the operator of this service allows.`)
export const invalidRedirect = (field: string) =>
  invalid(field, 'INVALID_REDIRECT_URI', `${field} is not among the origins that the operator of this service allows.`)
export const tokenInvalid = (field = 'token') =>
  invalid(field, 'TOKEN_INVALID', 'This link or code is not valid, or was used already.')
export const tokenExpired = (field = 'token') =>
  invalid(field, 'TOKEN_EXPIRED', 'This link or code has expired. Ask for a new one.')
export const codeWrong = () => invalid('code', 'CODE_WRONG', 'This is not the code that we sent.')
export const codeExpired = () => invalid('code', 'TOKEN_EXPIRED', 'This code has expired. Ask for a new one.')
export const refreshRefused = () => unauthenticated('This refresh token is not valid, or no longer. Log in again.')
export const phoneInvalid = (field: string) =>
  invalid(field, 'INVALID', `${field} must be an international phone number such as +4915112345678.`)
export const phoneInUse = () =>
  conflict('phoneNumber', 'PHONE_IN_USE', 'Another account has verified this phone number.')
export const apiKeyRefused = (field: string, message: string) => invalid(field, 'INVALID', message)
export const busy = () =>
  new AppError(503, 'UNAVAILABLE', 'Too many people are logging in right now. Try again shortly.', [], 2)
