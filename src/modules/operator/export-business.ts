import { type Static, Type } from 'typebox'
import {
  askForExport,
  auditOperator,
  type BusinessExport,
  findBusiness,
  findExport,
  forgetExport,
  giveUpExports,
  listExpiredExports,
  listExporting,
  listExports,
  noteExport,
  readMarks,
} from '#modules/access/index.ts'
import { nowMs } from '#platform/clock.ts'
import type { Control, ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type ControlJob, defineJob, enqueue, type JobContext } from '#platform/jobs/define.ts'
import { countQueues } from '#platform/jobs/graphile-internals.ts'
import { storageNotConfigured } from '#platform/storage/refusals.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { BusinessId, Id } from '#vocabulary/schemas.ts'
import { toSeconds } from '#vocabulary/time.ts'
import {
  businessNotFound,
  cellNotAnswering,
  exportFailed,
  exportNotFound,
  exportNotReady,
  exportUnderWay,
  notWhole,
} from './errors.ts'
import type { BusinessExportBody, OperatorExport } from './schemas.ts'

/** Writes all that a business has under this key. Returns how much that was. */
export type WriteArchive = (
  context: JobContext<Control> & { storage: Storage },
  wanted: { businessId: string; key: string; hasFiles: boolean; seen: (rows: number) => void },
) => Promise<{ rows: number; bytes: number }>

export type ExportContext = {
  control: ControlDb
  cells: ReadonlyMap<string, unknown>
  storage: Pick<Storage, 'presignGet'> | undefined
}

const NAME = 'operator.export-business'
const MAX_ATTEMPTS = 5
const NOTE_EVERY_MS = 2_000
/** Long enough to click on it. A download that has begun goes on. */
const LINK_MS = 5 * 60_000

/** Apart from the files of the business, whose keys begin with its id: what copies those leaves archives alone. */
export const archivesOf = (businessId: string) => `private/exports/${businessId}/`
const keyOf = (businessId: string, id: string) => `${archivesOf(businessId)}${id}.tar`

const unknown = (): never => {
  throw new Error('This job is run by the worker only, which knows the tables of a business')
}
/** Thrown into an export whose row is gone or over. */
class NotWanted extends Error {}

const Payload = Type.Object({ businessId: BusinessId, exportId: Id })

/** One that was cut off begins anew: an archive is of one moment. */
export const makeArchive = (write: WriteArchive = unknown): ControlJob<typeof Payload> =>
  defineJob({
    name: NAME,
    on: 'control',
    isLong: true,
    maxAttempts: MAX_ATTEMPTS,
    payload: Payload,
    async run({ businessId, exportId }, context) {
      const { db, attempt, signal, fence, services, log } = context
      const note = (progress: Parameters<typeof noteExport>[3]) =>
        transaction(db, async (tx) => {
          await fence(tx)
          return noteExport(tx, businessId, exportId, progress)
        })
      const { storage } = services
      const key = keyOf(businessId, exportId)
      // Without its row nobody would ever delete it.
      const deleteUnwanted = async () => {
        const found = await findExport(db, businessId, exportId)
        if (!found || found.status === 'FAILED') await storage?.delete([key])
      }
      if (!(await note({ status: 'RUNNING', rows: 0 }))) return deleteUnwanted() // it was made, or is over
      let isWanted = true
      let notedMs = nowMs()
      let noting: Promise<unknown> = Promise.resolve()
      const seen = (rows: number) => {
        signal.throwIfAborted()
        if (!isWanted) throw new NotWanted()
        if (nowMs() - notedMs < NOTE_EVERY_MS) return
        notedMs = nowMs()
        noting = note({ status: 'RUNNING', rows }).then(
          (noted) => void (isWanted &&= noted),
          (error: unknown) => log.warn({ err: error }, 'progress not noted'),
        )
      }
      try {
        if (!storage) throw new Error('MEDIA_STORAGE names no store for the archive')
        const found = await findExport(db, businessId, exportId)
        const written = await write(
          { ...context, storage },
          { businessId, key, hasFiles: found?.hasFiles ?? false, seen },
        )
        await noting
        if (!(await note({ status: 'READY', ...written }))) throw new NotWanted()
        log.info({ businessId, exportId, ...written }, 'a business was exported')
      } catch (error) {
        await noting
        if (attempt >= MAX_ATTEMPTS) await note({ status: 'FAILED' })
        await deleteUnwanted()
        if (!(error instanceof NotWanted)) throw error
        log.warn({ businessId, exportId }, 'an export is not wanted any more: the business is gone, or it was given up')
      }
    },
  })

/** Ends exports of a business whose worker died with the last attempt: no job is left that could. */
const giveUpLost = (tx: ControlTx, businessId: string): Promise<boolean> =>
  giveUpExports(tx, businessId, async () => {
    const queues = await countQueues(tx, { name: NAME, businessId })
    return queues.every(({ ready, running, scheduled }) => ready + running + scheduled === 0)
  })

/**
 * Archives that nobody may fetch any more, and those that nobody finishes. The row goes after its archive, so nothing is left in the
 * store; it is over before that, so whoever still writes one deletes it.
 */
export const dropArchives = defineJob({
  name: 'operator.drop-archives',
  on: 'control',
  payload: Type.Object({}),
  cron: '41 * * * *',
  async run(_payload, { db, services: { storage }, signal }) {
    for (const businessId of await listExporting(db)) await transaction(db, (tx) => giveUpLost(tx, businessId))
    const expired = await listExpiredExports(db)
    if (!storage && expired.length > 0)
      throw new Error('MEDIA_STORAGE names no store that archives could be deleted from')
    for (const { businessId, id } of expired) {
      if (signal.aborted) return
      await noteExport(db, businessId, id, { status: 'FAILED' })
      await storage?.delete([keyOf(businessId, id)])
      await forgetExport(db, businessId, id)
    }
  },
})

export async function startExport(
  { control, cells, storage }: ExportContext,
  businessId: string,
  { withFiles = false }: Static<typeof BusinessExportBody>,
  actor: Actor,
): Promise<Static<typeof OperatorExport>> {
  if (!storage) throw storageNotConfigured()
  const business = await findBusiness(control, businessId)
  if (!business) throw businessNotFound()
  if (!cells.has(business.cell)) throw cellNotAnswering({ cell: business.cell })
  const made = await transaction(control, async (tx) => {
    const ask = () => askForExport(tx, businessId, { hasFiles: withFiles, actor })
    const asked = (await ask()) ?? ((await giveUpLost(tx, businessId)) ? await ask() : undefined)
    if ((await readMarks(tx, businessId))?.importOf) throw notWhole()
    if (asked) await enqueue(tx, makeArchive(), { businessId, exportId: asked.id })
    return asked
  })
  if (!made) throw exportUnderWay()
  return presentExport(made)
}

export async function readExports(
  { control, storage }: ExportContext,
  businessId: string,
): Promise<{ items: Static<typeof OperatorExport>[]; isPossible: boolean }> {
  if (!(await findBusiness(control, businessId))) throw businessNotFound()
  return { items: (await listExports(control, businessId)).map(presentExport), isPossible: storage !== undefined }
}

/** An address from which whoever has it fetches the archive for some minutes. Written down: it is who got the data. */
export async function linkExport(
  { control, storage }: ExportContext,
  { id: businessId, exportId }: { id: string; exportId: string },
  actor: Actor,
): Promise<{ url: string; expiresAt: number }> {
  if (!storage) throw storageNotConfigured()
  const business = await findBusiness(control, businessId)
  if (!business) throw businessNotFound()
  const found = await findExport(control, businessId, exportId)
  if (!found) throw exportNotFound()
  if (found.status === 'FAILED') throw exportFailed()
  if (found.status !== 'READY') throw exportNotReady()
  const expiresAt = new Date(Math.min(nowMs() + LINK_MS, found.expiresAt.getTime()))
  const fileName = `${business.slug}-${found.createdAt.toISOString().slice(0, 10)}.tar`
  const url = await storage.presignGet(keyOf(businessId, exportId), { fileName }, expiresAt)
  await transaction(control, (tx) =>
    auditOperator(tx, {
      businessId,
      action: 'business.export-fetched',
      subject: businessId,
      actor,
      data: { exportId },
    }),
  )
  return { url, expiresAt: toSeconds(expiresAt) }
}

const presentExport = (row: BusinessExport): Static<typeof OperatorExport> => ({
  id: row.id,
  status: row.status,
  withFiles: row.hasFiles,
  rows: row.rows,
  size: row.bytes,
  createdAt: toSeconds(row.createdAt),
  finishedAt: row.finishedAt && toSeconds(row.finishedAt),
  expiresAt: toSeconds(row.expiresAt),
})
