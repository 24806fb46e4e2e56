import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Db } from '#platform/database/database.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { eachBusinessAlone } from '#platform/jobs/each-alone.ts'
import { isHere } from '#platform/moves/fence.ts'
import { rebuildBatch } from './rebuild.ts'

const BATCH = 200

/** Makes what is derived from a product, where an older version of this service wrote it without. */
export const fillDocuments = defineJob({
  name: 'catalog.fill-documents',
  on: 'cell',
  payload: Type.Object({}),
  cron: '* * * * *',
  run: (_payload, { db, log, signal }) =>
    eachBusinessAlone({
      log,
      signal,
      failed: 'products not rebuilt, retrying',
      limit: BATCH,
      list: (except) => listWithout(db, except),
      work: (businessId, ids) => rebuildBatch(db, businessId, ids),
    }),
})

async function listWithout(db: Db, except: readonly string[]): Promise<{ businessId: string; id: string }[]> {
  const { rows } = await sql<{ businessId: string; id: string }>`
    select business_id, id
      from catalog.products
     where public_document is null and status <> 'DELETED' and ${isHere('business_id')}
       and business_id <> all (${[...except]}::text[])
     order by business_id, id
     limit ${BATCH}`.execute(db)
  return rows
}
