import type { Command } from 'commander'
import { auditOperator, type CellChanges, isCellUsed, setCell } from '#modules/access/index.ts'
import {
  addCell,
  type CellRow,
  changeCell,
  countByCell,
  isCellName,
  lockCell,
  openAddress,
  openReplicaUrl,
  type Placement,
  readCells,
  registerCells,
  removeCell,
  sealAddress,
  sealReplica,
} from '#platform/cells/cells.ts'
import { checkIdentity, checkReplica, readControlId, refuseStandby } from '#platform/cells/identity.ts'
import { createSecretBox, type SecretBox } from '#platform/crypto/secret-box.ts'
import { type ControlTx, type DatabaseAddress, type Databases, MAIN_CELL } from '#platform/database/database.ts'
import { loadNames } from '#platform/database/migrate.ts'
import { transaction } from '#platform/database/transaction.ts'
import { checkOnce, type Seen } from '#platform/database/watch.ts'
import { isCellInMoves } from '#platform/moves/moves.ts'
import { BootError, describeDatabase } from '../boot.ts'
import { openExtensions } from '../extensions.ts'
import { migrateCell } from '../migrate-cell.ts'
import { readSecret } from './ask.ts'
import { addCommand, type Cli, JSON_LINES, type Json, UsageError } from './command.ts'
import { printList, printResult } from './output.ts'

const MAX_WEIGHT = 10_000
const LIST = ['cell', 'state', 'weight', 'region', 'businesses', 'schema', 'health', 'address', 'replica']

type Given = Json & { url?: string; directUrl?: string; replicaUrl?: string; weight?: string; region?: string }

export function addCellCommands(program: Command, cli: Cli): void {
  const cells = program.command('cells').description('The databases in which businesses live.')
  addListCommand(cells, cli)
  addAddCommand(cells, cli)
  addSetCommand(cells, cli)
  addStateCommands(cells, cli)
  addRemoveCommand(cells, cli)
}

function addListCommand(cells: Command, { config, withDatabases }: Cli): void {
  addCommand(cells, 'list', {
    says: 'List the cells: their state, weight and region, how many businesses they have, their schema, and how they are.',
    examples: ['cells list', 'cells list --json'],
    json: JSON_LINES,
  }).action(({ json = false }: Json) =>
    withDatabases(async (databases) => {
      const { control } = databases
      const { databases: addresses, secretKeys } = config()
      await registerCells(control, Object.keys(addresses.cells))
      const [rows, counts, seen] = await Promise.all([readCells(control), countByCell(control), checkOnce(databases)])
      const box = createSecretBox(secretKeys)
      const newest = (await loadNames('cell')).at(-1)?.replace('.sql', '') ?? null
      const shown = rows.map((row) => {
        const { id, state, weight, region } = row
        const of = seen.get(id)
        return {
          cell: id,
          state,
          weight,
          region,
          businesses: counts.get(id) ?? 0,
          schema: schemaOf(of, newest),
          health: state === 'OFF' ? 'off' : (of?.state ?? 'unknown'),
          address: describeAddress(row, databases, box),
          replica: describeReplica(row, databases, box),
        }
      })
      printList(json, LIST, shown, 'There are none: cli migrate first.')
    }),
  )
}

function schemaOf(seen: Seen | undefined, newest: string | null): string | null {
  if (seen?.state === 'up' || seen?.state === 'read-only') return newest
  return seen?.state === 'behind' ? `lacks ${seen.missing.length}` : null
}

/** Without user and password, and whether it is kept in control or said by CELLS. */
function describeAddress({ id, address }: CellRow, { cells }: Databases, box: SecretBox): string | null {
  const kept = address ? openAddress(box, address)?.url : undefined
  if (address) return kept ? describeDatabase(kept) : 'SECRET_KEY does not open it'
  const open = cells.get(id)
  return open ? `${describeDatabase(open.address.url)} (${id === MAIN_CELL ? 'DATABASE_URL' : 'CELLS'})` : null
}

function describeReplica({ id, replicaAddress }: CellRow, { cells }: Databases, box: SecretBox): string | null {
  const kept = replicaAddress ? openReplicaUrl(box, replicaAddress) : undefined
  if (replicaAddress) return kept ? describeDatabase(kept) : 'SECRET_KEY does not open it'
  const url = cells.get(id)?.replicaUrl
  return url ? `${describeDatabase(url)} (${id === MAIN_CELL ? 'DATABASE_REPLICA_URL' : 'CELLS'})` : null
}

function addAddCommand(cells: Command, { config, withDatabases }: Cli): void {
  addCommand(cells, 'add <cell>', {
    says:
      'Add a database as a cell. It is migrated, unless you say otherwise, and takes businesses as soon as every API process ' +
      'knows it, which takes some seconds. Nothing is restarted.',
    examples: [
      'cells add eu2 --url postgres://kontor:secret@db2:5432/kontor_eu2',
      'cells add eu2 --url - --closed --weight 200 --region eu < address.txt',
    ],
  })
    .requiredOption('--url <url>', 'where it is; - reads it from standard input, where no list of processes shows it')
    .option('--direct-url <url>', 'the same past PgBouncer')
    .option('--weight <weight>', 'how many of the new businesses it takes, compared with the others', '100')
    .option('--region <region>', 'where it stands, in your own words')
    .option('--closed', 'take no businesses yet')
    .option('--no-migrate', 'leave the database as it is; it must be migrated before it takes businesses')
    .action(
      (
        id: string,
        { json = false, closed = false, migrate, ...given }: Given & { closed?: boolean; migrate: boolean },
      ) => {
        if (!isCellName(id))
          throw new UsageError(`${id} is no name of a cell: 1 to 32 of a to z, 0 to 9 and -, and main is taken.`)
        return withDatabases(async ({ control }) => {
          const settings = config()
          const address = await readAddress(given)
          if (!address) throw new UsageError('Give --url.')
          const before = (await readCells(control)).find((row) => row.id === id)
          if (before || settings.databases.cells[id])
            throw new BootError(`There is a cell ${id} already. To change it: cli cells set ${id}`)
          const controlId = await readControlId(control)
          await look(address, () => checkIdentity(address.url, id, controlId))
          await look(address, () => refuseStandby(address.url))
          const extensions = migrate ? await openExtensions(settings) : []
          const sets = extensions.map(({ migrations }) => migrations)
          if (migrate) await look(address, () => migrateCell(id, address, controlId, sets))
          const state: Placement = closed ? 'CLOSED' : 'OPEN'
          const facts = { state, weight: readWeight(given.weight) ?? 100, region: given.region ?? null }
          await transaction(control, async (tx) => {
            const sealed = sealAddress(createSecretBox(settings.secretKeys), address)
            await addCell(tx, id, { ...facts, address: sealed })
            await auditCell(tx, 'cell.added', id, { ...facts, database: describeDatabase(address.url) })
          })
          const next = migrate ? 'API and workers know it within some seconds' : `migrate it: cli migrate --cell ${id}`
          printResult(json, { id, ...facts, isMigrated: migrate }, `${id} is added (${state}); ${next}`)
        })
      },
    )
}

function addSetCommand(cells: Command, { config, withDatabases }: Cli): void {
  addCommand(cells, 'set <cell>', {
    says:
      'Change the weight, the region, the address or the replica of a cell. An address given here wins over CELLS, in all processes, within ' +
      'some seconds; it must lead to the database of that same cell.',
    examples: [
      'cells set eu2 --weight 50',
      'cells set eu2 --url postgres://kontor:secret@db3:5432/kontor_eu2',
      'cells set eu2 --replica-url postgres://kontor:secret@db3-copy:5432/kontor_eu2',
    ],
  })
    .option('--url <url>', 'where it is now; - reads it from standard input')
    .option('--direct-url <url>', 'the same past PgBouncer; without it, it is the same as --url')
    .option(
      '--replica-url <url>',
      'where a copy of it is that follows it, for reading; - reads it from standard input, "none" removes it',
    )
    .option('--weight <weight>', 'how many of the new businesses it takes, compared with the others')
    .option('--region <region>', 'where it stands, in your own words; "none" removes it')
    .action((id: string, { json = false, ...given }: Given) =>
      withDatabases(async ({ control, cells: open }) => {
        const { databases, secretKeys } = config()
        const address = await readAddress(given)
        const replica = await readReplica(given)
        if (address && id === MAIN_CELL)
          throw new UsageError('main is where control is: DATABASE_URL says where, for each process.')
        if (replica !== undefined && id === MAIN_CELL)
          throw new UsageError('DATABASE_REPLICA_URL says where the replica of main is, for each process.')
        const weight = readWeight(given.weight)
        const region = given.region === 'none' ? null : given.region
        if (!address && weight === undefined && region === undefined && replica === undefined)
          throw new UsageError('Say what to change: --weight, --region, --url or --replica-url.')
        await registerCells(control, Object.keys(databases.cells))
        if (address) {
          const controlId = await readControlId(control)
          const found = await look(address, () => checkIdentity(address.url, id, controlId))
          await look(address, () => refuseStandby(address.url))
          if (found.cell === undefined)
            throw new BootError(
              `The database at ${describeDatabase(address.url)} does not say that it is the cell ${id}. If it is: cli migrate --cell ${id} ` +
                'where the cell is reached now, then copy it.',
            )
        }
        const primaryUrl = address?.url ?? open.get(id)?.address.url
        if (replica && primaryUrl)
          await look({ url: replica, directUrl: replica }, () => checkReplica(primaryUrl, replica))
        const facts = { ...(weight !== undefined && { weight }), ...(region !== undefined && { region }) }
        await set(control, id, facts)
        if (address || replica !== undefined)
          await change(control, id, async (tx) => {
            const box = createSecretBox(secretKeys)
            await changeCell(tx, id, {
              ...(address && { address: sealAddress(box, address) }),
              ...(replica !== undefined && { replicaAddress: replica === null ? null : sealReplica(box, replica) }),
            })
            await auditCell(tx, 'cell.changed', id, {
              ...(address && { database: describeDatabase(address.url) }),
              ...(replica !== undefined && { replica: replica && describeDatabase(replica) }),
            })
          })
        printResult(
          json,
          { id, ...facts, hasAddress: address !== undefined, hasReplica: typeof replica === 'string' },
          `${id} is changed`,
        )
        if (replica === null && databases.cells[id]?.replicaUrl !== undefined)
          console.error('CELLS names a replica of it as well: processes with that CELLS go on reading there.')
      }),
    )
}

const STATES: Record<string, { state: Placement; says: string; done: string }> = {
  open: { state: 'OPEN', says: 'Let a cell take new businesses.', done: 'is open' },
  close: {
    state: 'CLOSED',
    says: 'Let a cell take no new businesses but those that you put there (business create --cell). Its businesses are served as before.',
    done: 'is closed to new businesses',
  },
  drain: {
    state: 'DRAINING',
    says: 'Let a cell take no new businesses at all, because it is going to be emptied. Its businesses are served as before.',
    done: 'is draining: it takes no businesses, and serves those it has',
  },
}

function addStateCommands(cells: Command, { withDatabases, config }: Cli): void {
  for (const [word, { state, says, done }] of Object.entries(STATES))
    addCommand(cells, `${word} <cell>`, { says, examples: [`cells ${word} eu2`] }).action(
      (id: string, { json = false }: Json) =>
        withDatabases(async ({ control }) => {
          await registerCells(control, Object.keys(config().databases.cells))
          await set(control, id, { state })
          printResult(json, { id, state }, `${id} ${done}`)
        }),
    )

  addCommand(cells, 'off <cell>', {
    says: 'Let nobody connect to a cell any more. Refused while businesses live there, unless you force it. `cells open` takes it back.',
    examples: ['cells off eu2', 'cells off eu2 --force'],
  })
    .option('--force', 'also with businesses: they get 503 until the cell is opened again')
    .action((id: string, { force = false, json = false }: Json & { force?: boolean }) =>
      withDatabases(async ({ control }) => {
        await registerCells(control, Object.keys(config().databases.cells))
        await set(control, id, { state: 'OFF' }, force)
        printResult(json, { id, state: 'OFF' }, `${id} is off. Processes let go of it within some seconds.`)
      }),
    )
}

function addRemoveCommand(cells: Command, { config, withDatabases }: Cli): void {
  addCommand(cells, 'remove <cell>', {
    says: 'Forget a cell. Refused while businesses are registered there. Its database is left as it is.',
    examples: ['cells remove eu2'],
  }).action((id: string, { json = false }: Json) =>
    withDatabases(async ({ control }) => {
      if (id === MAIN_CELL) throw new BootError('main is where control is: it cannot be removed.')
      if (config().databases.cells[id])
        throw new BootError(
          `CELLS names ${id}. Take it out of CELLS first, for every process: they would add it again.`,
        )
      await change(control, id, async (tx) => {
        if (await isCellUsed(tx, id))
          throw new BootError(
            `${describeUse((await countByCell(tx)).get(id) ?? 0)} in ${id}. Move or delete them first.`,
          )
        if (await isCellInMoves(tx, id)) throw isOnTheWay(id)
        await removeCell(tx, id)
        await auditCell(tx, 'cell.removed', id, {})
      })
      printResult(json, { id }, `${id} is removed; its database is left as it is`)
    }),
  )
}

const describeUse = (count: number) => (count === 1 ? '1 business lives' : `${count} businesses live`)
const noCell = (id: string) => new BootError(`Cell ${id} not found. Run cli cells list to see all cells.`)
/** Its old rows are not compared and cleared yet, or it is coming. */
const isOnTheWay = (id: string) =>
  new BootError(`A business is on its way out of ${id}, or into it: cli business move <id> shows how far it is.`)

/** As the route for operators does it. */
async function set(control: Databases['control'], id: string, changes: CellChanges, force = false): Promise<void> {
  const done = await transaction(control, (tx) => setCell(tx, id, changes, { force }))
  if (done.outcome === 'NO_CELL') throw noCell(id)
  if (done.outcome === 'IS_MAIN') throw new BootError('main is where control is: it cannot be switched off.')
  if (done.outcome === 'ON_THE_WAY') throw isOnTheWay(id)
  if (done.outcome === 'IN_USE')
    throw new BootError(
      `${describeUse(done.businesses)} in ${id}. They would get 503. To do it all the same: cli cells off ${id} --force`,
    )
}

/** Under the lock of the cell, so that no business is placed there meanwhile. */
const change = (control: Databases['control'], id: string, work: (tx: ControlTx, cell: CellRow) => Promise<void>) =>
  transaction(control, async (tx) => {
    const cell = await lockCell(tx, id)
    if (!cell) throw noCell(id)
    await work(tx, cell)
  })

const auditCell = (tx: ControlTx, action: string, subject: string, data: Record<string, string | number | null>) =>
  auditOperator(tx, { action, subject, data })

async function readAddress({ url: given, directUrl }: Given): Promise<DatabaseAddress | undefined> {
  if (given === undefined) {
    if (directUrl !== undefined) throw new UsageError('--direct-url needs --url.')
    return undefined
  }
  const url = given === '-' ? (await readSecret()).trim() : given
  for (const text of [url, directUrl ?? url])
    if (!/^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? ''))
      throw new UsageError('An address is a PostgreSQL URL: postgres://user:password@host:5432/database')
  return { url, directUrl: directUrl ?? url }
}

/** Null: there shall be none. */
async function readReplica({ replicaUrl: given }: Given): Promise<string | null | undefined> {
  if (given === undefined || given === 'none') return given && null
  const url = given === '-' ? (await readSecret()).trim() : given
  if (!/^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageError('An address is a PostgreSQL URL: postgres://user:password@host:5432/database')
  return url
}

function readWeight(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const weight = Number(text)
  if (!Number.isInteger(weight) || weight < 1 || weight > MAX_WEIGHT)
    throw new UsageError(
      `A weight is a whole number from 1 to ${MAX_WEIGHT}, not "${text}". To take no businesses: cli cells close`,
    )
  return weight
}

/** Names the database, not the password, when it cannot be used. */
async function look<Result>({ url }: DatabaseAddress, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    throw new BootError(`${describeDatabase(url)}: ${message || code}`)
  }
}
