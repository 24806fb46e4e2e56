import type { Cell, Control } from '#platform/database/database.ts'
import { checkRow } from '#platform/portable/check-row.ts'
import { describeTables, type KnownTable } from '#platform/portable/rows.ts'
import { isCopied, isItself } from '#platform/portable/tables.ts'
import { BootError } from '../boot.ts'
import type { Archive, Line } from './archive.ts'
import type { Part } from './manifest.ts'
import { cellTables, controlTables } from './tables.ts'

export const partsOf = ({ manifest }: Archive, { table }: Pick<KnownTable, 'table'>): readonly Part[] =>
  manifest.tables.filter((each) => each.table === table).flatMap(({ parts }) => parts)

/** Names the table, the part and the line of a row that cannot be imported. */
export const badRow = ({ table }: Pick<KnownTable, 'table'>, { part, number }: Line, says: string) =>
  new BootError(`The archive cannot be imported: ${table}, ${part}, line ${number}: ${says}.`)

/** Reads every row before anything is written: what this service could not read is refused. */
export async function checkRows(control: Control, cell: Cell, archive: Archive): Promise<void> {
  const { id } = archive.manifest.business
  const tables = [
    ...(await describeTables(control, controlTables.filter(isCopied))),
    ...(await describeTables(cell, cellTables.filter(isCopied))),
  ]
  for (const table of tables) {
    let rows = 0
    for await (const lines of archive.lines(partsOf(archive, table))) {
      for (const line of lines) {
        const flaw = checkRow(table, line.text, id)
        if (flaw) throw badRow(table, line, flaw.field === '' ? `the row ${flaw.says}` : `${flaw.field} ${flaw.says}`)
      }
      rows += lines.length
    }
    if (isItself(table) && rows !== 1)
      throw new BootError(`The archive cannot be imported: ${table.table} has ${rows} rows instead of 1.`)
  }
}
