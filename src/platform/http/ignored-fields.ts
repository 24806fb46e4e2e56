import type { FastifyInstance } from 'fastify'
import { recognised } from './access.ts'

const MAX_NAMES = 20
const MAX_BYTES = 1_024
const MAX_KEY_LENGTH = 100

const ignored = new WeakMap<object, string[]>()

/** Remembers, beside what was kept of a body, which of its fields were not. */
export function noteIgnored(sent: unknown, kept: unknown): void {
  if (typeof kept === 'object' && kept !== null) ignored.set(kept, listIgnored(sent as object, kept))
}

/** A misspelt field is no error, but it should not take anybody long to find: the answer names what was ignored. */
export function nameIgnoredFields(app: FastifyInstance): void {
  app.addHook('preHandler', (request, reply, done) => {
    const { body } = request
    const names = typeof body === 'object' && body !== null ? ignored.get(body) : undefined
    if (!names) return done()
    // The business of the path may be in the body as well: it was compared.
    const isRead = recognised(request).route.business === 'path' ? 'businessId' : undefined
    const value = fit(names.filter((name) => name !== isRead))
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

/** Nothing in it can end a header, or be taken for the next name. */
const encode = (key: string) => encodeURIComponent(key.slice(0, MAX_KEY_LENGTH).toWellFormed() || '""')

/** As many names as there is room for. */
function fit(names: readonly string[]): string {
  let value = ''
  for (const name of names.slice(0, MAX_NAMES)) {
    const longer = value === '' ? name : `${value}, ${name}`
    if (longer.length <= MAX_BYTES) value = longer
  }
  return value
}
