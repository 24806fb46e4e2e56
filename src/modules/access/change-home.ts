import { sql } from 'kysely'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { transaction } from '#platform/database/transaction.ts'
import { auditOperator } from './audit.ts'
import { BUSINESS_CHANGED } from './directory.ts'

/** Requests that write to the business wait, in every process that hears it, until then at most. */
export const holdWrites = (control: ControlDb, id: string, seconds: number): Promise<void> =>
  transaction(control, async (tx) => {
    await sql`update access.businesses set held_until = now() + make_interval(secs => ${seconds}) where id = ${id}`.execute(
      tx,
    )
    await notify(tx, BUSINESS_CHANGED, id)
  })

export const freeWrites = (control: ControlDb, id: string): Promise<void> =>
  transaction(control, async (tx) => {
    const { numAffectedRows = 0n } =
      await sql`update access.businesses set held_until = null where id = ${id} and held_until is not null`.execute(tx)
    if (numAffectedRows > 0n) await notify(tx, BUSINESS_CHANGED, id)
  })

/** From the commit on it lives in the other cell, and whoever waits to write goes on. False: it lives there already. */
export async function changeHome(
  tx: ControlTx,
  id: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update access.businesses set cell = ${to}, held_until = null, moved_at = now() where id = ${id} and cell = ${from}`.execute(
    tx,
  )
  if (numAffectedRows === 0n) return false
  // In the operators' log alone: where it lives is nothing that a business sees.
  await auditOperator(tx, { action: 'business.moved', subject: id, data: { from, to } })
  await notify(tx, BUSINESS_CHANGED, id)
  return true
}
