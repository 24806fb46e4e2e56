import { type HoldMedia, knownMedia, usageWrites } from '#modules/media/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { write } from '#platform/database/write.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { mediaIdsOf } from '#vocabulary/media.ts'
import { categoryCreated } from '../events.ts'
import { type Category, mergeCategory } from './category.ts'
import type { CategoryChanges, NewCategory } from './schemas.ts'
import { withFreeSlugs, writeSlugs } from './slugs.ts'
import { checkPlace, checkRoom, lockTree } from './tree.ts'

export type Editor = { business: { id: string }; actor: Actor; media?: HoldMedia | undefined }

export async function createCategory(tx: Tx, { business, actor, media }: Editor, sent: NewCategory): Promise<Category> {
  await lockTree(tx, business.id)
  const known = await knownImage(tx, business.id, media, { sent, before: undefined })
  const merged = mergeCategory(undefined, sent, { businessId: business.id, at: now(), known })
  await checkRoom(tx, business.id)
  await checkPlace(tx, merged)
  const category = await withFreeSlugs(tx, merged)
  await tx.insertInto('catalog.categories').values(toRow(category)).execute()
  await writeSlugs(tx, category)
  await writeUsages(tx, category)
  await record(tx, categoryCreated({ businessId: business.id, subject: category.id, actor }))
  return category
}

/** The files that its image may name. */
export const knownImage = (
  tx: Tx,
  businessId: string,
  media: HoldMedia | undefined,
  { sent, before }: { sent: CategoryChanges; before: Category | undefined },
) => knownMedia(tx, businessId, media, { sent: mediaIdsOf([sent.image]), stored: before?.image ? [before.image] : [] })

export function writeUsages(tx: Tx, { businessId, id, image }: Category, before?: Category): Promise<void> {
  const showing = { recordId: id, before: mediaIdsOf([before?.image]), after: mediaIdsOf([image]) }
  return write(tx, ...usageWrites(businessId, 'CATEGORY', [showing]))
}

export const toRow = ({ image, seo, translations, ...row }: Category) => ({
  ...row,
  image: image && JSON.stringify(image),
  seo: JSON.stringify(seo),
  translations: JSON.stringify(translations),
})
