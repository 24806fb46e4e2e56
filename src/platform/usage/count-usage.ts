import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { nowMs } from '../clock.ts'
import type { Db } from '../database/database.ts'
import { businessOf } from '../http/access.ts'
import { startLoop } from '../jobs/loop.ts'

export const USED = ['requests', 'mails', 'jobs'] as const
export type Used = (typeof USED)[number]
type Counts = Record<Used, number>

const EVERY_MS = 10_000
export const SLICE_MS = 10 * 60_000
/** Businesses that are counted between two writes. More of them are not counted until then, rather than kept in memory. */
const MOST = 20_000

export type Usage = {
  note(cell: string, businessId: string, used: Used, count?: number): void
  /** Writes what was counted so far. */
  flush(): Promise<void>
  stop(): Promise<void>
}

/**
 * Counts in this process what businesses use, and adds it to what their cells know every few seconds: one statement for a
 * cell, whatever the number of requests. A cell that is away hears of it later; a process that dies takes ten seconds with it.
 */
export function countUsage(
  cells: ReadonlyMap<string, Db>,
  { log, everyMs = EVERY_MS, most = MOST }: { log: FastifyBaseLogger; everyMs?: number; most?: number },
): Usage {
  const counted = new Map<string, Map<string, Counts>>()
  let businesses = 0

  function add(cell: string, businessId: string, more: Partial<Counts>): void {
    if (!cells.has(cell)) return
    const ofCell = counted.get(cell) ?? new Map<string, Counts>()
    counted.set(cell, ofCell)
    let counts = ofCell.get(businessId)
    if (!counts) {
      if (businesses >= most) return
      businesses++
      counts = { requests: 0, mails: 0, jobs: 0 }
      ofCell.set(businessId, counts)
    }
    for (const used of USED) counts[used] += more[used] ?? 0
  }

  async function flushCell(name: string, db: Db): Promise<void> {
    const taken = counted.get(name)
    if (!taken || taken.size === 0) return
    counted.delete(name)
    businesses -= taken.size
    try {
      await addUsage(db, taken)
    } catch (error) {
      for (const [businessId, counts] of taken) add(name, businessId, counts)
      throw error
    }
  }

  function forgetGoneCells(): void {
    for (const [name, ofCell] of counted) {
      if (cells.has(name)) continue
      counted.delete(name)
      businesses -= ofCell.size
    }
  }

  const flush = async () => {
    forgetGoneCells()
    const done = await Promise.allSettled([...cells].map(([name, db]) => flushCell(name, db)))
    const failed = done.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
  }
  const loop = startLoop('what businesses use', everyMs, flush, log)
  return {
    note: (cell, businessId, used, count = 1) => add(cell, businessId, { [used]: count }),
    flush,
    async stop() {
      await loop.stop()
      await flush().catch(() => {}) // a cell that is away takes the last seconds with it
    },
  }
}

/** In the order of their keys, so that processes that write at once wait for each other instead of locking each other out. */
async function addUsage(db: Db, counts: ReadonlyMap<string, Counts>): Promise<void> {
  const rows = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const column = (used: Used) => rows.map(([, each]) => each[used])
  const since = new Date(Math.floor(nowMs() / SLICE_MS) * SLICE_MS)
  await sql`
    insert into cell.usage as known (business_id, since, requests, mails, jobs)
    select business_id, ${since}, requests, mails, jobs
      from unnest(${rows.map(([id]) => id)}::text[], ${column('requests')}::bigint[], ${column('mails')}::bigint[],
                  ${column('jobs')}::bigint[]) as counted (business_id, requests, mails, jobs)
        on conflict (business_id, since) do update
       set requests = known.requests + excluded.requests, mails = known.mails + excluded.mails,
           jobs = known.jobs + excluded.jobs`.execute(db)
}

/** Requests that came as far as a business, whatever became of them. */
export function countRequests(app: FastifyInstance, usage: Usage): void {
  app.addHook('onResponse', (request, _reply, done) => {
    const business = businessOf(request)
    if (business) usage.note(business.cell, business.id, 'requests')
    done()
  })
}
