import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { Database } from './database.ts'
import { isSerializationFailure } from './errors.ts'
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
  for (let attempt = 1; ; attempt++) {
    try {
      let used: object = db
      const result = await db.transaction().execute((tx) => {
        used = tx
        return work(tx)
      })
      if (db instanceof Database) for (const [topic, id] of announcedIn(used)) db.onAnnounced?.(topic, id)
      return result
    } catch (error) {
      if (attempt === ATTEMPTS || !(renewStalePlans(error) || isSerializationFailure(error))) throw error
      await sleep(Math.random() * 10 * 2 ** attempt)
    }
  }
}
