import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { categoryCreated } from '../events.ts'
import { type Category, mergeCategory } from './category.ts'
import type { NewCategory } from './schemas.ts'
import { withFreeSlugs, writeSlugs } from './slugs.ts'
import { checkPlace, checkRoom, lockTree } from './tree.ts'

export type Editor = { business: { id: string }; actor: Actor }

export async function createCategory(tx: Tx, { business, actor }: Editor, sent: NewCategory): Promise<Category> {
  const merged = mergeCategory(undefined, sent, { businessId: business.id, at: now() })
  await lockTree(tx, business.id)
  await checkRoom(tx, business.id)
  await checkPlace(tx, merged)
  const category = await withFreeSlugs(tx, merged)
  await tx.insertInto('catalog.categories').values(toRow(category)).execute()
  await writeSlugs(tx, category)
  await record(tx, categoryCreated({ businessId: business.id, subject: category.id, actor }))
  return category
}

export const toRow = ({ image, seo, translations, ...row }: Category) => ({
  ...row,
  image: image && JSON.stringify(image),
  seo: JSON.stringify(seo),
  translations: JSON.stringify(translations),
})
