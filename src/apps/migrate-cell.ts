import { checkIdentity, noteIdentity, withClient } from '#platform/cells/identity.ts'
import { type DatabaseAddress, MAIN_CELL } from '#platform/database/database.ts'
import { type MigrationSet, migrate } from '#platform/database/migrate.ts'
import { cellTables } from './portable/tables.ts'

const FIRST = 'cell/0001_cell.sql'

/**
 * Brings the database of a cell up to date, and notes in it which cell it is. Refuses the database of another cell before it
 * is changed. `controlId`: undefined while control cannot be asked.
 */
export async function migrateCell(
  name: string,
  { directUrl }: DatabaseAddress,
  controlId: string | undefined,
  extensions: readonly MigrationSet[],
): Promise<string[]> {
  await checkIdentity(directUrl, name, controlId)
  const applied = await migrate(directUrl, name === MAIN_CELL ? ['control', 'cell'] : ['cell'], extensions)
  if (applied.includes(FIRST)) await endFillings(directUrl)
  if (controlId !== undefined) await noteIdentity(directUrl, name, controlId)
  return applied
}

/** A database that was empty a moment ago has nothing to fill, and no processes of an earlier version that write into it. */
const endFillings = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    for (const { table } of cellTables.filter(({ is }) => is === 'shared')) await client.query(`delete from ${table}`)
  })
