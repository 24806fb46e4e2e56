import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { rateLimited } from '#vocabulary/errors.ts'

const PER_MINUTE = 600
// Webhooks of a provider come from few addresses, as many as there are payments; who cannot sign them is told so at once.
const isUnlimited = (url: string) => url === '/healthz' || url === '/readyz' || url.includes('/webhooks/')

/** General limit per address, in this process. An IPv6 caller owns a whole /64, so that is what counts. */
export async function limitRates(app: FastifyInstance): Promise<void> {
  await app.register(rateLimit, {
    global: false, // it would sit on routes, behind the guard, and see neither wrong tokens nor unknown paths
    max: PER_MINUTE,
    timeWindow: 60_000,
    cache: 20_000,
    keyGenerator: (request) => addressKey(request.ip),
    allowList: (request) => isUnlimited(request.routeOptions.url ?? ''),
    errorResponseBuilder: (_request, { ttl }) => rateLimited(Math.max(1, Math.ceil(ttl / 1000))),
    addHeaders: {
      'x-ratelimit-limit': true,
      'x-ratelimit-remaining': true,
      'x-ratelimit-reset': true,
      'retry-after': true,
    },
  })
  app.addHook('onRequest', app.rateLimit())
}

export function addressKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups =
    tail === undefined ? left : [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
  return groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':') // biome-ignore format: one chain
}
