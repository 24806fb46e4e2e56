import type { Operation, Parameter } from './tools.ts'

export type JsonSchema = { [keyword: string]: unknown }

/** A schema that refers to itself is cut there: `object` without more. */
const MAX_DEPTH = 12

type Shape = { parameters: readonly Parameter[]; bodyTypes: readonly string[] }

/** One object: path and query values by their names, the body as `body`, or a file as `file`. */
export function inputSchemaOf(
  { parameters, bodyTypes }: Shape,
  operation: Operation,
  schemas: Record<string, JsonSchema>,
): JsonSchema & { type: 'object' } {
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  for (const { name, sent, isRequired } of parameters) {
    const { schema = {}, description } = operation.parameters?.find((each) => each.name === sent) ?? {}
    properties[name] = { ...inline(schema, schemas), ...(description && { description: describe(sent, description) }) }
    if (isRequired) required.push(name)
  }
  const json = operation.requestBody?.content['application/json']
  if (json) {
    properties.body = inline(json.schema, schemas)
    if (operation.requestBody?.required !== false) required.push('body')
  } else if (bodyTypes.length > 0) {
    properties.file = { type: 'string', description: 'The whole file, as text.' }
    properties.fileType = { type: 'string', enum: [...bodyTypes] }
    required.push('file', 'fileType')
  }
  return { type: 'object', properties, required, additionalProperties: false }
}

const describe = (name: string, description: string) =>
  name === 'dryRun'
    ? `${description} Here it is true unless you say false: look at what would happen before you do it.`
    : description

/** Without references, which not every client follows, and without what only the reference page shows. */
export function inline(schema: unknown, schemas: Record<string, JsonSchema>, depth = 0): JsonSchema {
  if (typeof schema !== 'object' || schema === null) return schema as JsonSchema
  if (Array.isArray(schema)) return schema.map((each) => inline(each, schemas, depth)) as unknown as JsonSchema
  const { $ref } = schema as { $ref?: unknown }
  if (typeof $ref === 'string') {
    const target = schemas[$ref.slice($ref.lastIndexOf('/') + 1)]
    return depth < MAX_DEPTH && target ? inline(target, schemas, depth + 1) : { type: 'object' }
  }
  const kept = Object.entries(schema).filter(([keyword]) => !DROPPED.has(keyword) && !keyword.startsWith('x-'))
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, inlineIn(keyword, value, schemas, depth)]))
}

const DROPPED = new Set(['examples', 'title', 'discriminator'])

/** Names of properties are no keywords: one may be called `title`. */
const inlineIn = (keyword: string, value: unknown, schemas: Record<string, JsonSchema>, depth: number): unknown =>
  keyword === 'properties'
    ? Object.fromEntries(
        Object.entries(value as Record<string, unknown>).map(([name, each]) => [name, inline(each, schemas, depth)]),
      )
    : keyword === 'enum' || keyword === 'required' || keyword === 'default'
      ? value
      : inline(value, schemas, depth)
