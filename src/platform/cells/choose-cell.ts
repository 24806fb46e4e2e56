import { sql } from 'kysely'
import type { ControlTx } from '../database/database.ts'

/**
 * The open one of these cells that has the fewest businesses for its weight; undefined: none is open. Until the end of the
 * transaction nobody can switch it off.
 */
export async function chooseCell(tx: ControlTx, cells: Iterable<string>): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select cells.id
      from control.cells
      left join (select cell, sum(change) as businesses from control.cell_businesses group by cell) as counted
        on counted.cell = cells.id
     where cells.state = 'OPEN' and cells.id = any (${[...cells]}::text[])
     order by (coalesce(businesses, 0) + 1) / weight, cells.id
     limit 1
       for share of cells`.execute(tx)
  return rows[0]?.id
}

/** Whether an operator may put a business there; until the end of the transaction that stays so. */
export async function mayPin(tx: ControlTx, cell: string): Promise<boolean> {
  const { rows } = await sql`
    select from control.cells where id = ${cell} and state in ('OPEN', 'CLOSED') for share`.execute(tx)
  return rows.length > 0
}
