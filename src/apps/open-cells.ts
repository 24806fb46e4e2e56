import type { ControlDb, Databases } from '#platform/database/database.ts'
import { lookOnce, type Watch } from '#platform/database/watch.ts'
import { knownToAll, type Presence } from '#platform/processes.ts'
import { unavailable } from '#vocabulary/errors.ts'

/** Cells for a new business: those that are well, and that every API process which is there can find. */
export async function findOpenCells(control: ControlDb, { cells }: Pick<Watch, 'cells'>): Promise<string[]> {
  const well = [...cells].filter(([, { state }]) => state === 'up').map(([name]) => name)
  const open = await knownToAll(control, well)
  if (open.length === 0) throw unavailable('There is no database for a new business right now. Try again shortly.')
  return open
}

/** The same for a command, which does not stay to watch. */
export const findOpenCellsNow = async (databases: Databases) =>
  findOpenCells(databases.control, { cells: await lookOnce(databases) })

/** For whoever runs the service, on the metrics port. */
export const describeCells = ({ cells }: Pick<Watch, 'cells'>, { unknownCells }: Pick<Presence, 'unknownCells'>) => ({
  cells: Object.fromEntries(cells),
  unknown: unknownCells(),
})
