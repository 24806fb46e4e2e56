import { Ajv, type ErrorObject } from 'ajv'
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Detail } from '#vocabulary/errors.ts'
import { FORMATS } from '#vocabulary/formats.ts'
import { lazily } from '../lazily.ts'
import { createCleaner } from './clean.ts'
import { noteIgnored } from './ignored-fields.ts'
import { inFormOrder, sentenceFor } from './messages.ts'
import { nearest } from './nearest.ts'
import * as refusal from './refusals.ts'

// fast: stops at the first failure, so a hostile body of a million wrong items costs no more than one of them. verbose:
// a failure carries its schema, which holds the wording for it.
const options = { strict: false, removeAdditional: false, useDefaults: false, verbose: true } as const
const strictFast = withFormats(new Ajv({ ...options, coerceTypes: false }))
const strictAll = withFormats(new Ajv({ ...options, coerceTypes: false, allErrors: true }))
const coercing = withFormats(new Ajv({ ...options, coerceTypes: 'array', useDefaults: true, allErrors: true }))

function withFormats(ajv: Ajv): Ajv {
  for (const [name, accepts] of Object.entries(FORMATS)) ajv.addFormat(name, accepts)
  return ajv
}

/**
 * Bodies with up to this many values get every failing field listed, larger ones only the first: each value may fail in
 * several ways.
 */
const LIST_ALL_UP_TO_VALUES = 2_000

/**
 * Bodies are strict (`"5"` is no number) and lose the fields that their schema does not know, so a handler can spread
 * them. Path, query and header values arrive as text and are coerced. Compiled on first use: the process starts sooner.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart !== 'body') {
    const compiled = lazily(() => coercing.compile(schema))
    return (data) => {
      const validate = compiled()
      return validate(data) ? { value: data } : { error: failure(validate.errors?.map(ofParameter)) }
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

/**
 * The same rules and details for input outside of a request body, such as a line of a file. As a `querystring` values are
 * coerced, in the data itself.
 */
export function createChecker<Schema extends TSchema>(schema: Schema, httpPart: 'body' | 'querystring' = 'body') {
  const validate = validatorCompiler({ schema, httpPart, method: '', url: '' }) as Validate
  return (data: unknown): { value: Static<Schema> } | { details: Detail[] } => {
    const { value, error } = validate(data)
    return error ? { details: toDetails(error.validation, schema) } : { value: value as Static<Schema> }
  }
}

type Validate = (data: unknown) => { value?: unknown; error?: { validation: FastifySchemaValidationError[] } }

const same = (data: unknown) => data

/** Stops counting at the limit. The value is parsed JSON: finite, and not deep. */
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

/** A parameter that may be repeated is one parameter: which of its values is wrong is told by the message. */
const ofParameter = (error: ErrorObject) => ({ ...error, instancePath: error.instancePath.replace(/\/\d+$/, '') })

const failure = (errors: ErrorObject[] | null | undefined) =>
  Object.assign(new Error('validation failed'), { validation: errors ?? [] })

/** The body as a whole is not an object (or is missing): malformed, rather than a wrong field. */
export const isWrongTopLevel = (errors: FastifySchemaValidationError[]) =>
  errors.some(({ instancePath, keyword }) => instancePath === '' && keyword === 'type')

const MAX_DETAILS = 100
const MAX_SHOWN = 50

/** One detail per failing field, the most telling one, in the order in which a form shows the fields. */
export function toDetails(errors: FastifySchemaValidationError[], schema: unknown): Detail[] {
  const details = new Map<string, Detail>()
  for (const error of errors) {
    const detail = toDetail(error)
    const { field } = detail
    if (error.keyword === 'anyOf') {
      // Failures of the union's members came first. None applies to the whole, but the first member is the one that was
      // meant.
      const meant = [...details.values()].find((known) => known.field === field || known.field.startsWith(`${field}.`))
      for (const known of details.keys()) if (known.startsWith(`${field}.`)) details.delete(known)
      details.set(field, { ...detail, message: meant?.message ?? detail.message })
    } else if (!details.has(field)) details.set(field, detail)
    if (details.size >= MAX_DETAILS) break
  }
  return inFormOrder([...details.values()], schema)
}

function toDetail(failure: FastifySchemaValidationError): Detail {
  const { instancePath, keyword, params } = failure
  const at = instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty).slice(0, MAX_SHOWN).toWellFormed()
    return refusal.unknownField.asDetail({
      field: [at, name].filter(Boolean).join('.'),
      message: unknownFieldMessage(name, failure),
    })
  }
  if (keyword !== 'required') {
    const { asDetail } = REFUSALS[keyword] ?? refusal.valueInvalid
    return asDetail({ field: at, message: sentenceFor(failure, at) })
  }
  const field = [at, String(params.missingProperty)].filter(Boolean).join('.')
  const { asDetail } = params.missingProperty === 'password' ? refusal.passwordRequired : refusal.valueRequired
  return asDetail({ field, message: sentenceFor(failure, field) })
}

function unknownFieldMessage(name: string, failure: FastifySchemaValidationError): string {
  const { parentSchema } = failure as { parentSchema?: { properties?: object } }
  const known = Object.keys(parentSchema?.properties ?? {})
  const meant = nearest(name, known)
  const hint = meant ? `Did you mean "${meant}"?` : known.length > 0 && `Known fields: ${known.join(', ')}.`
  return [`Unknown field "${name}".`, hint].filter(Boolean).join(' ')
}

const REFUSALS: Record<string, typeof refusal.valueInvalid> = {
  maxLength: refusal.valueTooLong,
  minLength: refusal.valueTooShort,
  maxItems: refusal.tooManyItems,
  minItems: refusal.tooFewItems,
  maximum: refusal.valueTooLarge,
  minimum: refusal.valueTooSmall,
  uniqueItems: refusal.itemRepeated,
}
