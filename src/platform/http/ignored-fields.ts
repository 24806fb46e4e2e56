import type { FastifyInstance } from 'fastify'

const MAX_NAMES = 20
const MAX_BYTES = 1_024
const MAX_KEY_LENGTH = 100

const ignored = new WeakMap<object, string[]>()

/** Remembers the body as sent, to find the fields that validation removed. */
export function noteIgnored(sent: unknown, kept: unknown): void {
  if (typeof kept === 'object' && kept !== null) ignored.set(kept, listIgnored(sent as object, kept))
}

/**
 * A misspelt field is no error, but a response header names the fields that were ignored, so that it is found quickly.
 */
export function nameIgnoredFields(app: FastifyInstance): void {
  app.addHook('preHandler', (request, reply, done) => {
    const { body } = request
    const names = typeof body === 'object' && body !== null ? ignored.get(body) : undefined
    if (!names) return done()
    const value = fit(names)
    if (value) void reply.header('x-ignored-fields', value)
    done()
  })
}

function listIgnored(sent: object, kept: object): string[] {
  const names: string[] = []
  const walk = (before: object, after: object, path: string) => {
    for (const [key, value] of Object.entries(before)) {
      if (names.length > MAX_NAMES) return
      const at = path === '' ? encode(key) : `${path}.${encode(key)}`
      const left = (after as Record<string, unknown>)[key]
      if (!Object.hasOwn(after, key)) names.push(at)
      else if (value !== left && isObject(value) && isObject(left)) walk(value, left, at)
    }
  }
  walk(sent, kept, '')
  return names
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Escapes everything that could end the header, or separate names. */
const encode = (key: string) => encodeURIComponent(key.slice(0, MAX_KEY_LENGTH).toWellFormed() || '""')

function fit(names: readonly string[]): string {
  let value = ''
  for (const name of names.slice(0, MAX_NAMES)) {
    const longer = value === '' ? name : `${value}, ${name}`
    if (longer.length <= MAX_BYTES) value = longer
  }
  return value
}
