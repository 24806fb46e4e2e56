import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { thatCount } from '#platform/http/access.ts'
import { lazily } from '#platform/lazily.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { cutDown, type Permission } from '#vocabulary/permissions.ts'
import {
  foreignMcpOrigin,
  mcpBatchRefused,
  mcpParameterTwice,
  mcpParameterUnknown,
  mcpTagUnknown,
  mcpWriteInvalid,
} from '../errors.ts'
import type { RouteAnswer, RouteRequest } from './call.ts'
import { type Document, tagsOf, toolsFor, toolsOf, type Wanted } from './tools.ts'

export type McpOptions = {
  publicUrl: string
  findBusiness: (id: string) => Promise<Business | undefined> | Business | undefined
  permissionsOf: (actor: Actor, businessId: string) => Promise<readonly Permission[]> | readonly Permission[]
  /** Those of all roles of a user, in whichever business. */
  listPermissions: (userId: string) => Promise<readonly Permission[]>
}

const PARAMETERS = ['write', 'tags', 'business']

/**
 * `POST /mcp`: the operations of this service as tools, for language models. A call of a tool is a request to its route,
 * made here, with the caller's own credential: guard, limits, audit and idempotency are those of the route.
 */
export async function mcpRoutes(app: FastifyInstance, options: McpOptions): Promise<void> {
  const { origin } = new URL(options.publicUrl)
  const all = lazily(() => {
    const keys = new Map(app.routeTable.map(({ schema, keys }) => [schema?.operationId ?? '', keys]))
    return toolsOf(app.openApiDocument() as Document, keys)
  })

  // The calls inside take places in the gate. With one of its own, it could keep them out.
  app.post('/mcp', { config: { access: 'signed-in', business: 'none', isStream: true } }, answer)
  // Streams and sessions of the protocol, neither of which there is. Whoever asks learns nothing else.
  for (const method of ['GET', 'DELETE'] as const)
    app.route({ method, url: '/mcp', config: { access: 'public', business: 'none' }, handler: refuseMethod })

  async function answer(request: FastifyRequest, reply: FastifyReply) {
    const { headers, actor } = request
    // A page of somebody else must not use what a browser knows. Programs send no origin.
    if (headers.origin !== undefined && headers.origin !== origin) throw foreignMcpOrigin()
    // Each message of a list would be answered with all tools, and the list counts as one request.
    if (Array.isArray(request.body)) throw mcpBatchRefused()
    const tools = all()
    const wanted = wantedOf(request.query as Record<string, unknown>, tagsOf(tools))
    const business = wanted.business ?? actor.onlyBusinessId
    const { answerMessage } = await import('./server.ts')
    const permissions = await permissionsFor(request, business)
    const desk = {
      tools: toolsFor(tools, wanted, { actor, permissions }),
      business,
      write: wanted.write,
      send: (route: RouteRequest) => sendTo(request, route),
    }
    const {
      status,
      text,
      headers: answered,
    } = await answerMessage(toWeb(request), request.body, desk, (error) =>
      request.log.debug({ err: error }, 'a message to /mcp was refused'),
    )
    const type = answered.get('content-type')
    if (type) void reply.header('content-type', type)
    return reply.code(status).header('cache-control', 'no-store').send(text)
  }

  /** In that business; without one, in any in which they have a role. */
  async function permissionsFor(
    request: FastifyRequest,
    businessId: string | undefined,
  ): Promise<readonly Permission[]> {
    const { actor } = request
    if (businessId !== undefined) {
      if (actor.onlyBusinessId !== undefined && actor.onlyBusinessId !== businessId) return []
      const [business, held] = await Promise.all([
        options.findBusiness(businessId),
        options.permissionsOf(actor, businessId),
      ])
      return thatCount(business, actor, held)
    }
    const held = await options.listPermissions(actor.userId)
    return cutDown(held, actor.onlyPermissions)
  }

  async function sendTo(request: FastifyRequest, { headers: own, ...route }: RouteRequest): Promise<RouteAnswer> {
    const { headers, ip, id } = request
    request.countLess()
    const { authorization, 'x-api-key': apiKey } = headers
    const answer = await app.inject({
      ...(route as { method: 'GET'; url: string; payload?: string }),
      remoteAddress: ip,
      headers: {
        ...own,
        'x-request-id': id,
        ...(authorization !== undefined && { authorization }),
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      },
    })
    return { status: answer.statusCode, headers: answer.headers, text: answer.body }
  }
}

const refuseMethod = (_request: FastifyRequest, reply: FastifyReply) =>
  reply
    .code(405)
    .header('allow', 'POST')
    .send({ jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Only POST is answered here.' } })

function wantedOf(query: Record<string, unknown>, known: readonly string[]): Wanted {
  const unknown = Object.keys(query).find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined) throw mcpParameterUnknown({ name: unknown.slice(0, 50) })
  const twice = Object.keys(query).find((name) => typeof query[name] !== 'string')
  if (twice !== undefined) throw mcpParameterTwice({ name: twice })
  const { write = 'off', tags = '', business } = query as Record<string, string | undefined>
  if (write !== 'on' && write !== 'off') throw mcpWriteInvalid()
  const chosen = tags
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean)
  const odd = chosen.find((tag) => !known.includes(tag))
  if (odd !== undefined) throw mcpTagUnknown({ tag: odd.slice(0, 50), tags: known.join(', ') })
  return { write: write === 'on', tags: chosen, business }
}

/** The library speaks in requests of the web; the body is parsed already. */
function toWeb({ method, headers }: FastifyRequest): Request {
  const plain = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && name !== 'content-length' ? [[name, value] as [string, string]] : [],
  )
  return new Request('http://localhost/mcp', { method, headers: plain })
}
