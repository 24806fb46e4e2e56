import swagger from '@fastify/swagger'
import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import type { ErrorCode } from '#vocabulary/error-codes.ts'
import { ErrorBody } from '#vocabulary/schemas.ts'
import { VERSION } from '../version.ts'
import { type Access, isPermission, permissionsIn } from './access.ts'
import { type Asset, createAsset } from './asset.ts'
import { exampleOf } from './openapi-examples.ts'
import { INTRODUCTION, showReference } from './reference-page.ts'
import { describeResponse } from './response-description.ts'

type Json = Record<string, unknown>

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI 3.1 document of all routes; available once the app is ready. */
    openApiDocument(): Json
  }
}

/** A chapter of the reference; chapters stand in the order in which they are listed. */
export type Tag = { name: string; description: string }

const SECURITY = [{ accessToken: [] }, { apiKey: [] }]

/**
 * The reference is generated from the routes alone: their schemas, and what they declare about access, keys and
 * versions.
 */
export async function describeApi(app: FastifyInstance, publicUrl: string, tags: readonly Tag[]): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Kontor',
        version: VERSION,
        description: INTRODUCTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl }],
      tags: [...tags],
      components: {
        securitySchemes: {
          accessToken: { type: 'http', scheme: 'bearer', description: 'An access token or an API key.' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      if (!schema?.operationId) return { url, schema: { ...schema, hide: true } } // pages and files, not operations
      const {
        access = 'public',
        business = 'none',
        idempotent,
        versioned,
        creates,
        uploads,
        downloads,
        keys,
        fails,
        parameters,
      } = route.config ?? {}
      const method = [route.method].flat().find((name) => name !== 'HEAD') ?? 'GET'
      const success = (schema.response ?? {}) as Record<string, TSchema>
      return {
        url,
        schema: {
          ...schema,
          description: [schema.description, accessSentence(access)].filter(Boolean).join('\n\n'),
          security: access === 'public' ? [] : SECURITY,
          ...(uploads && { body: fileOf(uploads) }),
          'x-access': access,
          'x-business': business,
          headers: headersOf(method, { idempotent, versioned, creates }),
          response: {
            ...errorsOf(method, schema, { access, business, idempotent, versioned, keys, fails, parameters }),
            ...Object.fromEntries(
              Object.entries(success).map(([status, body]) => [
                status,
                {
                  ...body,
                  'x-response-description':
                    REASONS[Number(status)]?.[1] ??
                    describeResponse({
                      method,
                      operationId: String(schema.operationId),
                      status: Number(status),
                      schema: body,
                    }),
                },
              ]),
            ),
            ...(versioned && method === 'GET'
              ? { 304: { type: 'null', 'x-response-description': 'The record has not changed.' } }
              : {}),
            ...(downloads && { 200: { 'x-response-description': 'The requested file.', ...fileOf(downloads) } }),
          },
        } as unknown as typeof schema,
      }
    },
  })

  let document: Json | undefined
  app.decorate('openApiDocument', () => {
    document ??= finish(app.swagger() as unknown as Json)
    return document
  })
  let sendDocument: Asset | undefined
  app.get('/openapi.json', { config: { access: 'public', business: 'none' } }, (request, reply) => {
    sendDocument ??= createAsset(JSON.stringify(app.openApiDocument()), 'application/json; charset=utf-8')
    return sendDocument(request, reply)
  })
  await showReference(app)
}

const fileOf = (types: readonly string[]) => ({
  content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
})

function accessSentence(access: Access): string {
  if (access === 'public') return 'No authentication required.'
  if (access === 'guest') return 'Accepts any token, including guest tokens.'
  if (access === 'signed-in') return 'Requires a user token or an API key. Guest tokens are rejected.'
  if (access === 'operator') return 'Operators only. Requires a session with a second factor. API keys are rejected.'
  return `Requires the ${permissionsIn(access)
    .map((permission) => `\`${permission}\``)
    .join(' or ')} permission.`
}

const header = (description: string, maxLength: number, example: string) => ({
  type: 'string',
  description,
  maxLength,
  examples: [example],
})

type Headed = Pick<FastifyContextConfig, 'idempotent' | 'versioned' | 'creates'>

function headersOf(method: string, { idempotent, versioned, creates }: Headed) {
  const properties: Json = {}
  if (idempotent) {
    properties['idempotency-key'] = header(
      'Makes it safe to retry the request. A retry with the same key returns the first response.',
      255,
      'a4f0c2',
    )
  }
  if (versioned && method === 'GET')
    properties['if-none-match'] = header(
      'ETag of the known version. Returns 304 if the record has not changed.',
      200,
      '"3"',
    )
  if (versioned && method !== 'GET')
    properties['if-match'] = header('ETag of the expected version. Returns 412 if the record has changed.', 200, '"3"')
  if (creates)
    properties['if-none-match'] = header('`*` creates the record. Returns 412 if it already exists.', 200, '*')
  return Object.keys(properties).length > 0 ? { type: 'object', properties } : undefined
}

const REASONS: Record<number, [code: ErrorCode, when: string]> = {
  400: ['BAD_REQUEST', 'The URL or the body is malformed.'],
  401: ['UNAUTHENTICATED', 'The token or API key is missing or invalid.'],
  403: ['FORBIDDEN', 'The caller does not have the required permission.'],
  404: ['NOT_FOUND', 'The record does not exist or is not visible to the caller.'],
  409: ['CONFLICT', 'The current state of the record does not allow the request. `details` has the reason.'],
  412: [
    'PRECONDITION_FAILED',
    '`If-Match` does not match the current version, or the record exists despite `If-None-Match: *`.',
  ],
  413: ['PAYLOAD_TOO_LARGE', 'The body exceeds 2 MiB, or the file exceeds its size limit.'],
  422: ['VALIDATION_FAILED', 'Fields are missing or invalid. `details` has one entry per field.'],
  429: ['RATE_LIMITED', 'Too many requests. Retry after the time in `Retry-After`.'],
  502: ['PROVIDER_FAILED', 'An external service failed. Try again shortly.'],
  503: [
    'UNAVAILABLE',
    'The service is overloaded or shutting down, or the database is unreachable. Retry after the time in `Retry-After`.',
  ],
}

function errorsOf(
  method: string,
  { body, params, querystring }: FastifySchema,
  { access = 'public', business, idempotent, versioned, keys, fails = [], parameters }: FastifyContextConfig,
) {
  const statuses = [400, 429, 503, ...fails] // any URL may be malformed
  if (method !== 'GET') statuses.push(413, 422) // even an unexpected body may be too large or hold a NUL
  if (body || params || querystring || idempotent || parameters) statuses.push(422)
  if (body) statuses.push(409)
  if (access !== 'public') statuses.push(401)
  const refusesKeys = keys === undefined ? access !== 'public' && business !== 'none' : keys !== 'strangers'
  if (access === 'signed-in' || access === 'operator' || isPermission(access) || refusesKeys) statuses.push(403)
  if (business !== 'none' || params) statuses.push(404)
  if (idempotent) statuses.push(409)
  if (versioned) statuses.push(412)
  return Object.fromEntries(statuses.map((status) => [status, ERRORS[status]]))
}

/** One object for each status, shared by all routes: equal schemas are compiled once. */
const ERRORS = Object.fromEntries(
  Object.entries(REASONS).map(([status, [, reason]]) => [status, { ...ErrorBody, 'x-response-description': reason }]),
)

/** Named shapes (those with a `title`) and errors become components, and every body gets an example. */
function finish(document: Json): Json {
  const named = new Map<string, Json>()
  const errors: Record<string, unknown> = {}
  for (const path of Object.values(document.paths as Record<string, Record<string, Json>>)) {
    for (const operation of Object.values(path)) {
      const request = (operation.requestBody as Json | undefined)?.content as Json | undefined
      if (request?.['application/json']) addExample(request['application/json'] as Json)
      for (const [status, response] of Object.entries((operation.responses ?? {}) as Record<string, Json>)) {
        const content = (response.content as Record<string, Json> | undefined)?.['application/json']
        if (status === '304') delete response.content
        else if (content) addExample(content, Number(status))
        const name = nameOfError(Number(status))
        if (!name) continue
        errors[name] ??= hoist(response, named)
        ;(operation.responses as Json)[status] = { $ref: `#/components/responses/${name}` }
      }
    }
  }
  const components = document.components as Json
  const paths = hoist(document.paths, named)
  components.responses = errors
  components.schemas = Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { ...document, paths }
}

/** RATE_LIMITED is the component RateLimited. */
const nameOfError = (status: number) =>
  REASONS[status]?.[0]
    .toLowerCase()
    .split('_')
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join('')

function addExample(content: Json, status = 200) {
  const schema = content.schema as TSchema
  const reason = status >= 400 ? REASONS[status] : undefined
  if (!reason) {
    content.example = exampleOf(schema)
    return
  }
  const details = status === 422 ? [{ field: 'name', error: 'REQUIRED', message: 'Fill in the name.' }] : []
  const [error, message] = reason
  content.example = { error, message, details, requestId: '9f2c41d07ab3-5k' }
}

function hoist(value: unknown, named: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => hoist(item, named))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => key !== 'x-response-description' && key !== 'x-says')
  const shape = Object.fromEntries(
    entries.map(([key, inner]) => [key, key === 'example' ? inner : hoist(inner, named)]),
  )
  const { title } = shape
  if (typeof title !== 'string' || shape.type !== 'object') return shape
  const kinds = (value as { 'x-one-of'?: Kind[] })['x-one-of']
  const component = kinds ? { title, ...oneOf(kinds) } : shape
  const known = named.get(title)
  if (known && JSON.stringify(known) !== JSON.stringify(component)) {
    throw new Error(`Two different schemas are titled ${title}.`)
  }
  named.set(title, component)
  return refTo(title)
}

const refTo = (title: string) => ({ $ref: `#/components/schemas/${title}` })

type Kind = { title: string; properties: { type: { enum: [string] } } }

/** Serialised by one lenient schema, documented as one of several named shapes: `type` is the discriminator. */
function oneOf(kinds: readonly Kind[]): Json {
  const refs = kinds.map((kind) => [kind.properties.type.enum[0], refTo(kind.title)] as const)
  const mapping = Object.fromEntries(refs.map(([type, { $ref }]) => [type, $ref]))
  return { oneOf: refs.map(([, ref]) => ref), discriminator: { propertyName: 'type', mapping } }
}
