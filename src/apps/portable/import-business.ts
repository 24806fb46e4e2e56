import pg from 'pg'
import { finishImport, inviteImported, listCustomerIds, membershipTable, readMarks } from '#modules/access/index.ts'
import { findPeople, placeGuests } from '#modules/accounts/index.ts'
import { pauseSendsIn } from '#modules/newsletter/index.ts'
import { giveNewSecrets } from '#modules/webhooks/index.ts'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import { attempt } from '#platform/database/attempt.ts'
import type { Cell, Control, ControlTx, Databases, Tx } from '#platform/database/database.ts'
import { describeBadRow, violatedConstraint } from '#platform/database/errors.ts'
import { loadNames } from '#platform/database/migrate.ts'
import { makePastPartitions } from '#platform/database/partitions.ts'
import { transaction, waitPatiently } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { forgetFormerMoves } from '#platform/moves/fence.ts'
import {
  describeTables,
  findUsed,
  type KnownTable,
  type Renumbered,
  UnknownNumber,
  writeRows,
} from '#platform/portable/rows.ts'
import { isCopied, isDeleted, isItself } from '#platform/portable/tables.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { BootError } from '../boot.ts'
import type { Archive, Line } from './archive.ts'
import { badRow, checkRows, partsOf } from './check-archive.ts'
import { claim } from './claim.ts'
import { importJobs } from './import-jobs.ts'
import { cellTables, controlTables } from './tables.ts'

type Options = {
  cellName: string
  storage: Storage | undefined
  box: SecretBox
  seen?: (rows: number) => void
}
export type Imported = {
  /** True if an earlier run imported everything and this one changed nothing. */
  wasDone: boolean
  rows: number
  files: number
  sendsPaused: number
  /** Those that no export of this version writes. */
  jobsLeftOut: number
}

type Work = Options & {
  control: Control
  cell: Cell
  archive: Archive
  businessId: string
  people: Map<string, string>
}

const SLUG_KEY = 'businesses_slug_key'

/** What was exported and not ended goes after this long. */
const UNFINISHED = `now() + interval '30 days'`

/**
 * Brings a business in, under its own ids. Half of one is never seen: what is in control first is closed, marked as being
 * imported, and has no members; all of the cell is one transaction; the last one of control gives it its members. Whoever
 * is cut off begins again with the same archive, and goes on after the last of these that is done.
 */
export async function importBusiness(databases: Databases, archive: Archive, options: Options): Promise<Imported> {
  const { business } = archive.manifest
  const { control } = databases
  const cell = databases.cells.get(options.cellName)
  if (!cell)
    throw new BootError(`Cell "${options.cellName}" not found, or switched off. Run cli cells list to see all cells.`)
  const rows = archive.manifest.tables.reduce((sum, table) => sum + table.rows, 0)
  const { files: carried } = archive.manifest.media
  if ((await readMarks(control, business.id))?.importedFrom === archive.print)
    return { wasDone: true, rows, files: carried, sendsPaused: 0, jobsLeftOut: 0 }
  await checkSchema(archive)
  checkTables(archive)
  await checkRows(control, cell, archive)
  await reserve(control, cell, archive, options.cellName)
  await fault('import.reserved')
  const people = await findPeople(control, archive.manifest.people)
  const work: Work = { ...options, control, cell, archive, businessId: business.id, people }
  const files = await importFiles(work)
  await fault('import.files')
  const ofCell = await importCell(work)
  await fault('import.cell')
  await finish(work)
  await fault('import.finished')
  return { wasDone: false, rows, files, ...ofCell }
}

/** Rows are written as they were read, so the tables have to be the same. */
async function checkSchema({ manifest: { schema, kontor } }: Archive): Promise<void> {
  for (const kind of ['control', 'cell'] as const) {
    const here = await loadNames(kind)
    const [more, less] = [
      schema[kind].filter((name) => !here.includes(name)),
      here.filter((name) => !schema[kind].includes(name)),
    ]
    if (more.length === 0 && less.length === 0) continue
    const [first] = [
      ...more.map((name) => `this one lacks ${kind}/${name}`),
      ...less.map((name) => `it lacks ${kind}/${name}`),
    ]
    throw new BootError(
      `The archive is of another schema (Kontor ${kontor}): ${first}. Bring both deployments to the same version, and export again.`,
    )
  }
}

function checkTables({ manifest }: Archive): void {
  const known = new Set([...controlTables, ...cellTables].filter(isCopied).map(({ table }) => table))
  const other = manifest.tables.find(({ table }) => !known.has(table))
  if (other) throw new BootError(`The archive has rows of ${other.table}, which no list of this version names.`)
}

/** The business, closed and marked, and all of control but its members and invitations. */
async function reserve(control: Control, cell: Cell, archive: Archive, cellName: string): Promise<void> {
  const { business } = archive.manifest
  const marks = await readMarks(control, business.id)
  if (marks && marks.importOf !== archive.print) throw existsAlready(business.id, marks.importOf !== null)
  if (marks) return
  const tables = await describeTables(control, controlTables)
  await forgetFormerMoves(cell, business.id)
  await makeMonths(control, tables, archive)
  const set = {
    cell: pg.escapeLiteral(cellName),
    suspended_at: 'now()',
    delete_at: UNFINISHED,
    delete_asked_at: 'now()',
    import_of: pg.escapeLiteral(archive.print),
  }
  try {
    await transaction(control, async (tx) => {
      await waitPatiently(tx)
      await claim(tx, business.id) // a worker that removes what was left sees the business from then on, or we see what it has left
      await refuseIfThere(control, cell, business.id)
      for (const table of tables.filter((each) => isCopied(each) && each.people.length === 0)) {
        const written = isItself(table) ? { ...table, set: { ...table.set, ...set } } : table
        for await (const lines of archive.lines(partsOf(archive, table)))
          await writeInPieces(tx, written, business.id, lines)
      }
      await placeCustomers(tx, business.id)
    })
  } catch (error) {
    if (violatedConstraint(error) === SLUG_KEY)
      throw new BootError(`Another business has the slug "${business.slug}" here. Change one, and export again.`)
    throw error
  }
}

async function refuseIfThere(control: Control, cell: Cell, businessId: string): Promise<void> {
  const used = [
    ...(await findUsed(control, await describeTables(control, controlTables.filter(isDeleted)), businessId)),
    ...(await findUsed(cell, await describeTables(cell, cellTables.filter(isDeleted)), businessId)),
  ]
  if (used.length > 0)
    throw new BootError(
      `There are rows of ${businessId} already, in ${used.join(', ')}. Nothing was imported. If it was deleted here within ` +
        'the last hour, a worker removes them when it looks once more: cli jobs list shows business.look-again, and ' +
        'cli jobs retry <id> has it look at once.',
    )
}

const existsAlready = (id: string, isImport: boolean) =>
  new BootError(
    isImport
      ? `${id} is being imported from another archive. Go on with that one, or: cli business delete ${id} --now`
      : `There is a business ${id} already. Nothing was imported.`,
  )

const CUSTOMERS_AT_ONCE = 5_000

async function placeCustomers(tx: ControlTx, businessId: string): Promise<void> {
  for (let after = ''; ; ) {
    const ids = await listCustomerIds(tx, businessId, after, CUSTOMERS_AT_ONCE)
    await placeGuests(tx, businessId, ids)
    const last = ids.at(-1)
    if (last === undefined || ids.length < CUSTOMERS_AT_ONCE) return
    after = last
  }
}

/** Files come before the rows that lead to them. Putting one twice is fine. */
async function importFiles({ archive, storage }: Work): Promise<number> {
  const { media } = archive.manifest
  if (media.files > 0 && !storage)
    throw new BootError('The archive holds files, and MEDIA_STORAGE names no store for them.')
  let files = 0
  for await (const file of archive.files()) {
    await storage?.put(file.key, archive.body(file), { ...file.about, size: file.bytes })
    files++
  }
  return files
}

async function importCell(work: Work): Promise<Pick<Imported, 'sendsPaused' | 'jobsLeftOut'>> {
  const { cell, archive, businessId, box, seen = () => {} } = work
  const tables = (await describeTables(cell, cellTables)).filter(isCopied)
  if (await wasWritten(work, tables)) return { sendsPaused: 0, jobsLeftOut: 0 }
  await makeMonths(cell, tables, archive)
  return transaction(cell, async (tx) => {
    await waitPatiently(tx)
    const renumbered: Renumbered = new Map()
    let rows = 0
    for (const table of tables) {
      for await (const lines of linesOf(archive, table)) {
        await writeInPieces(tx, table, businessId, renamePeople(table, lines, work.people), renumbered)
        rows += lines.length
        seen(rows)
      }
      await fault('import.table')
    }
    await giveNewSecrets(tx, box, businessId)
    const sendsPaused = await pauseSendsIn(
      tx,
      businessId,
      'The business was imported. Resume the letter when it is open.',
    )
    let jobsLeftOut = 0
    for await (const lines of archive.lines(archive.manifest.jobs.parts))
      jobsLeftOut += await importJobs(
        tx,
        businessId,
        lines.map(({ text }) => text),
      )
    return { sendsPaused, jobsLeftOut }
  })
}

/**
 * An earlier run wrote all: there is a row where only the archive can have it from. The feed and the list of the erased may
 * hear of a business before.
 */
async function wasWritten({ cell, archive, businessId }: Work, tables: readonly KnownTable[]): Promise<boolean> {
  const own = tables.filter(({ hearsEarly }) => !hearsEarly)
  const tells = own.some((table) => partsOf(archive, table).length > 0)
  return (await findUsed(cell, tells ? own : tables, businessId)).length > 0
}

async function* linesOf(archive: Archive, table: KnownTable): AsyncGenerator<Line[]> {
  if (!table.isLinked) return yield* archive.lines(partsOf(archive, table))
  const all: Line[] = []
  for await (const lines of archive.lines(partsOf(archive, table))) all.push(...lines)
  yield all
}

const PIECE_ROWS = 2_000

async function writeInPieces(
  tx: Tx | ControlTx,
  table: KnownTable,
  businessId: string,
  lines: readonly Line[],
  renumbered?: Renumbered,
): Promise<void> {
  const size = table.isLinked ? lines.length : PIECE_ROWS
  for (let at = 0; at < lines.length; at += size) await write(lines.slice(at, at + size))

  /** A piece that the database refuses is halved until its first bad line is known. Nothing of it stays. */
  async function write(piece: readonly Line[]): Promise<void> {
    const texts = piece.map(({ text }) => text)
    const error = await attempt(
      tx as Tx,
      () => writeRows(tx as Tx, table, businessId, texts, renumbered),
      (thrown) => reasonOf(thrown) !== undefined,
    )
    if (!error) return
    const [first] = piece
    if (first && (piece.length === 1 || table.isLinked))
      throw badRow(table, first, `${table.isLinked ? 'this row or one after it' : 'the row'} ${reasonOf(error)}`)
    const middle = Math.ceil(piece.length / 2)
    await write(piece.slice(0, middle))
    await write(piece.slice(middle))
  }
}

function reasonOf(error: unknown): string | undefined {
  if (violatedConstraint(error) === SLUG_KEY) return undefined // says more than where the row is
  return error instanceof UnknownNumber ? error.message : describeBadRow(error)
}

/**
 * Ids of members as they are here. In control, a row of a person who has no account here is left out; in a cell, it keeps the id
 * that it had.
 */
function renamePeople(table: KnownTable, lines: readonly Line[], ids: ReadonlyMap<string, string>): readonly Line[] {
  if (table.people.length === 0) return lines
  return lines.flatMap((line) => {
    const row = JSON.parse(line.text) as Record<string, unknown>
    for (const column of table.people) {
      const id = row[column]
      if (typeof id !== 'string') continue
      const here = ids.get(id)
      if (here === undefined && table.in === 'control') return []
      row[column] = here ?? id
    }
    return [{ ...line, text: JSON.stringify(row) }]
  })
}

/**
 * It is a business like any other: suspended, until the operator opens it. Members who have the same account here come in.
 * The others are invited: an archive can name any address.
 */
async function finish({ control, archive, businessId, people }: Work): Promise<void> {
  const { suspendedAt } = archive.manifest.business
  const own = new Map([...people].filter(([id, here]) => id === here))
  const emails = new Map(archive.manifest.people.map(({ id, email }) => [id, email]))
  const tables = (await describeTables(control, controlTables)).filter(
    (table) => isCopied(table) && table.people.length > 0,
  )
  await transaction(control, async (tx) => {
    for (const table of tables) {
      const isMembership = table.table === membershipTable.table
      for await (const lines of archive.lines(partsOf(archive, table))) {
        await writeInPieces(tx, table, businessId, renamePeople(table, lines, isMembership ? own : people))
        if (isMembership) await inviteImported(tx, businessId, toInvite(lines))
      }
    }
    await finishImport(tx, businessId, suspendedAt ? new Date(suspendedAt) : now())
  })

  function toInvite(lines: readonly Line[]) {
    return lines.flatMap(({ text }) => {
      const { user_id: userId, role_id: roleId } = JSON.parse(text) as { user_id: string; role_id: string }
      const email = emails.get(userId)
      return own.has(userId) || email === undefined ? [] : [{ userId, roleId, email }]
    })
  }
}

/** Old months of a log have partitions of their own, so that they can be dropped in time. */
async function makeMonths(db: Control | Cell, tables: readonly KnownTable[], { manifest }: Archive): Promise<void> {
  for (const { table } of tables) {
    const since = manifest.tables.find((each) => each.table === table)?.since
    if (since) await makePastPartitions(db, table, new Date(since))
  }
}
