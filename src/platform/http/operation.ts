import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifyRequest,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify'
import type { TSchema } from 'typebox'
import { rejectUnknownFields } from './strict.ts'

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Everything about an operation but its handler, as a value: for the reference, the guard and the router. */
export type Operation<Schema extends FastifySchema = FastifySchema> = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  config: FastifyContextConfig
  schema: Schema & { operationId: string }
  /** For bodies larger than the default limit. */
  bodyLimit?: number
}

export const operation = <Schema extends FastifySchema>(value: Operation<Schema>): Operation<Schema> => value

export type Handler<Schema extends FastifySchema> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  RouteGenericInterface,
  FastifyContextConfig,
  Schema,
  TypeBoxTypeProvider
>

export function handle<Schema extends FastifySchema>(
  app: App,
  { method, url, config, schema, ...rest }: Operation<Schema>,
  handler: Handler<Schema>,
  hooks: { preValidation?: (request: FastifyRequest) => Promise<void> } = {},
): void {
  const body = schema.body as TSchema | undefined
  const accepted = config.strict && body ? { ...schema, body: rejectUnknownFields(body) } : schema
  app.route({ method, url, config, schema: accepted, ...rest, ...hooks, handler })
}
