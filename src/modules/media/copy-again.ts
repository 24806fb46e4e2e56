import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { nowMs } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import type { KnownMedia } from '#vocabulary/media.ts'
import { Id } from '#vocabulary/schemas.ts'
import { createHoldMedia } from './hold-media.ts'
import { copyIntoLogos } from './logo.ts'
import type { UsageKind } from './schemas.ts'
import { readUsages } from './usages.ts'

const BATCH = 100

/**
 * Writes records of one kind anew with what is known of a file now; those that say it already stay as they are. It
 * locks the records first and calls `readKnown` then, in the order of every other writer.
 */
export type CopyInto = (
  tx: Tx,
  businessId: string,
  recordIds: readonly string[],
  readKnown: () => Promise<KnownMedia>,
) => Promise<void>
/** The logo of a business is in control, and goes another way. */
export type Copiers = Record<Exclude<UsageKind, 'BUSINESS'>, CopyInto>

const untold = (): never => {
  throw new Error('This job is run by the worker only, which knows how records are written')
}
const NOBODY: Copiers = { PRODUCT: untold, CATEGORY: untold, ENTRY: untold }

/** How long one run of the job may take: short enough for a graceful stop, and for other jobs to get their turn. */
const RUN_MS = 10_000

const Payload = Type.Object({
  businessId: Id,
  mediaId: Id,
  /** Where an earlier run has handed over, and what it has copied until then. */
  from: Type.Optional(Type.Object({ kind: Type.String(), recordId: Id, copied: Type.String() })),
})

const printOf = (known: KnownMedia, mediaId: string) =>
  createHash('sha256')
    .update(JSON.stringify(known.get(mediaId) ?? null))
    .digest('base64url')

/** After the text or focal point of a file has changed: copies it into the records that show it. */
export const copyAgain = (copiers = NOBODY) =>
  defineJob({
    name: 'media.copy-again',
    on: 'cell',
    payload: Payload,
    async run({ businessId, mediaId, from }, { db, control, services: { storage }, fence, signal }) {
      if (!storage) throw new Error('MEDIA_STORAGE is not set here, but there are files')
      const hold = createHoldMedia(storage.publicUrl)
      const print = async (tx: Tx) => printOf(await hold(tx, businessId, [mediaId]), mediaId)
      const copied = from?.copied ?? (await transaction(db, print))
      const end = nowMs() + RUN_MS
      let after = { kind: from?.kind ?? '', recordId: from?.recordId ?? '' }
      while (nowMs() < end && !signal.aborted) {
        const rows = await readUsages(db, { businessId, mediaId }, after, BATCH)
        for (const [kind, usages] of Map.groupBy(rows, (row) => row.kind)) {
          const ids = usages.map(({ recordId }) => recordId)
          if (kind === 'BUSINESS') await copyIntoLogos({ db, control, hold }, { businessId, mediaId }, ids)
          else await transaction(db, (tx) => copiers[kind](tx, businessId, ids, () => hold(tx, businessId, [mediaId])))
          await fault('media.copied')
        }
        const last = rows.at(-1)
        if (!last || rows.length < BATCH) return
        after = last
      }
      await transaction(db, async (tx) => {
        await fence(tx)
        // Changed once more: the job of that change begins at the first record.
        if ((await print(tx)) !== copied) return
        await enqueue(tx, copyAgain(), { businessId, mediaId, from: { ...after, copied } })
      })
    },
  })
