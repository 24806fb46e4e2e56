import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import { now } from '../clock.ts'
import { Database } from './database.ts'
import { isOfReplica, isSerializationFailure } from './errors.ts'
import { announcedIn } from './local-invalidation.ts'
import { renewStalePlans } from './statement-names.ts'

const ATTEMPTS = 5

/**
 * The one place that opens a transaction. `work` runs again after a serialization failure, a deadlock, or a plan made
 * stale by a migration, so it must not call outside services.
 */
export async function transaction<Tables, Result>(
  db: Kysely<Tables>,
  work: (tx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  if (db instanceof Database && db.primary) return readInTurn(db, db.primary, work)
  for (let attempt = 1; ; attempt++) {
    try {
      let used: object = db
      const result = await db.transaction().execute((tx) => {
        used = tx
        return work(tx)
      })
      if (db instanceof Database) {
        for (const [topic, id] of announcedIn(used)) db.onAnnounced?.(topic, id)
        db.onCommitted?.()
      }
      return result
    } catch (error) {
      if (attempt === ATTEMPTS || !(renewStalePlans(error) || isSerializationFailure(error))) throw error
      await sleep(Math.random() * 10 * 2 ** attempt)
    }
  }
}

/** On a replica; if that cannot go on, all of it again on the primary. */
async function readInTurn<Tables, Result>(
  replica: Database<Tables>,
  primary: Database<Tables>,
  work: (tx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  try {
    return await replica.transaction().execute(work)
  } catch (error) {
    if (!isOfReplica(error) && !renewStalePlans(error)) throw error
    return transaction(primary, work)
  }
}

/**
 * Reads everything as it is now, for as long as it takes: a long one keeps PostgreSQL from clearing away old versions of
 * rows. For commands, on databases that were opened with time for long statements.
 */
export const snapshot = <Tables, Result>(
  db: Kysely<Tables>,
  work: (tx: Transaction<Tables>, at: Date) => Promise<Result>,
): Promise<Result> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await waitPatiently(tx)
      const { rows } = await sql<{ at: Date }>`select now() as at`.execute(tx) // from here on it stays as it is
      return work(tx, rows[0]?.at ?? now())
    })

/** Time may pass between two statements of this transaction: what it writes comes from a file. */
export const waitPatiently = <Tables>(tx: Transaction<Tables>): Promise<unknown> =>
  sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
