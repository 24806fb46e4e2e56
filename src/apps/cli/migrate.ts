import type { Command } from 'commander'
import { type CellRow, readCells, registerCells } from '#platform/cells/cells.ts'
import { addressesOf } from '#platform/cells/follow-cells.ts'
import { noteIdentity, readControlId } from '#platform/cells/identity.ts'
import { loadDatabases, loadExtensionFiles, loadSecretKeys } from '#platform/config.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import { type DatabaseAddress, MAIN_CELL, openDatabases } from '#platform/database/database.ts'
import { loadNames, type MigrationSet } from '#platform/database/migrate.ts'
import { forEachLimit } from '#platform/for-each-limit.ts'
import { openExtensions } from '../extensions.ts'
import { migrateCell } from '../migrate-cell.ts'
import { addCommand, type Cli, JSON_LINES, type Json, UsageError } from './command.ts'
import { printJson, printTable } from './output.ts'

const AT_ONCE = 8

/** `schema`: the last migration of Kontor that the cell has; of one that failed it is not known. */
type Outcome = { cell: string; state: string; schema: string | null; applied: string[]; problem?: string }

export function addMigrateCommand(program: Command, _cli: Cli): void {
  addCommand(program, 'migrate', {
    says:
      'Bring every database up to date, for Kontor and for the extensions of KONTOR_EXTENSIONS: control first, then the cells, ' +
      `${AT_ONCE} at a time. One that fails does not stop the others. Safe to run from several machines at once. Exit code 1 when one has failed.`,
    examples: ['migrate', 'migrate --cell eu2'],
    json: JSON_LINES,
  })
    .option('--cell <cell>', 'only this one')
    .action(async ({ cell: only, json = false }: Json & { cell?: string }) => {
      const { control, cells: named } = loadDatabases(process.env)
      const extensions = await openExtensions({ extensions: loadExtensionFiles(process.env) })
      const sets = extensions.map(({ migrations }) => migrations)
      const outcomes: Outcome[] = []
      const tell = (outcome: Outcome) => {
        outcomes.push(outcome)
        print(outcome, json)
      }
      if (only === undefined || only === MAIN_CELL) tell(await migrateMain(control, sets))
      const known = await readKnown(control, named)
      const targets = [...known.cells].filter(([name]) => only === undefined || only === name)
      if (only !== undefined && only !== MAIN_CELL && targets.length === 0)
        throw new UsageError(`Cell ${only} not found. Available: ${[MAIN_CELL, ...known.cells.keys()].join(', ')}.`)
      await forEachLimit(AT_ONCE, targets, async ([name, target]) => {
        tell(await migrateOne(name, target, known.controlId, sets))
      })
      if (!json) printSummary(outcomes)
      if (outcomes.some(({ problem }) => problem !== undefined)) process.exitCode = 1
    })
}

async function migrateMain(control: DatabaseAddress, sets: readonly MigrationSet[]): Promise<Outcome> {
  const outcome = await attempt(MAIN_CELL, '', () => migrateCell(MAIN_CELL, control, undefined, sets))
  if (outcome.problem !== undefined) return outcome
  const databases = openDatabases({ control, cells: {} }, { applicationName: 'kontor migrate', max: 1 })
  try {
    await noteIdentity(control.directUrl, MAIN_CELL, await readControlId(databases.control))
    const [row] = (await readCells(databases.control)).filter(({ id }) => id === MAIN_CELL)
    return { ...outcome, state: row?.state ?? '' }
  } catch (error) {
    return { ...outcome, problem: reasonOf(error) }
  } finally {
    await databases.close()
  }
}

type Target = { state: string; address: DatabaseAddress | undefined; problem?: string }

/** The cells of CELLS and of `control.cells`. While control cannot be asked, those of CELLS. */
async function readKnown(control: DatabaseAddress, named: Record<string, DatabaseAddress>) {
  const cells = new Map<string, Target>(Object.entries(named).map(([name, address]) => [name, { state: '', address }]))
  const databases = openDatabases({ control, cells: {} }, { applicationName: 'kontor migrate', max: 1 })
  try {
    await registerCells(databases.control, Object.keys(named))
    const controlId = await readControlId(databases.control)
    for (const row of await readCells(databases.control))
      if (row.id !== MAIN_CELL) cells.set(row.id, toTarget(row, named))
    return { cells, controlId }
  } catch {
    return { cells, controlId: undefined } // what is wrong with control was told, or is told by what needs it
  } finally {
    await databases.close()
  }
}

function toTarget(row: CellRow, named: Record<string, DatabaseAddress>): Target {
  const box = createSecretBox(loadSecretKeys(process.env))
  let problem = 'Neither CELLS nor control says where this cell is.'
  const complain = (about: string, _cell: string, message: string) => {
    if (about === 'key') problem = `${message}. Set SECRET_KEY for this command, too.`
  }
  // One that is off is brought up to date as well, so that it can be opened again.
  const { [row.id]: address } = addressesOf([{ ...row, state: 'OPEN' }], named, box, complain)
  return { state: row.state, address, ...(!address && { problem }) }
}

async function migrateOne(
  name: string,
  { state, address, problem }: Target,
  controlId: string | undefined,
  sets: readonly MigrationSet[],
): Promise<Outcome> {
  if (!address) return { cell: name, state, schema: null, applied: [], problem: problem ?? '' }
  return attempt(name, state, () => migrateCell(name, address, controlId, sets))
}

async function attempt(cell: string, state: string, work: () => Promise<string[]>): Promise<Outcome> {
  try {
    const applied = await work()
    return { cell, state, schema: (await loadNames('cell')).at(-1)?.replace('.sql', '') ?? null, applied }
  } catch (error) {
    return { cell, state, schema: null, applied: [], problem: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  const { message, code } = error as Error & { code?: string }
  return message || code || String(error) // with several addresses, the error has only a code
}

function print(outcome: Outcome, json: boolean): void {
  const { cell, applied, problem } = outcome
  if (json) return printJson(outcome)
  for (const migration of applied) console.log(`${cell}: applied ${migration}`)
  if (problem === undefined) console.log(`${cell}: up to date`)
  else console.error(`${cell}: failed: ${problem}`)
}

/** Which cell has what, where there is more than one. */
function printSummary(outcomes: readonly Outcome[]): void {
  if (outcomes.length < 2) return
  const rows = outcomes
    .toSorted((a, b) => (a.cell < b.cell ? -1 : 1))
    .map(({ applied, problem, ...outcome }) => ({ ...outcome, applied: applied.length, problem: problem ?? 'none' }))
  console.log('')
  printTable(['cell', 'state', 'schema', 'applied', 'problem'], rows)
  const failed = outcomes.filter(({ problem }) => problem !== undefined).length
  if (failed > 0)
    console.error(
      `\n${failed} of ${outcomes.length} failed. Their businesses get 503 from this version until: cli migrate`,
    )
}
