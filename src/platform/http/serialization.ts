import fastJsonStringify from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'

const compiled = new WeakMap<TSchema, (data: unknown) => string>()

/** Each shape once, as many routes as it may answer for: compiling eight hundred of them took a third of the time to start. */
export const serializerCompiler: FastifySerializerCompiler<TSchema> = ({ schema }) => {
  const known = compiled.get(schema) ?? fastJsonStringify(schema)
  compiled.set(schema, known)
  return known
}
