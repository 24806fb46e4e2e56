import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import { categoryUpdated } from '../events.ts'
import type { Category } from './category.ts'
import type { Editor } from './create-category.ts'
import { siblingNotFound } from './errors.ts'
import { placeAt } from './place.ts'
import { getCategory, readSiblings } from './queries.ts'
import type { CategoryMove } from './schemas.ts'
import { checkPlace, lockTree } from './tree.ts'

/** Where it is in that place already, nothing is written: to move it twice is to move it once. */
export async function moveCategory(
  tx: Tx,
  { business, actor }: Editor,
  id: string,
  expected: Expected,
  { parentId, beforeId }: CategoryMove,
): Promise<Category> {
  await lockTree(tx, business.id)
  const before = await getCategory(tx, business.id, id)
  checkExpected(expected, etagOf(before.version))
  if (parentId !== before.parentId) await checkPlace(tx, { ...before, parentId })
  const all = await readSiblings(tx, business.id, parentId)
  const siblings = all.filter((one) => one.id !== id)
  const index = beforeId === null ? siblings.length : siblings.findIndex((one) => one.id === beforeId)
  if (index < 0) throw siblingNotFound({ beforeId: String(beforeId) })
  if (all[index]?.id === id) return before

  const { position, others } = placeAt(siblings, index)
  const at = now()
  const after = { ...before, parentId, position, version: before.version + 1, updatedAt: at }
  const places = [{ id, position }, ...others]
  await sql`
    update catalog.categories
       set parent_id = ${parentId}, position = place.position, version = version + 1, updated_at = ${at}
      from unnest(${places.map((place) => place.id)}::text[], ${places.map((place) => place.position)}::integer[])
           as place (id, position)
     where business_id = ${business.id} and categories.id = place.id`.execute(tx)
  const updated = (subject: string, ...fields: string[]) =>
    categoryUpdated({ businessId: business.id, subject, actor, data: { fields } })
  await record(tx, updated(id, 'parentId', 'position'), ...others.map((one) => updated(one.id, 'position')))
  return after
}
