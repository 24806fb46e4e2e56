import { conflict, defineRefusal, forbidden, invalid } from './define-refusal.ts'
import { MAX_CHOICES, MAX_LOCALES, MAX_OPTIONS, MAX_STATUS_ENTRIES } from './limits.ts'

export const businessSuspended = forbidden('This business is suspended.')
/** Where guests may call, whoever calls. */
export const suspendedBusinessHidden = defineRefusal({
  status: 404,
  code: 'NOT_FOUND',
  message: 'This business is suspended.',
})

export const amountTooLarge = invalid('{field}', 'AMOUNT_OUT_OF_RANGE', '{field} is larger than can be handled.')
export const amountOffStep = invalid('{field}', 'STEP', '{amount} is not a multiple of {step}. Use {valid}.')
export const cursorInvalid = invalid(
  'cursor',
  'INVALID',
  'This cursor does not belong to this list and its filters. Start without one.',
)
export const referenceNotFound = invalid('{field}', 'NOT_FOUND', 'This business has no {targetType} {id}.')

export const statusExists = conflict(
  '{field}',
  'STATUS_EXISTS',
  'The entry {id} is there already, with the status {status}.',
)
export const statusAhead = invalid('{at}', 'INVALID', '{at} is more than 5 minutes ahead.')
export const tooManyStatuses = invalid(
  '{field}',
  'TOO_MANY',
  `{field} cannot have more than ${MAX_STATUS_ENTRIES} entries.`,
)

// Blocks of a schema
export const blockIdRepeated = invalid('{at}.id', 'DUPLICATE', 'Two blocks have the id {id}.')
export const schemaHasNoValues = invalid('{at}.value', 'INVALID', 'A block of a schema has no value.')
export const tooManyOptions = invalid(
  '{field}',
  'TOO_MANY',
  `The blocks of a schema have ${MAX_OPTIONS} options at most.`,
)
export const settingMisplaced = invalid('{at}.{name}', 'INVALID', 'settings.{name} is for {types}, not for {type}.')
export const settingRequired = invalid('{at}.{name}', 'REQUIRED', 'A {type} needs settings.{name}.')
export const boundsReversed = invalid('{at}.min', 'INVALID', 'settings.min cannot be greater than settings.max.')

// Blocks that are filled in
export const blockIdRequired = invalid('{at}.id', 'REQUIRED', '{at}.id is required.')
export const blockNotFound = invalid('{at}.id', 'NOT_FOUND', 'The schema has no block {id}.')
export const blockTypeDiffers = invalid('{at}.type', 'INVALID', 'The block {id} is a {type}.')
export const blockRequired = invalid('{at}', 'REQUIRED', '{id} is required.')
export const valueRequired = invalid('{at}', 'REQUIRED', '{at} is required.')

// Values of blocks
export const partRequired = invalid('{field}.{name}', 'REQUIRED', '{field}.{name} is required.')
export const shapeInvalid = invalid('{field}', 'INVALID', '{field} {message}.')
export const shapeTooLong = invalid('{field}', 'TOO_LONG', '{field} {message}.')
export const notAText = invalid('{at}', 'INVALID', '{at} must be a text.')
export const notATextOrTexts = invalid('{at}', 'INVALID', '{at} must be a text, or an object of texts by locale.')
export const textNotClean = invalid('{at}', 'NOT_CLEAN', '{at} holds markup that HTML texts may not; write it again.')
export const textTooLong = invalid('{at}', 'TOO_LONG', '{at} cannot be longer than {maxLength} characters.')
export const tooManyLocales = invalid('{at}', 'INVALID', `{at} cannot have more than ${MAX_LOCALES} locales.`)
export const notALocale = invalid('{field}', 'INVALID', '{field}: the key is not a locale such as en or de-CH.')
export const numberInvalid = invalid('{at}', 'INVALID', '{at} must be {wanted}.')
export const mediaTypeNotAccepted = invalid('{at}.mimeType', 'INVALID', '{at}.mimeType is none that the block accepts.')
export const mediaAddressRequired = invalid('{at}.{name}', 'REQUIRED', '{at} needs a mediaId, or a url and a mimeType.')
export const mediaNotFound = invalid('{at}.mediaId', 'NOT_FOUND', 'This business has no file {mediaId}.')
export const mediaNotReady = invalid(
  '{at}.mediaId',
  'NOT_READY',
  'The file {mediaId} is not READY. Wait until it is, or upload it again if it was rejected.',
)
export const tooManyMedia = invalid('{at}', 'INVALID', '{at} cannot have more than {maxItems} items.')
export const notAnOption = invalid('{at}', 'INVALID', '{at} must be one of the block’s options.')
export const notChoices = invalid('{at}', 'INVALID', '{at} must be an array of choices.')
export const tooManyChoices = invalid('{at}', 'INVALID', `{at} cannot have more than ${MAX_CHOICES} choices.`)
export const chosenTwice = invalid('{field}', 'DUPLICATE', '{field} is chosen twice.')
