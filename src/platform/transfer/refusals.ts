import { badRequest, lineRefused, notFound, payloadTooLarge } from '#vocabulary/define-refusal.ts'

export const importNotFound = notFound('import')

// The file as a whole
export const notAFile = badRequest('Send {types}.')
export const fileTooLarge = payloadTooLarge('{maxMebibytes} MiB')
export const uploadEndedEarly = badRequest('The upload ended early.')
export const fileNotUtf8 = badRequest('The file is not UTF-8.')
export const csvInvalid = badRequest('The file is not readable as CSV: {message}')
export const tooManyColumns = badRequest('The file has {count} columns; {most} are read at most.')
export const tooManyCells = badRequest('A row of the file has more than {most} cells.')

// One line of it
export const lineTooLong = lineRefused('', 'INVALID', 'The line is longer than {limit}.')
export const lineNotUtf8 = lineRefused('', 'INVALID', 'The line is not UTF-8.')
export const lineHoldsNul = lineRefused('', 'INVALID', 'The line holds a NUL.')
export const lineTooDeep = lineRefused('', 'INVALID', 'The line is nested too deeply.')
export const lineNotJson = lineRefused('', 'INVALID', 'The line is not valid JSON: {message}.')
export const lineUnstorable = lineRefused('', 'INVALID', '{place} holds a NUL or half a surrogate pair.')
