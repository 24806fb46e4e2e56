import { readCells } from '#platform/cells/cells.ts'
import { allAddressesOf } from '#platform/cells/follow-cells.ts'
import type { Config } from '#platform/config.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import type { PoolOptions } from '#platform/database/connection.ts'
import { type Cell, type ControlDb, type Databases, openDatabases } from '#platform/database/database.ts'
import { isOfReplica } from '#platform/database/errors.ts'
import { createReplicaReaders } from '#platform/database/replica-readers.ts'
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

/** For commands that read a great deal. */
export const cliReaders = ({ replicaMaxLagSeconds }: Config, statementTimeoutMs: number) =>
  createReplicaReaders({
    log: { info() {}, warn() {} },
    maxLagSeconds: replicaMaxLagSeconds,
    pool: { applicationName: 'kontor cli', max: 2, statementTimeoutMs },
  })

/** Reads from the replica of a cell, if it has one that keeps up; if that fails, all of it again from the cell itself. */
export async function readOnce<Result>(
  readers: Pick<ReturnType<typeof cliReaders>, 'of'>,
  cell: Cell,
  read: (db: Cell) => Promise<Result>,
): Promise<Result> {
  const reader = await readers.of(cell)
  if (reader === cell) return read(cell)
  try {
    return await read(reader)
  } catch (error) {
    if (!isOfReplica(error)) throw error
    return read(cell)
  }
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
