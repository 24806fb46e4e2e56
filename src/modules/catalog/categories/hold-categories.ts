import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'

type Named = { category: string }

/** The categories that these products newly name. */
export const newCategories = (written: readonly { product: Named; before: Named | undefined }[]): string[] => [
  ...new Set(
    written.flatMap(({ product: { category }, before }) =>
      category === '' || category === before?.category ? [] : [category],
    ),
  ),
]

/** Returns those of the categories that do not exist. */
export async function findMissing(tx: Tx, businessId: string, slugs: readonly string[]): Promise<Set<string>> {
  if (slugs.length === 0) return new Set()
  const { rows } = await sql<{ slug: string }>`
    select slug from catalog.categories where business_id = ${businessId} and slug = any (${slugs})`.execute(tx)
  const known = new Set(rows.map(({ slug }) => slug))
  return new Set(slugs.filter((slug) => !known.has(slug)))
}

/**
 * Keeps these categories from being renamed or deleted until the transaction ends: asked for before products are
 * written that name them. Products hold them together; only who renames or deletes one waits, and then finds the
 * products. Who comes while one is renamed waits here, and then names a category that is no more, as any product may.
 */
export async function holdCategories(tx: Tx, businessId: string, slugs: readonly string[]): Promise<void> {
  if (slugs.length === 0) return
  await sql`
    select
      from catalog.categories
     where business_id = ${businessId} and slug = any (${slugs})
     order by slug
       for key share`.execute(tx)
}
