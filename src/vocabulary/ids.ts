import { randomBytes } from 'node:crypto'
import { v7 } from 'uuid'

// Crockford's alphabet in lower case: no i, l, o, u, so an id survives being read aloud.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Prefix + time-ordered 26 characters (a UUIDv7 in base32), so ids sort by creation: `role_01jcq3…`. */
export function newId(prefix: string, timeMs?: number): string {
  const bytes = v7(timeMs === undefined ? undefined : { msecs: timeMs }, new Uint8Array(16))
  return `${prefix}_${base32(bytes, 26)}`
}

/** Short and random (60 bits): it is the first column of every key in a business's tables. */
export const newBusinessId = () => `biz_${base32(randomBytes(8), 13).slice(1)}`

/** Whether a text has the form that ids have. Callers send other texts, too, and as long as they like. */
export const isId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text)

/** Big-endian, padded with zeros. */
function base32(bytes: Uint8Array, length: number): string {
  let text = ''
  let waiting = 0
  let bits = 0
  for (let position = bytes.length - 1; text.length < length; ) {
    if (bits < 5 && position >= 0) {
      waiting |= (bytes[position--] as number) << bits
      bits += 8
    }
    text = ALPHABET[waiting & 31] + text
    waiting >>= 5
    bits -= 5
  }
  return text
}
