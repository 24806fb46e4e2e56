import type { FastifyBaseLogger } from 'fastify'
import { Redis } from 'ioredis'
import { nowMs } from '../clock.ts'
import { type Count, createCounts } from './counts.ts'

export type SharedCountsOptions = {
  url: string
  /** What the names of all our keys begin with. */
  prefix: string
  log: FastifyBaseLogger
  meter?: { up(isUp: boolean): void; counted(where: 'redis' | 'here'): void }
}

export type SharedCounts = ReturnType<typeof openSharedCounts>

/** A request waits no longer for Redis; then it is counted here, and Redis is left alone until it is back. */
const MAX_WAIT_MS = 10
const CONNECT_TIMEOUT_MS = 1_000
const MAX_RETRY_MS = 2_000

// One step for Redis, so that no key stays behind without an end.
const COUNT = `
  local current = redis.call('incr', KEYS[1])
  local ttl = redis.call('pttl', KEYS[1])
  if ttl < 0 then
    redis.call('pexpire', KEYS[1], ARGV[1])
    ttl = tonumber(ARGV[1])
  end
  return {current, ttl}`

// A key that has ended in the meantime must not come back, without an end.
const GIVE_BACK = `if redis.call('exists', KEYS[1]) == 1 then redis.call('decr', KEYS[1]) end`

type Counting = Redis & {
  kontorCount(key: string, windowMs: number): Promise<[current: number, ttl: number]>
  kontorGiveBack(key: string): Promise<unknown>
}

/**
 * Counts that all processes share. Without Redis, for a moment or for longer, each process counts for itself, going on from what it
 * last heard: nobody is refused or kept waiting because of it.
 */
export function openSharedCounts({ url, prefix, log, meter }: SharedCountsOptions) {
  const here = createCounts()
  let state: 'new' | 'up' | 'down' = 'new'
  let isClosed = false
  const redis = new Redis(url, {
    keyPrefix: prefix,
    connectionName: 'kontor',
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false, // what was not answered has been counted here
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

  /** Told once, however long it lasts. */
  function lose(error: Error | undefined) {
    if (state === 'down' || isClosed) return
    state = 'down'
    meter?.up(false)
    log.warn({ err: error }, 'Redis is away: each process counts requests for itself until it is back')
  }

  /** Connected, but silent: a new connection, or none, tells more than waiting on this one. */
  function giveUpLine() {
    if (state !== 'up') return
    lose(new Error(`No answer within ${MAX_WAIT_MS} ms`))
    redis.disconnect(true)
  }

  function countHere(key: string, windowMs: number): Count {
    meter?.counted('here')
    return here.count(key, windowMs)
  }

  async function count(key: string, windowMs: number, max: number): Promise<Count> {
    // Who is over the limit stays so until its end: a flood is not passed on to Redis.
    if (state !== 'up' || (here.find(key)?.current ?? 0) > max) return countHere(key, windowMs)
    const answer = await withinMoment(redis.kontorCount(key, windowMs))
    if (answer === 'late') giveUpLine()
    if (answer === 'late' || answer === 'failed') return countHere(key, windowMs)
    const [current, ttl] = answer
    here.keep(key, current, nowMs() + ttl)
    meter?.counted('redis')
    return { current, ttl }
  }

  function giveBack(key: string, max: number): void {
    // Redis has not heard of what came over the limit.
    const wasShared = state === 'up' && (here.find(key)?.current ?? 0) <= max
    here.giveBack(key)
    if (wasShared) redis.kontorGiveBack(key).catch(() => {})
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
    // When we are the ones who are late, the answer is here already and only has to be read: that comes before the immediate.
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
