import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Db } from '#platform/database/database.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { isHere } from '#platform/moves/fence.ts'
import { rebuildBatch } from './rebuild.ts'

const BATCH = 200

/** Makes what is derived from a product, where an older version of this service wrote it without. */
export const fillDocuments = defineJob({
  name: 'catalog.fill-documents',
  on: 'cell',
  payload: Type.Object({}),
  cron: '* * * * *',
  async run(_payload, { db, signal }) {
    while (!signal.aborted) if ((await fillBatch(db)) < BATCH) return
  },
})

async function fillBatch(db: Db): Promise<number> {
  const { rows } = await sql<{ businessId: string; id: string }>`
    select business_id, id
      from catalog.products
     where public_document is null and status <> 'DELETED' and ${isHere('business_id')}
     order by business_id, id
     limit ${BATCH}`.execute(db)
  for (const [businessId, products] of Map.groupBy(rows, (row) => row.businessId))
    await rebuildBatch(
      db,
      businessId,
      products.map(({ id }) => id),
    )
  return rows.length
}
