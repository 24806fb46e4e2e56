import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MAX_JSON_DEPTH } from './limits.ts'
import * as refusal from './refusals.ts'

/**
 * Parses JSON bodies, with three additions to the built-in parser: a limit on nesting (checked before parsing, which is
 * recursive), an empty body read as none (many clients send a content type with an empty DELETE), and no text that the
 * database cannot store.
 */
export function parseJsonBodies(app: FastifyInstance, keep?: (request: FastifyRequest, text: string) => void): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, raw, done) => {
    const text = raw as string
    keep?.(request, text)
    if (text === '') return done(null, undefined)
    if (isTooDeep(text)) return done(refusal.jsonTooDeep())
    void parse(request, text, (error, body) => {
      if (error) return done(refusal.jsonInvalid({ message: error.message }))
      // Such text can only come escaped; this quick test spares other bodies the walk.
      const field = /\\u(?:0000|d[89a-f])/i.test(text) ? findUnstorable(body, '') : undefined
      if (field !== undefined) {
        return done(field ? refusal.fieldUnstorable({ field }) : refusal.bodyUnstorable())
      }
      done(null, body)
    })
  })
}

export function isTooDeep(text: string, maxDepth = MAX_JSON_DEPTH): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === 92)
        index++ // a backslash: the next character does not end the string
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 123 || code === 91) {
      if (++depth > maxDepth) return true
    } else if (code === 125 || code === 93) depth--
  }
  return false
}

const isUnstorable = (text: string) => text.includes('\0') || !text.isWellFormed()

/** The dotted path of the first text that PostgreSQL would refuse, keys included. */
export function findUnstorable(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return isUnstorable(value) ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    if (isUnstorable(key)) return path
    const found = findUnstorable(inner, path === '' ? key : `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}
