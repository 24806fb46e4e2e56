import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { weakKey } from '../errors.ts'

// Letters and digits only: a double click selects all of it, and scanners find where it ends.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'kontor_'
const RANDOM_LETTERS = 40
const CHECK_LETTERS = 6

/** For scanners of public text. */
export const KEY_PATTERN = new RegExp(`${PREFIX}[0-9A-Za-z]{${RANDOM_LETTERS + CHECK_LETTERS}}`)

/** A new key: a prefix to know it by, 40 random letters (238 bits), and six that follow from them. */
export function newKey(): string {
  let random = ''
  while (random.length < RANDOM_LETTERS)
    // Bytes above the last multiple of 62 would make some letters likelier.
    for (const byte of randomBytes(RANDOM_LETTERS))
      if (byte < 248 && random.length < RANDOM_LETTERS) random += ALPHABET[byte % 62]
  return PREFIX + random + checkOf(random)
}

/** The CRC-32 of the random letters, so that a scanner can tell a key from a text that looks like one. */
function checkOf(random: string): string {
  let rest = crc32(random)
  let letters = ''
  for (let place = 0; place < CHECK_LETTERS; place++) {
    letters = ALPHABET[rest % 62] + letters
    rest = Math.floor(rest / 62)
  }
  return letters
}

/** Whether a text is a key that this service has made, here or elsewhere. */
export function looksLikeKey(text: string): boolean {
  if (!new RegExp(`^${KEY_PATTERN.source}$`).test(text)) return false
  const random = text.slice(PREFIX.length, -CHECK_LETTERS)
  return text.endsWith(checkOf(random))
}

/** A value that a caller brings must be hard to guess. */
export function checkValue(field: string, value: string): void {
  const printable = /^[\x21-\x7e]{32,128}$/.test(value)
  const repetitive = new Set(value).size < 12 || isPeriodic(value)
  if (!printable || isJwtShaped(value) || repetitive) throw weakKey({ field })
}

/** A repeated pattern, such as `abc123abc123abc1`. */
function isPeriodic(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length++) if (text.startsWith(text.slice(length))) return true
  return false
}

/** A bearer of this shape is read as a JWT, so it can never be a key. */
export const isJwtShaped = (text: string) => text.startsWith('eyJ') && text.split('.').length === 3
