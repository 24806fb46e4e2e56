import { invalid } from './errors.ts'

export type Form = { [key: string]: Form | string }

/** `line_items[0][quantity]=2&expand[]=customer` as nested objects. Arrays are objects keyed by index. */
export function decodeForm(...texts: string[]): Form {
  const form = emptyForm()
  for (const [key, value] of texts.flatMap((text) => [...new URLSearchParams(text)])) {
    const steps = [...key.matchAll(/[^[\]]+|\[\]/g)].map(([step]) => step)
    let place = form
    for (const [index, step] of steps.entries()) {
      const name = step === '[]' ? String(Object.keys(place).length) : step
      if (index === steps.length - 1) place[name] = value
      else {
        const inside = place[name]
        place = typeof inside === 'object' ? inside : (place[name] = emptyForm())
      }
    }
  }
  return form
}

// Without a prototype, so that a key like __proto__ is a key like any other.
const emptyForm = (): Form => Object.create(null) as Form

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
export const isEmail = (text: string) => text.length <= 512 && EMAIL.test(text)

export type Reader = ReturnType<typeof readForm>

/** Reads parameters one by one and refuses invalid ones in Stripe's words. */
export function readForm(form: Form, path = '') {
  const nameOf = (key: string) => (path ? `${path}[${key}]` : key)

  function text(key: string, maxLength = 5_000): string | undefined {
    const value = form[key]
    if (value === undefined) return undefined
    const name = nameOf(key)
    if (typeof value === 'object') throw invalid(`Invalid string: ${JSON.stringify(value)}`, name)
    if (value === '') {
      const message = `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a parameter; however '${name}' cannot be unset.`
      throw invalid(message, name, 'parameter_invalid_empty')
    }
    if (value.length > maxLength) throw invalid(`Invalid string: must be at most ${maxLength} characters`, name)
    return value
  }

  function need<T>(key: string, value: T | undefined): T {
    if (value === undefined) throw invalid(`Missing required param: ${nameOf(key)}.`, nameOf(key), 'parameter_missing')
    return value
  }

  function integer(key: string, min: number, max = Number.MAX_SAFE_INTEGER): number | undefined {
    const value = text(key)
    if (value === undefined) return undefined
    const fail = (message: string) => invalid(message, nameOf(key), 'parameter_invalid_integer')
    if (!/^-?\d{1,16}$/.test(value)) throw fail(`Invalid integer: ${value}`)
    if (Number(value) < min) throw fail(`This value must be greater than or equal to ${min}.`)
    if (Number(value) > max) throw fail(`This value must be less than or equal to ${max}.`)
    return Number(value)
  }

  function choice<T extends string>(key: string, choices: readonly T[]): T | undefined {
    const value = text(key)
    if (value === undefined || choices.includes(value as T)) return value as T | undefined
    throw invalid(`Invalid ${nameOf(key)}: must be one of ${choices.join(', ')}`, nameOf(key))
  }

  function flag(key: string): boolean | undefined {
    const value = choice(key, ['true', 'false'])
    return value === undefined ? undefined : value === 'true'
  }

  function url(key: string): string | undefined {
    const value = text(key)
    if (value === undefined || /^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value
    throw invalid('Not a valid URL', nameOf(key), 'url_invalid')
  }

  function email(key: string): string | undefined {
    const value = text(key)
    if (value === undefined || isEmail(value)) return value
    throw invalid(`Invalid email address: ${value}`, nameOf(key), 'email_invalid')
  }

  function inside(key: string): Reader | undefined {
    const value = form[key]
    if (value === undefined) return undefined
    if (typeof value === 'string') throw invalid('Invalid object', nameOf(key))
    return readForm(value, nameOf(key))
  }

  function list(key: string): Reader[] {
    const value = inside(key)
    return value ? value.keys().flatMap((place) => value.inside(place) ?? []) : []
  }

  function texts(key: string): string[] {
    const value = inside(key)
    return value ? value.keys().flatMap((place) => value.text(place) ?? []) : []
  }

  /** An empty value removes a key, which matters only where metadata exists. */
  function metadata({ keepsEmpty = false } = {}): Record<string, string> | undefined {
    if (form.metadata === undefined || form.metadata === '') return undefined
    const given = Object.entries(form.metadata)
    if (given.length > 50) throw invalid('Metadata can have up to 50 keys.', nameOf('metadata'))
    for (const [key, value] of given) {
      const name = `${nameOf('metadata')}[${key}]`
      if (key.length > 40) throw invalid('Metadata keys can be up to 40 characters long.', name)
      if (typeof value !== 'string') throw invalid('Metadata values must be strings.', name)
      if (value.length > 500) throw invalid('Metadata values can have up to 500 characters.', name)
    }
    return Object.fromEntries(given.filter(([, value]) => keepsEmpty || value !== '')) as Record<string, string>
  }

  /** Refuses parameters that the twin does not implement, so that nobody relies on them. */
  function only(...known: string[]): void {
    const unknown = Object.keys(form).find((key) => !known.includes(key))
    if (unknown === undefined) return
    throw invalid(`Received unknown parameter: ${nameOf(unknown)}`, nameOf(unknown), 'parameter_unknown')
  }

  const keys = () => Object.keys(form)
  return { text, need, integer, choice, flag, url, email, inside, list, texts, metadata, only, keys, nameOf }
}
