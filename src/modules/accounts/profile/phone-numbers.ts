import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { phoneInvalid } from '../errors.ts'

/** E.164, or 422. */
export function toE164(field: string, text: string): string {
  const number = parsePhoneNumberFromString(text, { extract: false }) // the whole text, not a number somewhere in it
  if (!number?.isValid()) throw phoneInvalid({ field })
  return number.number
}
