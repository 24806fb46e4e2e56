import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { lockProducts, readLocked } from './lock-products.ts'
import { writeProducts } from './write-products.ts'

const BATCH = 200

/**
 * Rebuilds documents, search terms and spellings from the rows, after a change of how they are made. Reads, writes and
 * checkouts go on meanwhile. Idempotent, also after a crash.
 */
export async function rebuildProducts(
  db: Db,
  { businessId, progress }: { businessId?: string | undefined; progress?: (done: number) => void } = {},
): Promise<number> {
  let done = 0
  for (let last = { businessId: businessId ?? '', id: '' }; ; ) {
    const rows = await nextProducts(db, last, businessId)
    for (const [owner, products] of Map.groupBy(rows, (row) => row.businessId)) {
      await rebuildBatch(
        db,
        owner,
        products.map(({ id }) => id),
      )
    }
    const end = rows.at(-1)
    if (!end) return done
    last = end
    done += rows.length
    progress?.(done)
  }
}

async function nextProducts(db: Db, last: { businessId: string; id: string }, only: string | undefined) {
  const { rows } = await sql<{ businessId: string; id: string }>`
    select business_id, id
      from catalog.products
     where (business_id, id) > (${last.businessId}, ${last.id}) and status <> 'DELETED'
           ${only === undefined ? sql`` : sql`and business_id = ${only}`}
     order by business_id, id
     limit ${BATCH}`.execute(db)
  return rows
}

const rebuildBatch = (db: Db, businessId: string, ids: string[]) =>
  transaction(db, async (tx) => {
    await lockProducts(tx, businessId, ids)
    const found = await readLocked(tx, businessId, ids, { lockStock: false })
    if (found.length === 0) return
    await writeProducts(
      tx,
      businessId,
      found.map(({ product }) => ({ product, before: undefined })),
      { isRebuild: true },
    )
  })
