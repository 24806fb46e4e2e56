import type { Tx } from '#platform/database/database.ts'
import { deletion, insertion, write } from '#platform/database/write.ts'
import { slugOf } from '#vocabulary/slugs.ts'
import { type Category, slugsOf } from './category.ts'
import { categorySlugExists } from './errors.ts'

/** Under the lock of the tree: those of these slugs that lead to another category. */
async function findTaken(tx: Tx, { businessId, id }: Category, slugs: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('catalog.categorySlugs')
    .select('slug')
    .where('businessId', '=', businessId)
    .where('slug', 'in', slugs)
    .where('categoryId', '<>', id)
    .execute()
  return new Set(rows.map(({ slug }) => slug))
}

/** Slugs that were sent must be free. Without one the category gets that of its name, with a suffix if it is taken. */
export async function withFreeSlugs(tx: Tx, category: Category): Promise<Category> {
  const made = slugOf(category.name, 'category')
  const sent = slugsOf(category)
  const taken = await findTaken(tx, category, [...sent.keys(), made])
  for (const [slug, field] of sent) if (taken.has(slug)) throw categorySlugExists({ field, slug })
  if (category.slug !== '') return category
  return { ...category, slug: taken.has(made) ? `${made}-${category.id.slice(-6)}` : made }
}

/** Writes what has changed of the slugs that lead to the category. */
export async function writeSlugs(tx: Tx, after: Category, before?: Category): Promise<void> {
  const { businessId, id: categoryId } = after
  const known = before ? slugsOf(before) : new Map<string, string>()
  const slugs = slugsOf(after)
  const rowsOf = (these: Map<string, string>, others: Map<string, string>) =>
    [...these.keys()].filter((slug) => !others.has(slug)).map((slug) => ({ businessId, slug, categoryId }))
  await write(
    tx,
    deletion('catalog.categorySlugs', rowsOf(known, slugs)),
    insertion('catalog.categorySlugs', rowsOf(slugs, known)),
  )
}
