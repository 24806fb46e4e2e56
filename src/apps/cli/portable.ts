import type { Command } from 'commander'
import {
  askDeletion,
  auditOperator,
  GRACE_DAYS,
  graceEnd,
  listImported,
  readMarks,
  undoDeletion,
} from '#modules/access/index.ts'
import { sendDeletionNotice } from '#modules/accounts/index.ts'
import { hasFiles } from '#modules/media/index.ts'
import { pauseSends } from '#modules/newsletter/index.ts'
import { chooseCell } from '#platform/cells/choose-cell.ts'
import type { Config } from '#platform/config.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import type { Databases } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { noOpenCell } from '#platform/http/refusals.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { BootError } from '../boot.ts'
import { findHome, findMarked } from '../home.ts'
import { cliReaders, findOpenCellsNow, openAllDatabases, readOnce } from '../open-cells.ts'
import { checkPin } from '../place.ts'
import { type Archive, openArchive, toFile } from '../portable/archive.ts'
import { exportBusiness } from '../portable/export-business.ts'
import { type Imported, importBusiness } from '../portable/import-business.ts'
import { removeBusiness } from '../portable/remove-business.ts'
import { showProgress } from '../progress.ts'
import { verify } from '../verify.ts'
import { addCommand, type Cli, type Json, UsageError } from './command.ts'
import { printResult } from './output.ts'

/** They read and write whole businesses. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000

async function withLongStatements(config: Config, work: (databases: Databases) => Promise<void>): Promise<void> {
  const options = { applicationName: 'kontor cli', max: 2, statementTimeoutMs: STATEMENT_TIMEOUT_MS }
  const databases = await openAllDatabases(config, options)
  try {
    await work(databases)
  } finally {
    await databases.close()
  }
}

export function addPortableCommands(business: Command, cli: Cli): void {
  addExport(business, cli)
  addImport(business, cli)
  addDelete(business, cli)
}

function addExport(business: Command, { config }: Cli): void {
  addCommand(business, 'export <businessId> <file>', {
    says:
      'Write all that a business has into one archive, as of one moment; it can go on selling. Secrets are not in it, but ' +
      'names and addresses of customers are: keep it safe.',
    examples: ['business export biz_4k7q2m9x1c3v harbour.tar', 'business export biz_4k7q2m9x1c3v harbour.tar --media'],
  })
    .option('--media', 'put its files into the archive; without this they stay in the store')
    .action((businessId: string, file: string, { media = false, json = false }: Json & { media?: boolean }) => {
      const loaded = config()
      const storage = createStorage(loaded)
      if (media && !storage) throw new UsageError('--media needs MEDIA_STORAGE: no store is set.')
      return withLongStatements(loaded, async (databases) => {
        const bar = showProgress('exporting', 'rows')
        await findHome(databases, businessId) // before a file is begun
        const readers = cliReaders(loaded, STATEMENT_TIMEOUT_MS)
        const { manifest, bytes } = await exportBusiness(databases, businessId, {
          openSink: () => toFile(file),
          media: media ? storage : undefined,
          seen: (rows) => bar.update(rows),
          readFrom: (cell, read) => readOnce(readers, cell, read),
        }).finally(() => void readers.close())
        const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
        bar.end(rows)
        await storage?.close()
        const { toSetAgain, media: files, asOf } = manifest
        const kept = media ? `${files.files} files` : `files stay in the store, below ${files.prefixes.join(', ')}`
        const result = {
          id: businessId,
          file,
          bytes,
          rows,
          files: files.files,
          missing: files.missing,
          asOf,
          toSetAgain,
        }
        printLines(json, result, [
          `${businessId}  ${rows} rows, ${bytes} bytes, ${kept}`,
          ...(files.missing > 0 ? [`${files.missing} files are not in the store, and not in the archive`] : []),
          ...toSetAgain.map((what) => `not in it: ${what}`),
        ])
      })
    })
}

function addImport(business: Command, { config }: Cli): void {
  addCommand(business, 'import <file>', {
    says:
      'Bring in a business from an archive, under its own ids. The archive is checked before anything is written. After ' +
      'an interruption, the same command goes on. The business is suspended until you open it.',
    examples: ['business import harbour.tar', 'business import harbour.tar --cell two'],
  })
    .option('--cell <cell>', 'where it is to live; default: the emptiest one')
    .action((file: string, { cell, json = false }: Json & { cell?: string }) => {
      const loaded = config()
      return withLongStatements(loaded, async (databases) => {
        const checking = showProgress('checking', 'bytes')
        const archive = await openArchive(file, (bytes) => checking.update(bytes))
        const storage = createStorage(loaded)
        const bar = showProgress('importing', 'rows')
        const cellName = await findPlace(databases, archive, cell)
        const box = createSecretBox(loaded.secretKeys)
        const seen = (rows: number) => bar.update(rows)
        const imported = await importBusiness(databases, archive, { cellName, storage, box, seen })
        bar.end(imported.rows)
        await storage?.close()
        await report(databases, archive, { ...imported, json })
      })
    })
}

/** One that was begun goes on where it is. */
async function findPlace(databases: Databases, { manifest, print }: Archive, wanted?: string): Promise<string> {
  const { control } = databases
  const marks = await readMarks(control, manifest.business.id)
  if (marks && (marks.importOf === print || marks.importedFrom === print)) return marks.cell
  if (wanted !== undefined) {
    await checkPin(databases, wanted)
    return wanted
  }
  const open = await findOpenCellsNow(databases)
  const chosen = await transaction(control, (tx) => chooseCell(tx, open))
  if (!chosen) throw noOpenCell()
  return chosen
}

function printLines(json: boolean, result: unknown, [first = '', ...others]: readonly string[]): void {
  printResult(json, result, first)
  if (!json) for (const line of others) printResult(false, result, `  ${line}`)
}

type Report = Imported & { json: boolean }

/** Also printed by a run that finds the import complete: the previous run may have died before printing it. */
async function report(
  databases: Databases,
  { manifest }: Archive,
  { json, wasDone, ...imported }: Report,
): Promise<void> {
  const { id } = manifest.business
  const { marks, cell } = await findMarked(databases, id)
  const invited = (await listImported(databases.control, id)).map(({ email }) => email)
  const state = marks.deleteAt ? 'to be deleted' : marks.suspendedAt ? 'suspended' : 'open'
  const broken = (await verify(cell, id)).filter(({ violations }) => violations.length > 0)
  const { toSetAgain, media } = manifest
  const lines = [
    `${id}  ${wasDone ? 'already imported: ' : ''}${imported.rows} rows, ${imported.files} files, in the cell ${marks.cell}; ${state}`,
    ...(media.mode === 'reference' && (await hasFiles(cell, id))
      ? [`copy its files into this store: all below ${media.prefixes.join(', ')}`]
      : []),
    ...toSetAgain.map((what) => `to be set again: ${what}`),
    ...(imported.jobsLeftOut > 0
      ? [`left out: ${imported.jobsLeftOut} jobs, which are none that an archive may bring`]
      : []),
    ...new Set(invited.map((email) => `invitation sent when the business opens: ${email}`)),
    ...broken.map(({ check, violations }) => `verify: ${check}: ${violations.length} violations`),
    ...(state === 'suspended' ? [`open it: cli business suspend ${id} --resume`] : []),
  ]
  const problems = broken.map(({ check, violations }) => ({ check, violations }))
  printLines(json, { id, cell: marks.cell, wasDone, ...imported, invited, toSetAgain, problems }, lines)
  if (broken.length > 0) process.exitCode = 1
}

type DeleteOptions = Json & { undo?: boolean; now?: boolean }

function addDelete(business: Command, { config, withDatabases }: Cli): void {
  addCommand(business, 'delete <businessId>', {
    says:
      `Close a business, tell its members, and delete every row and file of it after ${GRACE_DAYS} days. Until then --undo ` +
      'brings it back as it was, but for its letters: they stay paused until its people send them on. The worker deletes it.',
    examples: ['business delete biz_4k7q2m9x1c3v', 'business delete biz_4k7q2m9x1c3v --undo'],
  })
    .option('--undo', 'keep it')
    .option('--now', `do not wait for the rest of the ${GRACE_DAYS} days; only after the command without this`)
    .action((businessId: string, { undo = false, now = false, json = false }: DeleteOptions) => {
      if (undo && now) throw new UsageError('--undo and --now are two wishes.')
      if (now) return withDatabases((databases) => removeNow(config(), databases, businessId, json))
      return withDatabases((databases) => (undo ? keep : ask)(databases, businessId, json))
    })
}

const CLOSED = 'The operator of this service is going to delete the business.'

async function ask(databases: Databases, businessId: string, json: boolean): Promise<void> {
  const { cell } = await findMarked(databases, businessId)
  const { marks } = await transaction(databases.control, async (tx) => {
    const asked = await askDeletion(tx, businessId, graceEnd())
    if (asked.isNew) await enqueue(tx, sendDeletionNotice, { businessId })
    return asked
  })
  // After the business is closed, so that no further send can be planned.
  await pauseSends(cell, businessId, CLOSED)
  const day = marks.deleteAt?.toISOString().slice(0, 10)
  const sentence = `${businessId} is closed, and will be deleted on ${day}. To keep it: cli business delete ${businessId} --undo`
  printResult(json, { id: businessId, deleteAt: marks.deleteAt }, sentence)
}

async function keep(databases: Databases, businessId: string, json: boolean): Promise<void> {
  const { marks } = await findMarked(databases, businessId)
  if (marks.importOf)
    throw new BootError(`${businessId} is not imported yet: cli business import goes on, --now removes what there is.`)
  const wasAsked = await transaction(databases.control, async (tx) => {
    const undone = await undoDeletion(tx, businessId)
    if (undone === 'TOO_LATE') throw new BootError(`${businessId} is being deleted: its time is up.`)
    if (undone === 'UNDONE') await enqueue(tx, sendDeletionNotice, { businessId })
    return undone === 'UNDONE'
  })
  const sentence = wasAsked
    ? `${businessId} stays. Paused newsletters stay paused until somebody resumes them.`
    : `${businessId} was not going to be deleted.`
  printResult(json, { id: businessId, undone: wasAsked }, sentence)
}

async function removeNow(config: Config, databases: Databases, businessId: string, json: boolean): Promise<void> {
  const marks = await readMarks(databases.control, businessId)
  if (!marks) throw new BootError(`Business ${businessId} not found.`)
  if (!marks.deleteAt)
    throw new BootError(`Nobody has asked to delete ${businessId}. First: cli business delete ${businessId}`)
  await transaction(databases.control, (tx) =>
    auditOperator(tx, {
      businessId,
      action: 'business.deletion-hurried',
      subject: businessId,
      data: { isUnfinishedImport: marks.importOf !== null },
    }),
  )
  const storage = createStorage(config)
  const bar = showProgress('deleting', 'rows')
  const removed = await removeBusiness({ ...databases, storage, seen: (rows) => bar.update(rows) }, businessId)
  bar.end(removed.rows)
  await storage?.close()
  const sentence = `${businessId} is gone: ${removed.rows} rows, ${removed.files} files, ${removed.jobs} jobs`
  printResult(json, { id: businessId, ...removed }, sentence)
}
