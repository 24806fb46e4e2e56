import type { FastifyBaseLogger } from 'fastify'
import { Redis } from 'ioredis'
import { nowMs } from '../clock.ts'
import { type Count, createCounts } from './window-counts.ts'

export type RedisCountsOptions = {
  url: string
  /** The prefix of all our keys. */
  prefix: string
  log: FastifyBaseLogger
  meter?: { up(isUp: boolean): void; counted(where: 'redis' | 'here'): void }
}

export type RedisCounts = ReturnType<typeof openRedisCounts>

/** The longest wait for Redis; then this process counts for itself until Redis is back (circuit breaker). */
const MAX_WAIT_MS = 10
const CONNECT_TIMEOUT_MS = 1_000
const MAX_RETRY_MS = 2_000

// One script, so atomic: no key is left without an expiry.
const COUNT = `
  local current = redis.call('incrby', KEYS[1], ARGV[2])
  local ttl = redis.call('pttl', KEYS[1])
  if ttl < 0 then
    redis.call('pexpire', KEYS[1], ARGV[1])
    ttl = tonumber(ARGV[1])
  end
  return {current, ttl}`

// An expired key must not come back without an expiry.
const GIVE_BACK = `if redis.call('exists', KEYS[1]) == 1 then redis.call('decrby', KEYS[1], ARGV[1]) end`

type Counting = Redis & {
  kontorCount(key: string, windowMs: number, by: number): Promise<[current: number, ttl: number]>
  kontorGiveBack(key: string, by: number): Promise<unknown>
}

/**
 * Rate-limit counters shared by all processes. While Redis is away, each process counts for itself, starting from the
 * last shared values: no request is refused or delayed because of it.
 */
export function openRedisCounts({ url, prefix, log, meter }: RedisCountsOptions) {
  const here = createCounts()
  let state: 'new' | 'up' | 'down' = 'new'
  let isClosed = false
  const redis = new Redis(url, {
    keyPrefix: prefix,
    connectionName: 'kontor',
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false, // a command without a reply was counted in this process
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: (times) => Math.min(MAX_RETRY_MS, 50 * 2 ** times),
  }) as Counting
  redis.defineCommand('kontorCount', { numberOfKeys: 1, lua: COUNT })
  redis.defineCommand('kontorGiveBack', { numberOfKeys: 1, lua: GIVE_BACK })
  meter?.up(false)

  redis.on('ready', () => {
    if (state === 'down') log.info('Redis is back: limits are shared again')
    state = 'up'
    meter?.up(true)
  })
  redis.on('error', (error) => lose(error))
  redis.on('close', () => lose(undefined))

  /** Logs once, however long it lasts. */
  function lose(error: Error | undefined) {
    if (state === 'down' || isClosed) return
    state = 'down'
    meter?.up(false)
    log.warn({ err: error }, 'Redis is away: each process counts requests for itself until it is back')
  }

  /** Connected, but silent: reconnect instead of waiting on this connection. */
  function reconnect() {
    if (state !== 'up') return
    lose(new Error(`No answer within ${MAX_WAIT_MS} ms`))
    redis.disconnect(true)
  }

  function countHere(key: string, windowMs: number, by: number): Count {
    meter?.counted('here')
    return here.count(key, windowMs, 0, by)
  }

  async function count(key: string, windowMs: number, max: number, by = 1): Promise<Count> {
    // A caller over the limit stays over it until the window ends: a flood does not reach Redis.
    if (state !== 'up' || (here.find(key)?.current ?? 0) > max) return countHere(key, windowMs, by)
    const answer = await withinMoment(redis.kontorCount(key, windowMs, by))
    if (answer === 'late') reconnect()
    if (answer === 'late' || answer === 'failed') return countHere(key, windowMs, by)
    const [current, ttl] = answer
    here.keep(key, current, nowMs() + ttl)
    meter?.counted('redis')
    return { current, ttl }
  }

  function giveBack(key: string, max: number, by = 1): void {
    // Requests over the limit were not counted in Redis.
    const wasShared = state === 'up' && (here.find(key)?.current ?? 0) <= max
    here.giveBack(key, max, by)
    if (wasShared) redis.kontorGiveBack(key, by).catch(() => {})
  }

  return {
    count,
    giveBack,
    isUp: () => state === 'up',
    close() {
      isClosed = true
      redis.disconnect()
    },
  }
}

function withinMoment<Value>(promise: Promise<Value>): Promise<Value | 'late' | 'failed'> {
  return new Promise((resolve) => {
    // If our own event loop was late, the reply has arrived already and is read before the immediate runs.
    const timer = setTimeout(() => setImmediate(() => resolve('late')), MAX_WAIT_MS)
    promise.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      () => {
        clearTimeout(timer)
        resolve('failed')
      },
    )
  })
}
