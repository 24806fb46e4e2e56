import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import { categoryUpdated } from '../events.ts'
import { type Category, mergeCategory } from './category.ts'
import { type Editor, knownImage, toRow, writeUsages } from './create-category.ts'
import { slugInUse } from './errors.ts'
import { getCategory } from './queries.ts'
import type { CategoryChanges } from './schemas.ts'
import { withFreeSlugs, writeSlugs } from './slugs.ts'
import { checkPlace, isNamedByProducts, lockCategory, lockTree } from './tree.ts'

export async function updateCategory(
  tx: Tx,
  { business, actor, media }: Editor,
  id: string,
  expected: Expected,
  sent: CategoryChanges,
): Promise<Category> {
  await lockTree(tx, business.id)
  const before = await getCategory(tx, business.id, id)
  checkExpected(expected, etagOf(before.version))
  const known = await knownImage(tx, business.id, media, { sent, before })
  const after = mergeCategory(before, sent, { businessId: business.id, at: now(), known })
  if (after.parentId !== before.parentId) await checkPlace(tx, after)
  await withFreeSlugs(tx, after)
  if (after.slug !== before.slug) {
    await lockCategory(tx, business.id, id)
    if (await isNamedByProducts(tx, business.id, before.slug)) throw slugInUse({ slug: before.slug })
  }
  await tx
    .updateTable('catalog.categories')
    .set(toRow(after))
    .where((category) => category.and({ businessId: business.id, id }))
    .execute()
  await writeSlugs(tx, after, before)
  await writeUsages(tx, after, before)
  const data = { fields: Object.keys(sent) }
  await record(tx, categoryUpdated({ businessId: business.id, subject: id, actor, data }))
  return after
}
