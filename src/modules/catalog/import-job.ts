import { Type } from 'typebox'
import { findBusiness } from '#modules/access/index.ts'
import { nowMs } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { Id } from '#vocabulary/schemas.ts'
import { importBatch } from './import-products.ts'
import { catalogResolvers } from './resolvers.ts'

/** Short enough for a worker that is told to stop, and for others to get their turn. */
const RUN_MS = 10_000

/** Imports what waits, batch by batch; after some seconds it hands over to a job of its own kind, and goes on there. */
export const importProducts = defineJob({
  name: 'catalog.import-products',
  on: 'cell',
  payload: Type.Object({ businessId: Id, importId: Id }),
  async run({ businessId, importId }, { db, control, log, fence, signal }) {
    const business = await findBusiness(control, businessId)
    if (!business) return
    const context = { business, importId, resolvers: catalogResolvers(control), fence }
    const end = nowMs() + RUN_MS
    while (nowMs() < end && !signal.aborted) {
      const progress = await importBatch(db, context)
      if (progress?.status !== 'RUNNING') return log.info({ businessId, ...progress, importId }, 'import finished')
    }
    await transaction(db, async (tx) => {
      await fence(tx)
      await enqueue(tx, importProducts, { businessId, importId })
    })
  },
})
