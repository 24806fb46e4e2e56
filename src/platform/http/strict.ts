import type { TSchema } from 'typebox'

type Shape = TSchema & {
  properties?: Record<string, TSchema>
  patternProperties?: Record<string, TSchema>
  additionalProperties?: unknown
  items?: TSchema
  anyOf?: TSchema[]
}

/** The schema of a body that rejects unknown fields at every depth, instead of removing them. */
export function rejectUnknownFields(schema: TSchema): TSchema {
  const { properties, patternProperties, additionalProperties = false, items, anyOf } = schema as Shape
  const inEach = (shapes: Record<string, TSchema>) =>
    Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, rejectUnknownFields(shape)]))
  return {
    ...schema,
    ...(properties && { properties: inEach(properties), additionalProperties }),
    ...(patternProperties && { patternProperties: inEach(patternProperties) }),
    ...(items && { items: rejectUnknownFields(items) }),
    ...(anyOf && { anyOf: anyOf.map(rejectUnknownFields) }),
  }
}
