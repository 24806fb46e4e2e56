import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { findDead } from './find-dead.ts'
import type { HeartbeatQuery } from './heartbeat.ts'

/**
 * How often a cell is looked at in which nothing happens, and one in which something happened a moment ago. The former is
 * no longer than the heartbeat's pause between two signs of life, so that no others are needed.
 */
const REST_MS = 1_000
const AWAKE_MS = 250
const AWAKE_FOR_MS = 10_000
/** Between two looks, however often somebody says that something happened. */
const SPACING_MS = 100
/** A look that takes longer is no sign of life any more. */
const QUICK_MS = 800
/** In this time every loop runs once, whatever the looks say: the net under a condition that is wrong. */
const ROUND_MS = 120_000
const STEP_MS = 100

/** Whether there is something to do, as an expression. Rather too often true than once too seldom; and cheap. */
export type Condition = () => RawBuilder<unknown>

type Wanted = {
  /** How often it is asked at most, unless somebody says that something happened. */
  everyMs: number
  condition: Condition
  /** Nobody waits for the answer: it is not asked. */
  isWanted: () => boolean
  onDue: () => void
  /** Runs anyway now and then, and whenever the looks cannot be trusted. What it has to do may be followed by more. */
  isLoop: boolean
}

/** Lets a loop rest until there is something to do. */
export type Bell = {
  /** From now on the loop waits; resolves when its turn has come. */
  listen(signal: AbortSignal): Promise<void>
  ring(): void
}

/** Waits until it is rung, or the signal ends. `hear` gets what rings it, and undefined when nobody waits any more. */
export async function untilRung(signal: AbortSignal, hear: (ring: (() => void) | undefined) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const ring = () => resolve()
  hear(ring)
  signal.addEventListener('abort', ring)
  await promise
  signal.removeEventListener('abort', ring)
  hear(undefined)
}

/** The connection on which is asked: the one that shows this worker to be alive. */
export type Line = {
  query: HeartbeatQuery
  /** The name of this worker in `cell.workers`. */
  ownId: string
  /** Told of workers that are dead. */
  onDead: (ids: readonly string[]) => Promise<void>
}

export type Rest = {
  /** `mayRest`: false while this process has something under way that no condition knows of. */
  bell(everyMs: number, condition: Condition, mayRest?: () => boolean): Bell
  /** Returns a function that ends it. */
  watch(wanted: Wanted): () => void
  /** Whether the looks can be trusted; otherwise each loop goes at its own pace. */
  isAnswering(): boolean
  /** Something happened: looks at once, and often for a while. */
  wake(): void
  /** Something may have happened: looks once. */
  look(): void
  /** Looks on this line until the function that is returned is called. Every loop runs once. */
  attach(line: Line): () => void
  /** How to ask the cell something else on the same line; undefined while it does not answer quickly. */
  line(): HeartbeatQuery | undefined
}

/**
 * One look at a cell for all loops of this process: a single statement says which of them have something to do, and the others
 * wait. Without a line, or while the look fails, each loop goes at its own pace.
 */
export function createRest(db: Db, log: Pick<FastifyBaseLogger, 'warn'>): Rest {
  const all = new Set<Wanted & { askedMs: number }>()
  let current: Line | undefined
  let isAnswering = false
  let isFailing = false
  let pendingMs: number | undefined
  let awakeUntil = 0
  let asksAll = true
  let interrupt = () => {}
  let statement = { text: '', version: 0 }

  function add(wanted: Wanted): () => void {
    const asked = { ...wanted, askedMs: Number.NEGATIVE_INFINITY }
    all.add(asked)
    return () => void all.delete(asked)
  }

  function ringAll(): void {
    for (const each of all) if (each.isLoop) each.onDue()
  }

  async function look(line: Line): Promise<void> {
    const since = performance.now()
    const wanted = [...all]
    const asked = wanted.map((each) => each.isWanted() && (asksAll || since - each.askedMs >= 0.9 * each.everyMs))
    asksAll = false
    const { having, dead } = findDead(line.ownId)
    const parts = wanted.map(
      ({ condition }, index) => sql`case when ${asked[index]}::boolean and (${condition()}) then ${sql.lit(index)} end`,
    )
    const { sql: text, parameters } = sql`
      ${having}
      select ${dead} as dead, array_remove(array[${sql.join(parts)}]::integer[], null) as due`.compile(db)
    if (text !== statement.text) statement = { text, version: statement.version + 1 }
    pendingMs = since
    const rows = await line
      .query<{ dead: string[]; due: number[] }>(text, [...parameters], `look ${statement.version}`)
      .finally(() => {
        pendingMs = undefined
      })
    const [found] = rows
    if (current !== line || !found) return
    isAnswering = true
    for (const [index, each] of wanted.entries()) if (asked[index]) each.askedMs = since
    for (const index of found.due) {
      const each = wanted[index]
      if (each?.isLoop) awakeUntil = performance.now() + AWAKE_FOR_MS
      each?.onDue()
    }
    if (found.dead.length > 0) await line.onDead(found.dead)
  }

  async function lookSafely(line: Line): Promise<void> {
    try {
      await look(line)
      isFailing = false
    } catch (error) {
      if (current !== line) return
      isAnswering = false
      ringAll()
      if (!isFailing) log.warn({ err: error, cell: nameOf(db) }, 'loops run at their own pace: a look has failed')
      isFailing = true
      await findDeadAlone(line)
    }
  }

  /** Dead workers are found whatever else the look asks for. */
  async function findDeadAlone({ query, ownId, onDead }: Line): Promise<void> {
    const { having, dead } = findDead(ownId)
    const { sql: text, parameters } = sql`${having} select ${dead} as dead`.compile(db)
    const rows = await query<{ dead: string[] }>(text, [...parameters]).catch(() => [])
    if (rows[0]?.dead.length) await onDead(rows[0].dead)
  }

  async function lookUntil(line: Line, ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      await lookSafely(line)
      await sleep(SPACING_MS, undefined, { ref: false })
      if (asksAll || ending.aborted) continue
      const isAwake = performance.now() < awakeUntil
      await pause((isAwake ? AWAKE_MS : REST_MS * (0.8 + 0.2 * Math.random())) - SPACING_MS)
    }
  }

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      interrupt = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  /** One after another: all at once would want a connection each. */
  async function goRound(ending: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(ROUND_MS * (0.8 + 0.4 * Math.random()), undefined, { signal: ending, ref: false })
      for (const each of all) {
        if (!each.isLoop) continue
        each.onDue()
        await sleep(STEP_MS, undefined, { signal: ending, ref: false })
      }
    }
  }

  function lookSoon(): void {
    asksAll = true
    interrupt()
  }

  return {
    bell(everyMs, condition, mayRest = () => true) {
      let isRung = false
      let answer: (() => void) | undefined
      const ring = () => {
        isRung = true
        answer?.()
      }
      add({ everyMs, condition, isWanted: () => answer !== undefined, onDue: ring, isLoop: true })
      return {
        ring,
        async listen(signal) {
          if (isAnswering && mayRest() && !isRung && !signal.aborted)
            await untilRung(signal, (ring) => {
              answer = ring
            })
          isRung = false
        },
      }
    },
    watch: add,
    isAnswering: () => isAnswering,
    wake() {
      awakeUntil = performance.now() + AWAKE_FOR_MS
      lookSoon()
    },
    look: lookSoon,
    attach(line) {
      const ending = new AbortController()
      current = line
      isAnswering = false
      asksAll = true
      ringAll() // nobody knows what was missed
      void lookUntil(line, ending.signal)
      goRound(ending.signal).catch(() => {}) // it was ended
      return () => {
        ending.abort()
        interrupt()
        if (current !== line) return
        current = undefined
        isAnswering = false
        ringAll()
      }
    },
    line() {
      const isQuick = pendingMs === undefined || performance.now() - pendingMs < QUICK_MS
      return isAnswering && isQuick ? current?.query : undefined
    },
  }
}

const nameOf = (db: Db) => ('name' in db ? db.name : undefined)

/** The rests of the cells of a worker. */
export type Rests = { of(cell: Db): Rest }

/** A rest for each cell that somebody asks for; it goes with the cell. */
export function createRests(log: Pick<FastifyBaseLogger, 'warn'>): Rests {
  const rests = new WeakMap<Db, Rest>()
  return {
    of(cell) {
      const rest = rests.get(cell) ?? createRest(cell, log)
      rests.set(cell, rest)
      return rest
    },
  }
}
