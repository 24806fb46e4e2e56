import { Type } from 'typebox'
import type { Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { defineJob } from '#platform/jobs/define.ts'
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

/** After the text or focal point of a file has changed: copies it into the records that show it. */
export const copyAgain = (copiers = NOBODY) =>
  defineJob({
    name: 'media.copy-again',
    on: 'cell',
    payload: Type.Object({ businessId: Id, mediaId: Id }),
    async run({ businessId, mediaId }, { db, control, services: { storage }, signal }) {
      if (!storage) throw new Error('MEDIA_STORAGE is not set here, but there are files')
      const hold = createHoldMedia(storage.publicUrl)
      let after = { kind: '', recordId: '' }
      while (!signal.aborted) {
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
    },
  })
