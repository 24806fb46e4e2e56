import type { CopyInto } from '#modules/media/index.ts'
import { now } from '#platform/clock.ts'
import { record } from '#platform/events/record.ts'
import { withFreshMedia } from '#vocabulary/blocks.ts'
import { statusOf } from '../collections/collection.ts'
import { entryUpdated } from '../events.ts'
import { ENTRY } from '../queries.ts'
import type { Entry } from './entry.ts'
import { writeEntry } from './write-entry.ts'

/** A file that these entries show has another text or focal point. */
export const copyIntoEntries: CopyInto = async (tx, businessId, ids, readKnown) => {
  const found = await tx
    .selectFrom('content.entries')
    .select(ENTRY)
    .where('businessId', '=', businessId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute()
  const known = await readKnown()
  for (const before of found as Entry[]) {
    const blocks = withFreshMedia(before.blocks, known)
    if (JSON.stringify(blocks) === JSON.stringify(before.blocks)) continue
    const entry = { ...before, blocks, version: before.version + 1, updatedAt: now() }
    await writeEntry(tx, { entry, before, userId: null })
    const data = { owner: entry.owner, status: statusOf(entry) }
    await record(tx, entryUpdated({ businessId, subject: entry.id, data }))
  }
}
