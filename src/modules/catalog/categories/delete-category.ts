import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import { categoryDeleted } from '../events.ts'
import { type Editor, writeUsages } from './create-category.ts'
import { categoryHasChildren, categoryInUse } from './errors.ts'
import { getCategory } from './queries.ts'
import { hasChildren, isNamedByProducts, lockCategory, lockTree } from './tree.ts'

export async function deleteCategory(
  tx: Tx,
  { business, actor }: Editor,
  id: string,
  expected: Expected,
): Promise<void> {
  await lockTree(tx, business.id)
  const category = await getCategory(tx, business.id, id)
  const { slug, version } = category
  checkExpected(expected, etagOf(version))
  if (await hasChildren(tx, business.id, id)) throw categoryHasChildren()
  await lockCategory(tx, business.id, id)
  if (await isNamedByProducts(tx, business.id, slug)) throw categoryInUse({ slug })
  await tx
    .deleteFrom('catalog.categorySlugs')
    .where((row) => row.and({ businessId: business.id, categoryId: id }))
    .execute()
  await tx
    .deleteFrom('catalog.categories')
    .where((row) => row.and({ businessId: business.id, id }))
    .execute()
  await writeUsages(tx, { ...category, image: null }, category)
  await record(tx, categoryDeleted({ businessId: business.id, subject: id, actor }))
}
