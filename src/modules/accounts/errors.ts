import {
  badField,
  badRequest,
  conflict,
  defineRefusal,
  forbidden,
  invalid,
  notFound,
  providerFailed,
  providerNotConfigured,
  rateLimited,
  unauthenticated,
  unavailable,
} from '#vocabulary/define-refusal.ts'
import { MAX_KEYS, MAX_PASSKEYS, MAX_SETTINGS } from './limits.ts'

// Providers
export const identityFailed = providerFailed('identity')
export const noIdentity = providerNotConfigured('identity')
export const noMail = providerNotConfigured('mail')
export const noSms = providerNotConfigured('SMS')
export const unknownProvider = badRequest('provider must be {known}.')

export const identityEmailInvalid = invalid(
  'email',
  'INVALID',
  'The sign-in provider returned an email address that is not valid. Correct it there, for example to ada@example.com, then sign in again.',
)

// Login
export const emailExists = badField('email', 'EMAIL_EXISTS', 'This email address is registered already.')
export const emailRequired = badField('email', 'REQUIRED', 'Fill in the email address.')
export const emailInvalid = badField('email', 'INVALID', 'The email address must be one such as ada@example.com.')
export const passwordRequired = badField('password', 'PASSWORD_REQUIRED', 'Fill in the password.')
export const valueRequired = invalid('{field}', 'REQUIRED', 'Fill in {field}.')
export const wrongPassword = invalid('password', 'PASSWORD_WRONG', 'The email address or the password is wrong.')
export const wrongOldPassword = invalid('oldPassword', 'PASSWORD_WRONG', 'This is not your password.')
export const weakPassword = invalid('{field}', 'PASSWORD_WEAK', '{message}')
export const notConfirmed = invalid(
  'email',
  'NOT_CONFIRMED',
  'Confirm your email address first: follow the link in the mail that we sent you.',
)
export const suspended = forbidden('This account is suspended.')
export const invalidOrigin = invalid(
  '{field}',
  'INVALID_ORIGIN_URI',
  '{field} is not among the origins that the operator of this service allows.',
)
export const invalidRedirect = invalid(
  '{field}',
  'INVALID_REDIRECT_URI',
  '{field} is not among the origins that the operator of this service allows.',
)
export const tokenInvalid = invalid('{field}', 'TOKEN_INVALID', 'This link or code is not valid, or was used already.')
export const tokenExpired = invalid('{field}', 'TOKEN_EXPIRED', 'This link or code has expired. Ask for a new one.')
export const notYourMail = forbidden('Log in with the address that this link was mailed to, then open it again.')
export const refreshRefused = unauthenticated('This refresh token is not valid, or no longer. Log in again.')
export const tokenRequired = invalid('token', 'REQUIRED', 'Send the access or refresh token of the session to end.')
export const logoutRefused = unauthenticated('This token is not valid, or no longer.')
export const tooManyAttempts = rateLimited('Too many requests. Try again in {seconds} s.')
export const busy = unavailable('Too many people are logging in right now. Try again shortly.', 2)

// Second factor and passkeys
export const secondFactorRequired = defineRefusal({
  status: 403,
  code: 'FORBIDDEN',
  field: '',
  detail: 'SECOND_FACTOR_REQUIRED',
  message: 'This account has a second factor. Send it with the challenge to POST /v1/users/login/second-factor.',
})
export const challengeInvalid = invalid(
  'challenge',
  'CHALLENGE_INVALID',
  'This login has run out, or was finished already. Log in again.',
)
export const challengeTriedOften = rateLimited('Too many wrong codes for this login. Log in again.')
export const factorCodeWrong = invalid(
  'code',
  'CODE_WRONG',
  'This is not the code of now, or it was used already. Wait for the next one.',
)
export const recoveryCodeWrong = invalid(
  'recoveryCode',
  'CODE_WRONG',
  'This is not one of your recovery codes, or it was used already.',
)
export const factorExists = conflict(
  'secondFactor',
  'WRONG_STATE',
  'This account has a second factor already. Remove it first.',
)
export const factorMissing = conflict('secondFactor', 'WRONG_STATE', 'This account has no second factor.')
export const factorNotBegun = conflict(
  'secondFactor',
  'WRONG_STATE',
  'There is nothing to confirm. Begin with POST /v1/users/second-factor.',
)
export const passkeyInvalid = invalid(
  'passkey',
  'PASSKEY_INVALID',
  'This passkey cannot be accepted. Ask for new options and try again, or use another way to log in.',
)
export const passkeyExists = conflict('passkey', 'PASSKEY_EXISTS', 'This passkey is registered already.')
export const passkeyNotFound = notFound('passkey')
export const tooManyPasskeys = conflict(
  'passkey',
  'TOO_MANY',
  `This account has ${MAX_PASSKEYS} passkeys. Remove one first.`,
)
export const wrongProofPassword = invalid('password', 'PASSWORD_WRONG', 'This is not your password.')
export const oneProofRequired = invalid('{field}', 'REQUIRED', 'Send one of {ways}.')
export const factorProofRequired = defineRefusal({
  status: 403,
  code: 'FORBIDDEN',
  field: 'password',
  detail: 'SECOND_FACTOR_REQUIRED',
  message: 'This account has a second factor: prove yourself with its code, or with a passkey.',
})
export const reauthenticationRequired = defineRefusal({
  status: 403,
  code: 'FORBIDDEN',
  field: '',
  detail: 'REAUTHENTICATION_REQUIRED',
  message: 'Prove that it is you, then do this within 10 minutes: POST /v1/users/reauthenticate, or log in again.',
})

// Staff sign-in
export const providerNotFound = notFound('sign-in provider')
export const noStaffProvider = invalid(
  'businessId',
  'NOT_FOUND',
  'This business has no sign-in provider. Log in another way, such as with your email address.',
)
export const staffProviderFailed = defineRefusal({
  status: 502,
  code: 'PROVIDER_FAILED',
  message:
    'The sign-in provider of this business does not answer as it should. Try again shortly, log in another way, or tell whoever looks after it.',
})
export const identityTooLarge = forbidden(
  'The identity provider sent a subject, session ID, or group that is too long, or too many groups.',
)
export const staffRefused = forbidden('The sign-in provider of this business cannot let this person in.')
export const issuerInvalid = invalid(
  'issuer',
  'INVALID',
  'issuer must be an https address without a query, such as https://login.example.com.',
)
export const issuerSilent = invalid(
  'issuer',
  'INVALID',
  'There is no OpenID provider at {issuer} that answers. Its configuration must be at that address, below /.well-known/openid-configuration.',
)
export const secretRequired = invalid(
  'clientSecret',
  'REQUIRED',
  'Send clientSecret as well: a secret is not handed on to another issuer or client.',
)
export const mappedRoleUnknown = invalid('roles.{index}.roleId', 'NOT_FOUND', 'This business has no role {roleId}.')
export const claimValueRepeated = invalid('roles.{index}', 'DUPLICATE', 'This role is there for {value} already.')
export const domainNotFound = invalid(
  'domain',
  'NOT_FOUND',
  'The sign-in provider of this business has no domain {domain}. Add it first.',
)
export const logoutTokenInvalid = badRequest('This is no logout token of the sign-in provider of this business.')

// Profile
export const userGone = unauthenticated('This account no longer exists.')
export const userNotFound = notFound('user')
export const sessionNotFound = notFound('session')
export const exportNotFound = notFound('export')
export const exportNotReady = conflict('id', 'WRONG_STATE', 'This export is still being made. Try again in a moment.')
export const exportFailed = conflict('id', 'WRONG_STATE', 'This export could not be made. Ask for a new one.')
export const settingsTooLong = invalid('settings', 'TOO_LONG', `settings is longer than ${MAX_SETTINGS} characters.`)
export const codeWrong = invalid('code', 'CODE_WRONG', 'This is not the code that we sent.')
export const codeExpired = invalid('code', 'TOKEN_EXPIRED', 'This code has expired. Ask for a new one.')
export const tooManyWrongCodes = rateLimited('Too many wrong codes. Ask for a new one.')
export const phoneInvalid = invalid(
  '{field}',
  'INVALID',
  '{field} must be an international phone number such as +4915112345678.',
)
export const phoneInUse = conflict('phoneNumber', 'PHONE_IN_USE', 'Another account has verified this phone number.')

// API keys
export const guestsHaveNoKeys = forbidden('Guests cannot have API keys.')
export const keysMakeNoKeys = forbidden('An API key cannot make or change keys. Log in with your account.')
export const keyBusinessNotFound = invalid('{field}.businessId', 'NOT_FOUND', 'Business {businessId} not found.')
export const keyRepeated = invalid('{field}.id', 'INVALID', 'Two keys have the id {id}.')
export const keyProviderInvalid = invalid('{field}.provider', 'INVALID', 'provider must be API.')
export const keyBusinessUnknown = invalid('businessId', 'NOT_FOUND', 'Business {businessId} not found.')
export const keyEndsInPast = invalid('expiresAt', 'INVALID', 'expiresAt must be in the future.')
export const keyNotFound = notFound('API key')
export const tooManyKeys = conflict('id', 'TOO_MANY', `An account has ${MAX_KEYS} keys at most. Delete one first.`)
export const weakKey = invalid(
  '{field}.value',
  'INVALID',
  'A key needs 32 to 128 printable characters without obvious repetition. Leave value out to have one made.',
)
