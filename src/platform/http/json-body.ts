import type { FastifyInstance } from 'fastify'
import { badRequest, invalid } from '#vocabulary/errors.ts'

const MAX_DEPTH = 32

/**
 * JSON bodies, with what the built-in parser lacks: a limit on nesting (checked before parsing, which is recursive), an empty
 * body read as none (many clients send a content type with an empty DELETE), and no text that the database cannot hold.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, raw, done) => {
    const text = raw as string
    if (text === '') return done(null, undefined)
    if (isTooDeep(text)) return done(badRequest(`The JSON body is nested deeper than ${MAX_DEPTH} levels.`))
    void parse(request, text, (error, body) => {
      if (error) return done(badRequest(`The body is not valid JSON: ${error.message}.`))
      // Such text can only come escaped; the quick look spares everybody else the walk.
      const field = /\\u(?:0000|d[89a-f])/i.test(text) ? findUnstorable(body, '') : undefined
      if (field !== undefined) {
        return done(invalid(field, 'INVALID', `${field || 'The body'} holds a NUL or half a surrogate pair.`))
      }
      done(null, body)
    })
  })
}

export function isTooDeep(text: string, maxDepth = MAX_DEPTH): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === 92)
        index++ // a backslash: whatever follows is not the end of the string
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
