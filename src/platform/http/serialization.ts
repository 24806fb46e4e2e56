import fastJsonStringify from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { lazily } from '../lazily.ts'

const compiled = new WeakMap<TSchema, () => (data: unknown) => string>()

/** Compiles each shape once, however many routes share it, and lazily: the process starts sooner. */
export const serializerCompiler: FastifySerializerCompiler<TSchema> = ({ schema }) => {
  const known = compiled.get(schema) ?? lazily(() => fastJsonStringify(schema))
  compiled.set(schema, known)
  return (data) => known()(data)
}
