import { Ajv, type ErrorObject } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Detail } from '#vocabulary/errors.ts'
import { lazily } from '../lazily.ts'
import { createCleaner } from './clean.ts'
import { noteIgnored } from './ignored-fields.ts'

// fast: stops at the first failure, so a hostile body of a million wrong items costs no more than one of them.
const options = { strict: false, removeAdditional: false, useDefaults: false } as const
const strictFast = withFormats(new Ajv({ ...options, coerceTypes: false }))
const strictAll = withFormats(new Ajv({ ...options, coerceTypes: false, allErrors: true }))
const coercing = withFormats(new Ajv({ ...options, coerceTypes: 'array', useDefaults: true, allErrors: true }))

function withFormats(ajv: Ajv): Ajv {
  addFormats.default(ajv, ['email', 'uri'])
  return ajv
}

/** Bodies of up to so many values get every failing field listed, larger ones the first: each value may fail in several ways. */
const LIST_ALL_UP_TO_VALUES = 2_000

/**
 * Bodies are strict (`"5"` is no number) and lose the fields that their schema does not know, so a handler can spread them.
 * Path, query and header values arrive as text and are coerced. Compiled with the first request: a process starts sooner.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart !== 'body') {
    const compiled = lazily(() => coercing.compile(schema))
    return (data) => {
      const validate = compiled()
      return validate(data) ? { value: data } : { error: failure(validate.errors) }
    }
  }
  const compiled = lazily(() => ({ validate: strictFast.compile(schema), clean: createCleaner(schema) ?? same }))
  const compiledToListAll = lazily(() => strictAll.compile(schema))
  return (data) => {
    const { validate, clean } = compiled()
    if (validate(data)) {
      const taken = { any: false }
      const value = clean(data, taken)
      if (taken.any) noteIgnored(data, value)
      return { value }
    }
    const firstErrors = validate.errors
    if (hasMoreValues(data, LIST_ALL_UP_TO_VALUES)) return { error: failure(firstErrors) }
    const listAll = compiledToListAll()
    listAll(data)
    return { error: failure(listAll.errors ?? firstErrors) }
  }
}

/** For what arrives by other ways than a request's body, one line of a file for instance: the same rules, the same details. */
export function createChecker<Schema extends TSchema>(schema: Schema) {
  const validate = validatorCompiler({ schema, httpPart: 'body', method: '', url: '' }) as Validate
  return (data: unknown): { value: Static<Schema> } | { details: Detail[] } => {
    const { value, error } = validate(data)
    return error ? { details: toDetails(error.validation) } : { value: value as Static<Schema> }
  }
}

type Validate = (data: unknown) => { value?: unknown; error?: { validation: FastifySchemaValidationError[] } }

const same = (data: unknown) => data

/** Looks no further than it has to. Parsed JSON: it ends somewhere, and is not deep. */
function hasMoreValues(data: unknown, limit: number): boolean {
  let left = limit
  const walk = (value: unknown): boolean => {
    if (--left < 0) return true
    if (typeof value !== 'object' || value === null) return false
    for (const key in value) if (walk((value as Record<string, unknown>)[key])) return true
    return false
  }
  return walk(data)
}

const failure = (errors: ErrorObject[] | null | undefined) =>
  Object.assign(new Error('validation failed'), { validation: errors ?? [] })

/** The body as a whole is not an object (or is missing): malformed, rather than a wrong field. */
export const isWrongTopLevel = (errors: FastifySchemaValidationError[]) =>
  errors.some(({ instancePath, keyword }) => instancePath === '' && keyword === 'type')

const MAX_DETAILS = 100

/** One detail per failing field, the most telling one. */
export function toDetails(errors: FastifySchemaValidationError[]): Detail[] {
  const details = new Map<string, Detail>()
  for (const error of errors) {
    const detail = toDetail(error)
    const known = details.get(detail.field)
    // Of a union, the branches' complaints come first and `anyOf` last: only the latter is true of the whole.
    if (!known || error.keyword === 'anyOf') details.set(detail.field, detail)
    if (error.keyword === 'anyOf')
      for (const field of details.keys()) if (field.startsWith(`${detail.field}.`)) details.delete(field)
    if (details.size >= MAX_DETAILS) break
  }
  return [...details.values()]
}

function toDetail({ instancePath, keyword, params, message = '' }: FastifySchemaValidationError): Detail {
  const at = instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'required') {
    const field = [at, String(params.missingProperty)].filter(Boolean).join('.')
    const error = params.missingProperty === 'password' ? 'PASSWORD_REQUIRED' : 'REQUIRED'
    return { field, error, message: `${field} is required.` }
  }
  return { field: at, error: CODES[keyword] ?? 'INVALID', message: `${at} ${explain(keyword, params, message)}.` }
}

const CODES: Record<string, string> = {
  maxLength: 'TOO_LONG',
  minLength: 'TOO_SHORT',
  maxItems: 'TOO_MANY',
  minItems: 'TOO_FEW',
  maximum: 'TOO_LARGE',
  minimum: 'TOO_SMALL',
  uniqueItems: 'DUPLICATE',
}

function explain(keyword: string, params: Record<string, unknown>, message: string): string {
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`
  if (keyword === 'anyOf') return 'has none of the allowed forms'
  return message
}
