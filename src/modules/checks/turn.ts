import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'

const TURN_MS = 30_000
const RENEW_MS = 10_000

/** Answers whether it is this worker's turn, and if so, for the next 30 seconds. */
export async function takeTurn(db: Db, worker: string): Promise<boolean> {
  const { rows } = await sql`
    insert into checks.turns as known (worker, until) values (${worker}, ${new Date(nowMs() + TURN_MS)})
    on conflict (is_only) do update
      set worker = excluded.worker, until = excluded.until
      where known.worker = excluded.worker or known.until <= ${now()}
    returning worker`.execute(db)
  return rows.length > 0
}

/** Keeps the turn for as long as the work takes. */
export async function holdTurn<Result>(db: Db, worker: string, work: () => Promise<Result>): Promise<Result> {
  const renewal = setInterval(() => void takeTurn(db, worker).catch(() => {}), RENEW_MS) // `keepTurn` notices
  try {
    return await work()
  } finally {
    clearInterval(renewal)
  }
}

/** First in the transaction that writes what was found: fails when another worker has taken over meanwhile. */
export async function keepTurn(tx: Tx, worker: string): Promise<void> {
  const { rows } = await sql`select from checks.turns where worker = ${worker} for update`.execute(tx)
  if (rows.length === 0) throw new Error('Another worker checks this cell now')
}

export async function endTurn(db: Db, worker: string): Promise<void> {
  await db.deleteFrom('checks.turns').where('worker', '=', worker).execute()
}
