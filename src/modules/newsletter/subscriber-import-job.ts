import { Type } from 'typebox'
import { nowMs } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { Id } from '#vocabulary/schemas.ts'
import { importBatch } from './import-subscribers.ts'
import { dropImport } from './subscriber-imports.ts'

/** Short enough for a worker that is told to stop, and for others to get their turn. */
const RUN_MS = 10_000

/** Imports what waits, batch by batch; after some seconds it hands over to a job of its own kind, and goes on there. */
export const importSubscribers = defineJob({
  name: 'newsletter.import-subscribers',
  on: 'cell',
  payload: Type.Object({ businessId: Id, importId: Id }),
  async run({ businessId, importId }, { db, log, fence, signal }) {
    const end = nowMs() + RUN_MS
    while (nowMs() < end && !signal.aborted) {
      const progress = await importBatch(db, { businessId, importId, fence })
      if (progress?.status !== 'RUNNING') return log.info({ businessId, ...progress, importId }, 'import finished')
    }
    await transaction(db, async (tx) => {
      await fence(tx)
      await enqueue(tx, importSubscribers, { businessId, importId })
    })
  },
})

const KEEP_DAYS = 30
const RECEIVING_HOURS = 2

/** Forgets old imports with their failed lines, and uploads that never ended. */
export const tidySubscriberImports = defineJob({
  name: 'newsletter.tidy-imports',
  on: 'cell',
  payload: Type.Object({}),
  cron: '54 * * * *',
  async run(_payload, { db, signal }) {
    const before = (hours: number) => new Date(nowMs() - hours * 3_600_000)
    const old = await db
      .selectFrom('newsletter.imports')
      .select(['businessId', 'id'])
      .where((row) =>
        row.or([
          row('createdAt', '<', before(KEEP_DAYS * 24)).and('status', '=', 'DONE'),
          row('createdAt', '<', before(RECEIVING_HOURS)).and('status', '=', 'RECEIVING'),
        ]),
      )
      .limit(1_000)
      .execute()
    for (const { businessId, id } of old) {
      if (signal.aborted) return
      await dropImport(db, businessId, id)
    }
  },
})
