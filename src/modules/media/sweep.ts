import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { eachAlone } from '#platform/jobs/each-alone.ts'
import { isHere } from '#platform/moves/fence.ts'
import { removeFile } from './delete-file.ts'
import { mediaDeleted } from './events.ts'
import type { FileRow } from './file.ts'
import { deleteLeftovers } from './leftovers.ts'
import { freeRoom } from './quota.ts'

const HOUR_MS = 3_600_000
/** A rejected file says why for a week. */
const KEPT_MS = { PENDING: 24 * HOUR_MS, REJECTED: 7 * 24 * HOUR_MS }
/** What is below `incoming/` for longer belongs to nobody: an upload is read or ended within a day. */
const INCOMING_MS = 48 * HOUR_MS
const BATCH = 100
/**
 * For each of its two parts. What is left then is done in the next minute: a run that took longer would have the next one beside it,
 * and soon all places of the queue would sweep.
 */
const RUN_MS = 20_000

/** Ends uploads that nobody completed, forgets rejected ones, and deletes from the store what is left of files. */
export const sweepMedia = defineJob({
  name: 'media.sweep',
  on: 'cell',
  payload: Type.Object({}),
  cron: '* * * * *',
  async run(_payload, { db, services: { storage }, signal, log }) {
    const isOver = overIn(RUN_MS, signal)
    for (const status of ['PENDING', 'REJECTED'] as const) await endAll(db, status, log, isOver)
    await fault('media.ended')
    if (storage) await deleteLeftovers(db, storage, log, overIn(RUN_MS, signal))
  },
})

function overIn(ms: number, signal: AbortSignal): () => boolean {
  const end = nowMs() + ms
  return () => signal.aborted || nowMs() > end
}

type Ending = Pick<FileRow, 'businessId' | 'id'> & { position: string }

/** A failure is retried in the next sweep and does not stop the others. */
async function endAll(
  db: Db,
  status: keyof typeof KEPT_MS,
  log: Pick<FastifyBaseLogger, 'error'>,
  isOver: () => boolean,
): Promise<void> {
  for (let after: Ending | undefined; !isOver(); ) {
    const rows = await listToEnd(db, status, after)
    await eachAlone(rows, { log, failed: 'upload not ended, retrying' }, ({ businessId, id }) =>
      end(db, businessId, id),
    )
    if (rows.length < BATCH) return
    after = rows.at(-1)
  }
}

async function listToEnd(db: Db, status: keyof typeof KEPT_MS, after: Ending | undefined): Promise<Ending[]> {
  const { rows } = await sql<Ending>`
    select business_id, id, updated_at::text as position
      from media.files
     where status = ${status} and status in ('PENDING', 'REJECTED') and updated_at < ${new Date(nowMs() - KEPT_MS[status])}
       and (updated_at, business_id, id) > (${after?.position ?? '-infinity'}::timestamptz, ${after?.businessId ?? ''}, ${after?.id ?? ''})
       and ${isHere('business_id')}
     order by updated_at, business_id, id
     limit ${BATCH}`.execute(db)
  return rows
}

const end = (db: Db, businessId: string, id: string) =>
  transaction(db, async (tx) => {
    const row = (await tx
      .selectFrom('media.files')
      .selectAll()
      .where((file) => file.and({ businessId, id }))
      .where('status', 'in', ['PENDING', 'REJECTED'])
      .forUpdate()
      .executeTakeFirst()) as FileRow | undefined
    if (!row) return // completed or deleted meanwhile
    await removeFile(tx, row)
    await record(tx, mediaDeleted({ businessId, subject: id }))
    if (row.status === 'PENDING') await freeRoom(tx, businessId, row.size)
    await fault('media.before-ended')
  })

/** Uploads that no row leads to any more, whatever the reason. Of the whole store, so once, not for each cell. */
export const sweepIncoming = defineJob({
  name: 'media.sweep-incoming',
  on: 'control',
  payload: Type.Object({}),
  cron: '37 3 * * *',
  async run(_payload, { services: { storage }, signal }) {
    if (!storage) return
    let keys: string[] = []
    for await (const { key, changedAt } of storage.list('incoming/')) {
      if (signal.aborted) return
      if (nowMs() - changedAt.getTime() > INCOMING_MS) keys.push(key)
      if (keys.length < BATCH) continue
      await storage.delete(keys)
      keys = []
    }
    if (keys.length > 0) await storage.delete(keys)
  },
})
