import type { ControlDb, Databases } from '#platform/database/database.ts'
import { checkOnce, type Watch } from '#platform/database/watch.ts'
import { knownToAll, type Presence } from '#platform/processes.ts'
import { noOpenCell } from './errors.ts'

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
