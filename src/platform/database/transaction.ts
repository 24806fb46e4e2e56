import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { isSerializationFailure } from './errors.ts'
import { deliverOwnNews } from './own-news.ts'
import { renewStalePlans } from './prepared.ts'

const ATTEMPTS = 5

/**
 * The one place that opens a transaction. All of `work` runs again when PostgreSQL says that two transactions got in each
 * other's way, or that a migration did, so it must not talk to the outside world.
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
      deliverOwnNews(db, used)
      return result
    } catch (error) {
      if (attempt === ATTEMPTS || !(renewStalePlans(error) || isSerializationFailure(error))) throw error
      await sleep(Math.random() * 10 * 2 ** attempt)
    }
  }
}
