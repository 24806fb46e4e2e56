import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { rateLimited } from '#vocabulary/errors.ts'
import type { SharedCounts } from './shared-counts.ts'

const PER_MINUTE = 600
// Webhooks of a provider come from few addresses, as many as there are payments; who cannot sign them is told so at once.
export const isUnlimited = (url: string) => url === '/healthz' || url === '/readyz' || url.includes('/webhooks/')

/**
 * General limit per address: in this process, or in all of them together. An IPv6 caller owns a whole /64, so that is what counts.
 */
export async function limitRates(app: FastifyInstance, shared?: SharedCounts): Promise<void> {
  await app.register(rateLimit, {
    global: false, // it would sit on routes, behind the guard, and see neither wrong tokens nor unknown paths
    max: PER_MINUTE,
    timeWindow: 60_000,
    cache: 20_000,
    ...(shared && { store: storeOf(shared) }),
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

type Answered = (error: Error | null, count?: { current: number; ttl: number }) => void

/** The package makes its store with `new`; one for each route is not needed. */
const storeOf = (shared: SharedCounts) =>
  class {
    incr(key: string, answered: Answered, windowMs = 60_000, max = PER_MINUTE) {
      shared.count(key, windowMs, max).then((count) => answered(null, count), answered)
    }
    child() {
      return this
    }
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
