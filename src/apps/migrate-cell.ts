import { checkIdentity, noteIdentity } from '#platform/cells/identity.ts'
import { type DatabaseAddress, MAIN_CELL } from '#platform/database/database.ts'
import { type MigrationSet, migrate } from '#platform/database/migrate.ts'

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
  if (controlId !== undefined) await noteIdentity(directUrl, name, controlId)
  return applied
}
