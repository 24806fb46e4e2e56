import addFormats from 'ajv-formats'
import { COUNTRIES } from './countries.ts'

type Accepts = (text: string) => boolean

const isCountry: Accepts = (text) => COUNTRIES.has(text)

function fromAjv(name: 'email' | 'uri'): Accepts {
  const format = addFormats.default.get(name)
  return format instanceof RegExp ? (text) => format.test(text) : (format as Accepts)
}

/** What each `format` of our schemas accepts. */
export const FORMATS: Readonly<Record<string, Accepts>> = {
  email: fromAjv('email'),
  uri: fromAjv('uri'),
  country: isCountry,
}
