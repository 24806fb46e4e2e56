import {
  badRequest,
  defineRefusal,
  forbidden,
  invalid,
  notFound,
  payloadTooLarge,
  rateLimited,
  unauthenticated,
  unavailable,
} from '#vocabulary/define-refusal.ts'
import { MAX_JSON_DEPTH, MAX_KEY_LENGTH } from './limits.ts'

// What cannot be read
/** As Node or Fastify says it. */
export const unreadable = badRequest('{message}')
export const addressInvalid = badRequest('The address is not a valid URL.')
export const addressHoldsNul = badRequest('The address holds a NUL character.')
export const nothingThere = defineRefusal({
  status: 404,
  code: 'NOT_FOUND',
  message: 'There is nothing at {method} {path}. See /docs for what there is.',
})
export const bodyTooLarge = payloadTooLarge('2 MiB')
export const notJson = badRequest('Send the body as application/json.')
export const notAnObject = badRequest('Send a JSON object as the body.')
export const jsonInvalid = badRequest('The body is not valid JSON: {message}.')
export const jsonTooDeep = badRequest(`The JSON body is nested deeper than ${MAX_JSON_DEPTH} levels.`)
export const textUnstorable = badRequest(
  'The request holds characters that cannot be stored (NUL, or half a surrogate pair).',
)
export const fieldUnstorable = invalid('{field}', 'INVALID', '{field} holds a NUL or half a surrogate pair.')
export const bodyUnstorable = invalid('', 'INVALID', 'The body holds a NUL or half a surrogate pair.')

// Fields that do not fit their schema: messages.ts composes what is said
export const valueInvalid = invalid('{field}', 'INVALID', '{message}')
export const valueRequired = invalid('{field}', 'REQUIRED', '{message}')
export const passwordRequired = invalid('{field}', 'PASSWORD_REQUIRED', '{message}')
export const valueTooLong = invalid('{field}', 'TOO_LONG', '{message}')
export const valueTooShort = invalid('{field}', 'TOO_SHORT', '{message}')
export const valueTooLarge = invalid('{field}', 'TOO_LARGE', '{message}')
export const valueTooSmall = invalid('{field}', 'TOO_SMALL', '{message}')
export const tooManyItems = invalid('{field}', 'TOO_MANY', '{message}')
export const tooFewItems = invalid('{field}', 'TOO_FEW', '{message}')
export const itemRepeated = invalid('{field}', 'DUPLICATE', '{message}')
export const unknownField = invalid('{field}', 'UNKNOWN_FIELD', '{message}')
export const unknownParameter = invalid('{field}', 'UNKNOWN_PARAMETER', '{message}')

// Who may call
export const twoCredentials = badRequest('Send either X-API-Key or Authorization, not two different credentials.')
export const credentialRequired = unauthenticated('Send an access token or API key in the Authorization header.')
export const credentialInvalid = unauthenticated('This token or key is not valid, or no longer.')
export const accountGone = unauthenticated('This account no longer exists.')
export const guestsRefused = forbidden('Guests cannot do this. Log in with an account.')
export const keysRefused = forbidden('An API key cannot do this. Log in with your account.')
export const keyIsBound = forbidden('This key works in one business only.')
export const keyIsLimited = forbidden('This key has only some of the permissions of its account, and cannot do this.')
export const keyIsOfAnother = forbidden('This key works in another business.')
export const ownSignInRequired = defineRefusal({
  status: 403,
  code: 'FORBIDDEN',
  field: '',
  detail: 'OWN_SIGN_IN_REQUIRED',
  message:
    'This session comes from the sign-in provider of a business and works in that business only. Confirm it with your password, passkey, or second factor (POST /v1/users/reauthenticate), or log in with a sign-in method of your own.',
})
export const permissionMissing = forbidden('This needs the permission {access} in this business.')
export const secondFactorMissing = defineRefusal({
  status: 403,
  code: 'FORBIDDEN',
  field: '',
  detail: 'SECOND_FACTOR_REQUIRED',
  message: 'Your role in this business counts only after a second factor. Set one up, or log in with it.',
})
export const operatorsOnly = forbidden('Only operators of this service can do this, logged in with their own account.')
export const operatorFactorMissing = defineRefusal({
  status: 403,
  code: 'FORBIDDEN',
  field: '',
  detail: 'SECOND_FACTOR_REQUIRED',
  message: 'Operators need a second factor. Set one up, or log in with it.',
})
export const foreignOrigin = forbidden('Only the dashboard of this service can do this, from its own address.')
export const businessNotFound = notFound('business')
export const businessUnknown = invalid('businessId', 'NOT_FOUND', 'Business {id} not found.')
export const businessRequired = invalid('businessId', 'REQUIRED', 'Say which business this is for: fill in businessId.')
export const businessesDiffer = invalid('businessId', 'INVALID', 'The body names another business than the path.')
export const tooManyRequests = rateLimited('Too many requests. Try again in {seconds} s.')
export const businessOverLimit = rateLimited(
  'This business may be sent {most} requests a minute, by everybody together. Try again in {seconds} s; the operator of this service can raise the limit.',
)
export const tooManyStreams = rateLimited(
  'There are {most} streams of events open for {whom} already. Close one, or try again in {seconds} s.',
)

// Versions and keys
export const recordChanged = defineRefusal({
  status: 412,
  code: 'PRECONDITION_FAILED',
  message: 'The record has changed since you read it. Read it again, then retry.',
})
export const recordExists = defineRefusal({
  status: 412,
  code: 'PRECONDITION_FAILED',
  message: 'The record already exists. Omit If-None-Match to update it.',
})
export const keyInvalid = invalid(
  'Idempotency-Key',
  'INVALID',
  `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters.`,
)
export const keyReused = invalid(
  'Idempotency-Key',
  'IDEMPOTENCY_KEY_REUSED',
  'This key was used for another request. Use a new one.',
)
export const stillRunning = defineRefusal({
  status: 409,
  code: 'CONFLICT',
  field: 'Idempotency-Key',
  detail: 'STILL_RUNNING',
  message: 'The first request with this key is still running.',
  retryAfterSeconds: 1,
})

// What the caller cannot help
export const ourFault = defineRefusal({
  status: 500,
  code: 'INTERNAL',
  message: 'Something went wrong on our side. It has been logged; quote the requestId if you report it.',
})
export const serviceUnavailable = unavailable('The service cannot answer right now. Try again shortly.')
export const overloaded = unavailable('There is more to do than we can right now. Try again in {seconds} s.')
export const tookTooLong = unavailable('This takes longer than we let anybody wait. Try again shortly.')
export const shutDown = unavailable('The service is shutting down. Try again: another instance will answer.')
export const shuttingDown = unavailable('The service is shutting down.')
export const databaseAway = unavailable('The database is away. Try again shortly.')
export const controlAway = unavailable('We cannot check right now who may do this. Try again shortly.')
export const databaseStandby = unavailable('The database is a standby, and takes no writes.')
export const migrationsMissing = unavailable('The database lacks migrations. Run: npm run db:migrate')
export const noOpenCell = unavailable('There is no database for a new business right now. Try again shortly.')
export const cellUnknown = unavailable('This business cannot be served right now. Try again shortly.')
export const businessMoves = unavailable('This business is moving to another database. Try again in a second.')
export const cellBehind = unavailable('This business is being updated. Try again shortly.')
