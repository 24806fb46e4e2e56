import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { forEachCell } from '#platform/database/cell-map.ts'
import type { Db } from '#platform/database/database.ts'
import { startLoop } from '#platform/jobs/loop.ts'
import type { Rests } from '#platform/jobs/rest.ts'
import { isHere } from '#platform/moves/fence.ts'
import { checkPiece, findNextRun, type Worker } from './check-piece.ts'
import { addBusy, checkSlice, endNight, findNight, type Rest } from './night.ts'
import type { Rule } from './rule.ts'
import { endTurn, holdTurn, takeTurn } from './turn.ts'

const LOOK_MS = 2_000
const STATE_MS = 60_000

/** How much of the time a check works: less in the night, when nobody waits. */
const SHARES = { night: 0.25, person: 0.5 }
const LIMITS = { pieceMs: 60_000, wholeMs: 15 * 60_000 }

/**
 * Of each cell: the last night that is through, and how many rules are broken. Before one is, `finishedAt` is when the first began, so
 * that one that never ends is noticed, too.
 */
export type ChecksState = { finishedAt: Date | null; seconds: number; businesses: number; broken: number }

type Options = {
  rules: readonly Rule[]
  log: FastifyBaseLogger
  /** Told about once a minute. */
  tell?: (cell: string, state: ChecksState) => void
  rests?: Rests
  shares?: typeof SHARES
  limits?: typeof LIMITS
  readerOf?: Worker['readerOf']
}

/** The worker's part: checks what people ask for and what the night wants, one business of a cell at a time. */
export function startChecks(
  cells: ReadonlyMap<string, Db>,
  { rules, log, tell, rests, shares, limits = LIMITS, readerOf }: Options,
) {
  return forEachCell(cells, (name, db) => {
    const worker: Worker = { db, worker: randomUUID(), rules, log, limits, readerOf }
    let toldAt = Number.NEGATIVE_INFINITY
    const loop = startLoop(
      `checks of ${name}`,
      LOOK_MS,
      async (signal) => {
        while (!signal.aborted && (await checkNext(worker, signal, shares)));
        if (!tell || performance.now() - toldAt < STATE_MS) return
        tell(name, await readState(db))
        toldAt = performance.now()
      },
      log,
      rests?.of(db).bell(LOOK_MS, hasUnchecked),
    )
    return {
      async stop() {
        await loop.stop()
        await endTurn(db, worker.worker).catch(() => {}) // it ends by itself
      },
    }
  })
}

/** One piece, or one slice of a night. Answers whether there was something to do. */
export async function checkNext(worker: Worker, signal: AbortSignal, shares = SHARES): Promise<boolean> {
  const { db } = worker
  const [run, night] = await Promise.all([findNextRun(db), findNight(db)])
  if (!run && !night) return false
  if (!(await takeTurn(db, worker.worker))) return false
  return holdTurn(db, worker.worker, async () => {
    if (run && (!run.isNightly || night?.after == null)) {
      const rest = createRest(run.isNightly ? shares.night : shares.person, signal)
      await rest.during(() => checkPiece(worker, run))
      if (night && run.isNightly) await addBusy(db, night, rest.busyMs())
    } else if (night?.after != null) {
      const rest = createRest(shares.night, signal)
      await checkSlice(worker, night, rest.during)
      await addBusy(db, night, rest.busyMs())
    } else if (night) {
      await endNight(db, night)
    }
    return true
  })
}

const hasUnchecked = () => sql`
  exists (select from checks.runs where ${isHere('business_id')}) or exists (select from checks.nights where finished_at is null)`

function createRest(share: number, signal: AbortSignal) {
  let busy = 0
  const during: Rest = async (work) => {
    const begun = performance.now()
    try {
      return await work()
    } finally {
      const took = performance.now() - begun
      busy += took
      await sleep(took * (1 / share - 1), undefined, { signal }).catch(() => {}) // stopping: no more rest
    }
  }
  return { during, busyMs: () => busy }
}

async function readState(db: Db): Promise<ChecksState> {
  const { rows } = await sql<ChecksState>`
    select coalesce(night.finished_at, (select min(started_at) from checks.nights)) as finished_at,
           coalesce(extract(epoch from night.finished_at - night.started_at), 0)::float as seconds,
           coalesce(night.businesses + night.large, 0) as businesses,
           (select count(*)::integer from checks.broken) as broken
      from (select) as one
      left join lateral (select * from checks.nights where finished_at is not null order by started_at desc limit 1) as night on true`.execute(
    db,
  )
  return rows[0] ?? { finishedAt: null, seconds: 0, businesses: 0, broken: 0 }
}
