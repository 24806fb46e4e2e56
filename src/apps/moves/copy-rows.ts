import { now } from '#platform/clock.ts'
import { makePastPartitions } from '#platform/database/partitions.ts'
import { snapshot, transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { noteMove, readMove } from '#platform/moves/moves.ts'
import { countOn, readAllRows, readOldest, writeRows } from '#platform/portable/rows.ts'
import { holdTarget } from './close-and-switch.ts'
import type { Work } from './move-business.ts'

const NOTE_MS = 1_000

/**
 * All rows as of one moment, after the triggers are there: what changes later is in the log. In batches, each a short transaction; nobody sees
 * them, because the workers of the target leave the business alone. False: somebody wants it to stay.
 */
export async function copyRows({ control, move, source, target, tables, signal }: Work): Promise<boolean> {
  const { businessId, id } = move
  let rows = 0
  let notedAt = performance.now()
  for (const table of tables) {
    const oldest = await readOldest(source, table, businessId)
    if (oldest) await makePastPartitions(target, table.table, new Date(oldest))
  }
  return snapshot(source, async (tx) => {
    for (const table of tables) {
      if (table.is === 'queue') continue
      let linked: string[] = []
      for await (const { lines } of readAllRows(tx, table, businessId)) {
        signal.throwIfAborted()
        if (table.isLinked) linked = [...linked, ...lines]
        else await write(table, lines)
        rows += lines.length
        await fault('move.batch')
        if (performance.now() - notedAt < NOTE_MS) continue
        notedAt = performance.now()
        await noteMove(control, id, { rowsCopied: rows })
        if ((await readMove(control, id))?.takeBack) return false
      }
      if (linked.length > 0) await write(table, linked)
      await countOn(target, table, businessId)
    }
    await control.updateTable('control.moves').set({ rowsCopied: rows, copiedAt: now() }).where('id', '=', id).execute()
    return true
  })

  function write(table: (typeof tables)[number], lines: readonly string[]): Promise<void> {
    return transaction(target, async (there) => {
      await holdTarget(there, move)
      await writeRows(there, table, businessId, lines)
    })
  }
}
