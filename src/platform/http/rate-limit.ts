import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import type { AppError } from '#vocabulary/errors.ts'
import { type Credential, type Maybe, recognised } from './access.ts'
import { businessOverLimit, tooManyRequests } from './refusals.ts'
import { type Count, createCounts } from './window-counts.ts'

/** Requests a minute. */
export type Limits = { account: number; key: number; address: number; storefront: number }

type Counts = {
  count(key: string, windowMs: number, max: number, by?: number): Maybe<Count>
  giveBack(key: string, max: number, by?: number): void
}
type Limit = { key: string; most: number; by?: number; isSilent?: boolean }

const WINDOW_MS = 60_000
const HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const
// A provider's webhooks come from few addresses, as many as there are payments; unsigned ones are refused at once. The
// dashboard's files come from memory. Pictures come from a folder, many for one page, and need no database.
export const isUnlimited = (url: string) =>
  url === '/healthz' ||
  url === '/readyz' ||
  url === '/admin' ||
  url === '/admin/*' ||
  url.startsWith('/media/') ||
  url.includes('/webhooks/')

type Options = {
  perMinute: Limits
  /** Counters shared by all processes; without them each process counts for itself. */
  shared?: Counts | undefined
  /** Whether we issued it, as far as that is known without the database. */
  recognises: (credential: Credential) => Maybe<boolean>
}

/**
 * A request counts for the account or key behind its credential; without a valid one, for its IP address. An unknown
 * credential counts for the address until it has proved valid, so that guessing is refused before it reaches the
 * database. Callers with a valid token or key are admitted even from an address over its limit: a flood locks out
 * nobody else behind it.
 */
export function limitRates(app: FastifyInstance, { perMinute, shared, recognises }: Options) {
  const counts: Counts = shared ?? createCounts()

  const ofAddress = ({ ip }: FastifyRequest): Limit => ({ key: `address:${addressKey(ip)}`, most: perMinute.address })
  const ofCaller = ({ kind, userId, keyId }: Actor): Limit =>
    kind === 'api'
      ? { key: `key:${userId}:${keyId}`, most: perMinute.key }
      : { key: `account:${userId}`, most: perMinute.account }

  // Answers of storefronts are kept by CDNs, and what is left to one caller is no news to the next: no headers.
  const onStorefront = (limit: Limit, { query }: FastifyRequest, { costs }: FastifyContextConfig): Limit => ({
    ...limit,
    by: costs?.(query as Record<string, unknown>) ?? 1,
    isSilent: true,
  })
  const ofReader = (request: FastifyRequest, route: FastifyContextConfig): Limit =>
    onStorefront({ key: `storefront:${addressKey(request.ip)}`, most: perMinute.storefront }, request, route)
  /** Over the limit of their address, and let in because they may have a key of the business. */
  const doubtful = new WeakMap<FastifyRequest, AppError>()

  /** Counts the request, sets the headers, and returns a refusal if it is over the limit. */
  function take({ key, most, by, isSilent }: Limit, reply: FastifyReply): Maybe<AppError | undefined> {
    return then(counts.count(key, WINDOW_MS, most, by), ({ current, ttl }) => {
      const seconds = Math.max(1, Math.ceil(ttl / 1000))
      if (isSilent) return current > most ? tooManyRequests({ seconds }) : undefined
      void reply
        .header(HEADERS[0], most)
        .header(HEADERS[1], Math.max(0, most - current))
        .header(HEADERS[2], seconds)
      return current > most ? tooManyRequests({ seconds }) : undefined
    })
  }

  function check(request: FastifyRequest, reply: FastifyReply): Maybe<AppError | undefined> {
    const { caller, credential, url, route } = recognised(request)
    if (isUnlimited(url)) return undefined
    if (route.business === 'storefront') return checkReader(request, reply)
    if (caller) return take(ofCaller(caller), reply)
    return then(take(ofAddress(request), reply), (refusal) =>
      refusal && credential ? then(recognises(credential), (isOurs) => (isOurs ? undefined : refusal)) : refusal,
    )
  }

  function checkReader(request: FastifyRequest, reply: FastifyReply): Maybe<AppError | undefined> {
    const { credential, route } = recognised(request)
    return then(take(ofReader(request, route), reply), (refusal) => {
      if (!refusal || !credential) return refusal
      return then(recognises(credential), (isOurs) => {
        if (!isOurs) return refusal
        doubtful.set(request, refusal)
        return undefined
      })
    })
  }

  app.addHook('onRequest', (request, reply, done) => {
    const refusal = check(request, reply)
    if (!(refusal instanceof Promise)) return done(refusal)
    refusal.then(done, done)
  })

  return {
    /** For a request that makes another of its own, which counts: both are one to the caller. */
    giveBack({ actor }: FastifyRequest): void {
      const { key, most } = ofCaller(actor)
      counts.giveBack(key, most)
    },
    /** For a credential that proved valid only now: moves the count from the address to the caller. */
    countCaller(request: FastifyRequest, reply: FastifyReply, caller: Actor): Maybe<void> {
      if (isUnlimited(recognised(request).url)) return
      const { key, most } = ofAddress(request)
      counts.giveBack(key, most)
      return then(take(ofCaller(caller), reply), (refusal) => {
        if (refusal) throw refusal
      })
    },
    /** An operator may have set a limit for one business: everybody who calls it counts together. */
    countBusiness({ id, limits }: Business, reply: FastifyReply): Maybe<void> {
      const most = limits?.requestsPerMinute
      if (most === undefined) return
      return then(counts.count(`business:${id}`, WINDOW_MS, most), ({ current, ttl }) => {
        if (current <= most) return
        for (const name of HEADERS) void reply.removeHeader(name) // they tell of another limit, that of the caller
        throw businessOverLimit({ most, seconds: Math.max(1, Math.ceil(ttl / 1000)) })
      })
    },
    /** On storefront routes, once the business is known: moves the count from the address to a key of that business. */
    countKey(request: FastifyRequest, reply: FastifyReply, key: Actor | undefined): Maybe<void> {
      const refusal = doubtful.get(request)
      if (!key && refusal) throw refusal
      if (!key) return
      const { route } = recognised(request)
      const reader = ofReader(request, route)
      counts.giveBack(reader.key, reader.most, reader.by)
      return then(take(onStorefront(ofCaller(key), request, route), reply), (tooMany) => {
        if (tooMany) throw tooMany
      })
    },
  }
}

/** Stays synchronous for a plain value. */
const then = <Value, Next>(value: Maybe<Value>, next: (value: Value) => Maybe<Next>): Maybe<Next> =>
  value instanceof Promise ? value.then(next) : next(value)

/** An IPv6 caller owns a whole /64, so the prefix is what counts. */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups =
    tail === undefined ? left : [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
