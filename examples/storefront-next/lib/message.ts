import { KontorError } from '@kontor/sdk'
import type { Words } from './words.ts'

/** Messages of the service are for people, such as which line is sold out. */
export const messageOf = (error: unknown, words: Words): string =>
  error instanceof KontorError && error.status > 0 && error.status < 500
    ? error.details.map(({ message }) => message).join(' ') || error.message
    : words.wrong
