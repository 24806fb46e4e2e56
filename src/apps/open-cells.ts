import { readCells } from '#platform/cells/cells.ts'
import { allAddressesOf } from '#platform/cells/follow-cells.ts'
import type { Config } from '#platform/config.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import type { PoolOptions } from '#platform/database/connection.ts'
import { type ControlDb, type Databases, openDatabases } from '#platform/database/database.ts'
import { checkOnce, type Watch } from '#platform/database/watch.ts'
import { noOpenCell } from '#platform/http/refusals.ts'
import { knownToAll, type Presence } from '#platform/processes.ts'

/** The databases of CELLS and of `control.cells`, as they are now: for the command line, which follows no changes. */
export async function openAllDatabases(
  { databases: addresses, secretKeys }: Pick<Config, 'databases' | 'secretKeys'>,
  options: PoolOptions,
): Promise<Databases> {
  const databases = openDatabases(addresses, options)
  const box = createSecretBox(secretKeys)
  const complain = (_about: string, cell: string, message: string) => console.error(`Cell ${cell}: ${message}`)
  try {
    databases.setCells(allAddressesOf(await readCells(databases.control), addresses.cells, box, complain))
  } catch {
    // Control is away, or not migrated: the command says so where it needs it.
  }
  return databases
}

/** The cells that can take a new business: healthy, and known to every live API process. */
export async function findOpenCells(control: ControlDb, { cells }: Pick<Watch, 'cells'>): Promise<string[]> {
  const well = [...cells].filter(([, { state }]) => state === 'up').map(([name]) => name)
  const open = await knownToAll(control, well)
  if (open.length === 0) throw noOpenCell()
  return open
}

/** The same for the command line, which checks once instead of watching. */
export const findOpenCellsNow = async (databases: Databases) =>
  findOpenCells(databases.control, { cells: await checkOnce(databases) })

/** For operators, on the metrics port. */
export const describeCells = ({ cells }: Pick<Watch, 'cells'>, { unknownCells }: Pick<Presence, 'unknownCells'>) => ({
  cells: Object.fromEntries(cells),
  unknown: unknownCells(),
})
