import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { stopSend } from './start-send.ts'

/** Pauses all running and scheduled sends of a business. Each must be resumed by hand. Returns how many. */
export const pauseSends = (db: Db, businessId: string, problem: string): Promise<number> =>
  transaction(db, (tx) => pauseSendsIn(tx, businessId, problem))

export async function pauseSendsIn(tx: Tx, businessId: string, problem: string): Promise<number> {
  const open = await tx
    .selectFrom('newsletter.sends')
    .select(['businessId', 'id'])
    .where('businessId', '=', businessId)
    .where('status', 'in', ['SCHEDULED', 'RUNNING'])
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const send of open) await stopSend(tx, send, 'PAUSED', problem)
  return open.length
}
