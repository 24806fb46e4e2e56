import { type Access, isPermission, type KeyRule, permissionsIn } from '#platform/http/access.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { holds, type Permission } from '#vocabulary/permissions.ts'
import { changesNothing, dryRunOf } from './dry-runs.ts'
import { inline, inputSchemaOf, type JsonSchema } from './input-schema.ts'

/** An operation as a tool. */
export type Tool = {
  name: string
  title: string
  description: string
  /** Of its chapter in the reference: `promo-codes`. */
  tag: string
  method: string
  path: string
  access: Access
  keys: KeyRule | undefined
  isWrite: boolean
  parameters: readonly Parameter[]
  /** The media types of its body, JSON or a file of text; none without a body. */
  bodyTypes: readonly string[]
  inputSchema: JsonSchema
}

/** `name`: as the caller of the tool writes it. `sent`: as the route reads it. */
export type Parameter = { name: string; sent: string; in: 'path' | 'query' | 'header'; isRequired: boolean }

export type Operation = {
  operationId: string
  summary?: string
  description?: string
  tags: readonly string[]
  parameters?: readonly {
    name: string
    in: Parameter['in']
    required?: boolean
    description?: string
    schema: JsonSchema
  }[]
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { content?: Record<string, { schema?: JsonSchema }> }>
  'x-access': Access
  'x-business': string
}
export type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema> }
}

/** Credentials do not belong into a conversation, whoever asks. */
const NEVER = ['sign-in', 'second-factor', 'staff-sign-in', 'health']
/** One's own account, and what everybody may read: only if asked for. */
const UNLESS_ASKED = ['accounts', 'storefront']

/** Fields in which an answer has a new secret, once: in a conversation it would be kept for good, and by others. */
const SECRETS = ['secret', 'apiTokens']
/** The secret of its answer is in a field that is named like many others. */
const TELLS_SECRET = ['createKey']

const slugOf = (tag: string) => tag.toLowerCase().replaceAll(' ', '-')

const JSON_TYPE = 'application/json'
/** Files that can be written down as an argument. */
const TEXT_TYPES = ['text/csv', 'application/x-ndjson']

/** Every operation that can be a tool: JSON or text in, JSON out, and somebody who calls it by themselves. */
export function toolsOf(document: Document, keys: ReadonlyMap<string, KeyRule | undefined>): Tool[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const tag = slugOf(operation.tags[0] ?? '')
      if (NEVER.includes(tag) || operation['x-business'] === 'provider' || !answersJson(operation)) return []
      const bodyTypes = Object.keys(operation.requestBody?.content ?? {})
      if (bodyTypes.some((type) => type !== JSON_TYPE && !TEXT_TYPES.includes(type))) return []
      const isWrite = method !== 'get' && !changesNothing(operation.operationId)
      if (isWrite && tellsSecret(operation, document.components.schemas)) return []
      const tool = {
        name: operation.operationId,
        title: operation.summary ?? operation.operationId,
        description: describe(operation),
        tag,
        method: method.toUpperCase(),
        path,
        access: operation['x-access'],
        keys: keys.get(operation.operationId),
        isWrite,
        parameters: parametersOf(method, operation),
        bodyTypes,
      }
      return [{ ...tool, inputSchema: inputSchemaOf(tool, operation, document.components.schemas) }]
    }),
  )
}

function describe({ operationId, summary = '', description = '' }: Operation): string {
  const dryRun = dryRunOf(operationId)
  return [`${summary}.`, description, dryRun && `Call ${dryRun} first: it says what would happen, and changes nothing.`]
    .filter(Boolean)
    .join('\n')
}

const answersJson = ({ responses }: Operation) =>
  Object.entries(responses).every(
    ([status, { content }]) => !status.startsWith('2') || !content || JSON_TYPE in content,
  )

const tellsSecret = ({ operationId, responses }: Operation, schemas: Document['components']['schemas']) =>
  TELLS_SECRET.includes(operationId) ||
  Object.entries(responses).some(
    ([status, { content }]) =>
      status.startsWith('2') && hasField(inline(content?.[JSON_TYPE]?.schema ?? {}, schemas), SECRETS),
  )

/** Whether a schema, at any depth, has a field of one of these names. */
const hasField = (schema: unknown, names: readonly string[]): boolean =>
  typeof schema === 'object' &&
  schema !== null &&
  (Object.keys((schema as JsonSchema).properties ?? {}).some((name) => names.includes(name)) ||
    Object.values(schema).some((part) => hasField(part, names)))

const HEADERS: Record<string, string> = {
  'idempotency-key': 'idempotencyKey',
  'if-match': 'ifMatch',
  'if-none-match': 'ifNoneMatch',
}

const parametersOf = (method: string, { parameters = [] }: Operation): Parameter[] =>
  parameters
    .filter(({ name, in: place }) => place !== 'header' || name in HEADERS)
    .filter(({ name }) => method !== 'get' || name !== 'if-none-match') // tools cache nothing
    .map(({ name, in: place, required = false }) => ({
      name: place === 'header' ? (HEADERS[name] ?? name) : name,
      sent: name,
      in: place,
      isRequired: required,
    }))

/** What the caller asked for, in the address or on the command line. */
export type Wanted = { write: boolean; tags: readonly string[]; business: string | undefined }

export type Caller = { actor: Actor; permissions: readonly Permission[] }

/** The tools that were asked for and that the caller may call. */
export const toolsFor = (tools: readonly Tool[], { write, tags }: Wanted, caller: Caller): Tool[] =>
  tools.filter(
    (tool) =>
      (write || !tool.isWrite) &&
      (tags.length > 0 ? tags.includes(tool.tag) : !UNLESS_ASKED.includes(tool.tag)) &&
      mayCall(tool, caller),
  )

function mayCall({ access, keys }: Tool, { actor, permissions }: Caller): boolean {
  if (access === 'operator') return false // a person does this, at a screen
  if (keys === 'refused' && actor.kind === 'api') return false
  if (keys === 'unbound' && (actor.onlyBusinessId || actor.onlyPermissions)) return false
  return !isPermission(access) || permissionsIn(access).some((permission) => holds(permissions, permission))
}

export const tagsOf = (tools: readonly Tool[]): string[] => [...new Set(tools.map(({ tag }) => tag))]
