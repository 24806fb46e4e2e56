import { isIPv6 } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { businessIdOf, recognised } from './access.ts'

export type AccessLog = NonNullable<Config['accessLog']>

const MAX_AGENT = 120
const HEALTH = new Set(['/healthz', '/readyz'])

/**
 * One line a request, of what is known to be harmless: nothing that a caller wrote is copied but ids of ours and the name of
 * their program. Registered only where it is on. Health checks are left out.
 */
export function logRequests(app: FastifyInstance, log: Logger, { mode, rate, address }: AccessLog): void {
  const lines = log.child({}, { level: 'info' }) // whatever LOG_LEVEL leaves out
  const isWanted = (status: number) => mode === 'all' || status >= 500 || (mode === 'sampled' && Math.random() < rate)
  app.addHook('onResponse', (request, reply, done) => {
    if (isWanted(reply.statusCode) && !HEALTH.has(request.routeOptions.url ?? ''))
      lines.info(describe(request, reply, address), 'request')
    done()
  })
}

function describe(request: FastifyRequest, reply: FastifyReply, address: AccessLog['address']) {
  const { config, url } = request.routeOptions
  const route = request.is404 ? undefined : url
  // Refused before the guard looked at it: then nothing is known of the caller.
  const caller = (recognised(request) as ReturnType<typeof recognised> | null)?.caller
  const bytes = reply.getHeader('content-length')
  const agent = request.headers['user-agent']
  return {
    requestId: request.id,
    method: request.method,
    route: route ?? 'unknown',
    ...(route !== undefined && { path: pathOf(route, request.params) }),
    ...parametersOf(request.query, config.parameters),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    ...(bytes !== undefined && { bytes: Number(bytes) }),
    businessId: businessIdOf(request),
    ...(caller && { actor: caller.kind, actorId: caller.userId }),
    ...(caller?.keyId !== undefined && { keyId: caller.keyId }),
    ...(address !== 'off' && { client: address === 'full' ? request.ip : networkOf(request.ip) }),
    ...(agent !== undefined && { agent: agent.slice(0, MAX_AGENT) }),
  }
}

/** Ids as we make them: 26 letters, 12 of a business (vocabulary/ids.ts). Whatever else stands in a path may be a token or an address. */
const OWN_ID = /^(?:biz_[0-9a-z]{12}|[a-z]{2,4}_[0-9a-z]{26})$/

/** The template, with the ids that are ours in their places. */
export const pathOf = (template: string, params: unknown): string =>
  template.replaceAll(/:(\w+)/g, (name, key: string) => {
    const value = (params as Record<string, unknown> | undefined)?.[key]
    return typeof value === 'string' && OWN_ID.test(value) ? value : name
  })

/** The names of parameters that the route knows, without their values. */
function parametersOf(query: unknown, known: readonly string[] = []) {
  const names = known.filter((name) => Object.hasOwn(query ?? {}, name))
  return names.length > 0 ? { parameters: names } : {}
}

/** The network that the address is in: the first 24 bits of IPv4, the first 48 of IPv6. */
export function networkOf(ip: string): string {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+)\.\d+$/i.exec(ip)?.[1]
  if (v4) return `${v4}.0/24`
  if (!isIPv6(ip)) return 'unknown'
  const [before = '', after] = ip.split('%')[0]?.split('::') ?? []
  const [head, tail] = [before, after ?? ''].map((part) => part.split(':').filter(Boolean))
  const zeros =
    after === undefined ? [] : Array<string>(Math.max(0, 8 - (head?.length ?? 0) - (tail?.length ?? 0))).fill('0')
  const groups = [...(head ?? []), ...zeros, ...(tail ?? [])].slice(0, 3)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/48`
}
