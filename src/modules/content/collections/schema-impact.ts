import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { checkSchemaBlocks, type NewBlock } from '#vocabulary/blocks.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { collectionNotFound } from '../errors.ts'
import { findCollection } from '../queries.ts'
import { BATCH, type CheckedEntry, findAllMistakes, isTaken } from './check-entries.ts'
import { toSchema } from './schema-cache.ts'

const MAX_FOUND = 200
/** A person waits for the answer. What was not looked at by then is not in it. */
const BUDGET_MS = 2_000

type Impact = { items: { entryId: string; details: Detail[] }[]; checked: number; isComplete: boolean }

/**
 * The entries that fit the schema of today and would not fit this one, PUBLISHED ones and the newest first. Changes
 * nothing.
 */
export async function findImpact(
  db: Db,
  businessId: string,
  collectionId: string,
  blocks: readonly NewBlock[],
): Promise<Impact> {
  const collection = await findCollection(db, businessId, collectionId)
  if (!collection) throw collectionNotFound()
  const schema = toSchema({ ...collection, blocks: checkSchemaBlocks(blocks) })
  const until = performance.now() + BUDGET_MS
  const impact: Impact = { items: [], checked: 0, isComplete: false }
  let last: Pick<Read, 'id' | 'status'> | undefined
  do {
    const rows = await readBatch(db, businessId, collectionId, last)
    const shown = rows.filter(({ isTaken }) => isTaken)
    const mistakes = await findAllMistakes(schema, shown)
    for (const [index, { id: entryId }] of shown.entries()) {
      if (impact.items.length === MAX_FOUND) return impact
      impact.checked++
      const details = mistakes[index] ?? []
      if (details.length > 0) impact.items.push({ entryId, details })
    }
    if (shown.length === rows.length) return { ...impact, isComplete: true }
    last = shown.at(-1)
  } while (performance.now() < until)
  return impact
}

type Read = CheckedEntry & { isTaken: boolean }

/** One row more than is taken says that there are more. */
async function readBatch(
  db: Db,
  businessId: string,
  collectionId: string,
  after: Pick<Read, 'id' | 'status'> | undefined,
): Promise<Read[]> {
  const { rows } = await sql<Read>`
    with next as (
      select status, id, ${isTaken(sql`status desc, id desc`, BATCH)} as is_taken
        from (select status, id, document
                from content.entries
               where business_id = ${businessId} and collection_id = ${collectionId} and not stale
                 and (status, id) < (${after?.status ?? '~'}, ${after?.id ?? '~'})
               order by status desc, id desc
               limit ${BATCH + 1}) as entry
    )
    select next.id, next.status, blocks, publish_at, is_taken
      from next
      left join content.entries as entry on is_taken and entry.business_id = ${businessId} and entry.id = next.id
     order by next.status desc, next.id desc`.execute(db)
  return rows
}
