import { sql } from 'kysely'
import type { CopyInto } from '#modules/media/index.ts'
import { now } from '#platform/clock.ts'
import { record } from '#platform/events/record.ts'
import { type Media, withFresh } from '#vocabulary/media.ts'
import { categoryUpdated } from '../events.ts'
import { lockTree } from './tree.ts'

/** A file that these categories show has another text or focal point. */
export const copyIntoCategories: CopyInto = async (tx, businessId, ids, readKnown) => {
  await lockTree(tx, businessId)
  const found = await tx
    .selectFrom('catalog.categories')
    .select(['id', 'image'])
    .where('businessId', '=', businessId)
    .where('id', 'in', ids)
    .execute()
  const known = await readKnown()
  const changed = found.flatMap(({ id, image }) => {
    const [before, after] = [JSON.stringify(image), image ? JSON.stringify(withFresh(image as Media, known)) : '']
    return image && before !== after ? [{ id, image: after }] : []
  })
  if (changed.length === 0) return
  await sql`
    update catalog.categories
       set image = fresh.image::json, version = version + 1, updated_at = ${now()}
      from unnest(${changed.map(({ id }) => id)}::text[], ${changed.map(({ image }) => image)}::text[]) as fresh (id, image)
     where business_id = ${businessId} and categories.id = fresh.id`.execute(tx)
  const data = { fields: ['image'] }
  await record(tx, ...changed.map(({ id }) => categoryUpdated({ businessId, subject: id, data })))
}
