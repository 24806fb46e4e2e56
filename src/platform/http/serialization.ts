import fastJsonStringify from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { lazily } from '../lazily.ts'

const compiled = new WeakMap<TSchema, () => (data: unknown) => string>()

/** Compiles each shape once, however many routes share it, and lazily: the process starts sooner. */
export const serializerCompiler: FastifySerializerCompiler<TSchema> = ({ schema }) => serializerOf(schema)

/** Throws for a value that does not fit the response schema. */
export function serializerOf(schema: TSchema): (data: unknown) => string {
  const known = compiled.get(schema) ?? lazily(() => fastJsonStringify(withoutLimits(schema) as TSchema))
  compiled.set(schema, known)
  return (data) => known()(data)
}

const LIMITS = new Set(
  (
    'format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf ' +
    'minItems maxItems uniqueItems minProperties maxProperties'
  ).split(' '),
)
/** Their keys are names of fields, which may be called like a keyword. */
const MAPS = new Set(['properties', 'patternProperties'])

/**
 * The response schema without formats and bounds. They document what requests store; a stored value that breaks one, such
 * as a value of an earlier version, is returned as it is. The serializer would check them in unions only, and one such
 * value would fail the whole list.
 */
function withoutLimits(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutLimits)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([keyword]) => !LIMITS.has(keyword))
  return Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, MAPS.has(keyword) ? mapValues(value as object) : withoutLimits(value)]),
  )
}

const mapValues = (schemas: object) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutLimits(schema)]))
