import { sql } from 'kysely'
import type { ControlTx } from '#platform/database/database.ts'

/** Until the transaction ends nobody else brings this business in, or removes rows of it. */
export const claim = (tx: ControlTx, businessId: string): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`kontor.portable ${businessId}`}, 0))`.execute(tx)
