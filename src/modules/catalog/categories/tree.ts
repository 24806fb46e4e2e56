import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'
import { PRODUCT_STATUSES } from '../schemas.ts'
import type { Category } from './category.ts'
import * as refusal from './errors.ts'
import { MAX_CATEGORIES, MAX_DEPTH } from './schemas.ts'

/**
 * Changes of the categories of a business come one after another: two moves at once could make a circle that neither
 * of them sees. What is read in later statements stays true until the transaction ends.
 */
export const lockTree = (tx: Tx, businessId: string) =>
  sql`
    insert into catalog.category_locks (business_id)
    values (${businessId})
        on conflict (business_id) do update set business_id = excluded.business_id`.execute(tx)

/** To rename or delete it: waits for the products that are being put into it, see `holdCategories`. */
export const lockCategory = (tx: Tx, businessId: string, id: string) =>
  sql`select from catalog.categories where business_id = ${businessId} and id = ${id} for update`.execute(tx)

/** Under the lock of the tree. */
export async function checkRoom(tx: Tx, businessId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('catalog.categories')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('businessId', '=', businessId)
    .executeTakeFirstOrThrow()
  if (count >= MAX_CATEGORIES) throw refusal.tooManyCategories()
}

/** Under the lock of the tree: whether the category, with all that is below it, can be below that parent. */
export async function checkPlace(tx: Tx, { businessId, id, parentId }: Category): Promise<void> {
  if (parentId === null) return
  const { rows } = await sql<{ depth: number; isBelow: boolean; height: number }>`
    with recursive above (id, parent_id, level) as (
      select id, parent_id, 1
        from catalog.categories
       where business_id = ${businessId} and id = ${parentId}
       union all
      select parent.id, parent.parent_id, above.level + 1
        from above
        join catalog.categories as parent on parent.business_id = ${businessId} and parent.id = above.parent_id
       where above.level < ${MAX_DEPTH}
    ), below (id, level) as (
      select id, 1
        from catalog.categories
       where business_id = ${businessId} and id = ${id}
       union all
      select child.id, below.level + 1
        from below
        join catalog.categories as child on child.business_id = ${businessId} and child.parent_id = below.id
       where below.level < ${MAX_DEPTH}
    )
    select (select count(*) from above) as depth,
           exists (select from above where id = ${id}) as is_below,
           (select coalesce(max(level), 1) from below) as height`.execute(tx)
  const { depth = 0, isBelow = false, height = 1 } = rows[0] ?? {}
  if (depth === 0) throw refusal.parentNotFound({ parentId })
  if (isBelow) throw refusal.parentIsBelow()
  if (depth + height > MAX_DEPTH) throw refusal.treeTooDeep()
}

/** Under the category's lock, and in a statement of its own: its snapshot must be younger than the lock. */
export async function isNamedByProducts(tx: Tx, businessId: string, slug: string): Promise<boolean> {
  const found = await tx
    .selectFrom('catalog.products')
    .select('id')
    .where('businessId', '=', businessId)
    .where('category', '=', slug)
    .where('status', 'in', PRODUCT_STATUSES) // the index then passes over deleted ones
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export async function hasChildren(tx: Tx, businessId: string, parentId: string): Promise<boolean> {
  const found = await tx
    .selectFrom('catalog.categories')
    .select('id')
    .where((category) => category.and({ businessId, parentId }))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
