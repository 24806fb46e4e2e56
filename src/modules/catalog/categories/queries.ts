import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { etagOf } from '#platform/http/etag.ts'
import { decodeCursor, toPage } from '#vocabulary/paging.ts'
import { PRODUCT_STATUSES } from '../schemas.ts'
import type { Category } from './category.ts'
import { categoryNotFound } from './errors.ts'
import { type CategoryQuery, type CategoryTree, MAX_DEPTH } from './schemas.ts'

export async function getCategory(db: Db, businessId: string, id: string): Promise<Category> {
  const row = await categories(db, businessId).where('id', '=', id).executeTakeFirst()
  if (!row) throw categoryNotFound()
  return row as Category
}

/** A page of them, newest first, each as `present` shows it. */
export async function listCategories<Shown>(
  db: Db,
  businessId: string,
  { limit = 20, cursor, slug, parentId }: CategoryQuery,
  present: (category: Category) => Shown,
) {
  const filters = { list: 'categories', businessId, parentId, slug }
  const after = decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined
  const parent = parentId === '' ? null : parentId
  const rows = await readCategories(db, businessId, { limit: limit + 1, after, parentId: parent, slug })
  return toPage(rows, limit, filters, ({ id }) => [id], present)
}

type CategoryFilters = {
  limit: number
  /** Goes on after this id. */
  after?: string | undefined
  /** Null: those without a parent. */
  parentId?: string | null | undefined
  /** In any locale. */
  slug?: string | undefined
}

/** Newest first, with all their translations. */
async function readCategories(
  db: Db,
  businessId: string,
  { limit, after, parentId, slug }: CategoryFilters,
): Promise<Category[]> {
  const rows = await categories(db, businessId)
    .$if(parentId === null, (query) => query.where('parentId', 'is', null))
    .$if(typeof parentId === 'string', (query) => query.where('parentId', '=', parentId ?? ''))
    .$if(slug !== undefined, (query) =>
      query.where('id', '=', (from) =>
        from
          .selectFrom('catalog.categorySlugs')
          .select('categoryId')
          .where('businessId', '=', businessId)
          .where('slug', '=', slug ?? ''),
      ),
    )
    .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows as Category[]
}

/** Those right below a parent, or without one, in their order. */
export const readSiblings = (db: Db, businessId: string, parentId: string | null) =>
  db
    .selectFrom('catalog.categories')
    .select(['id', 'position'])
    .where('businessId', '=', businessId)
    .where('parentId', parentId === null ? 'is' : '=', parentId)
    .orderBy('position')
    .orderBy('id')
    .execute()

/** All of them, without their long texts. */
export async function readTree(db: Db, businessId: string): Promise<CategoryTree['items']> {
  type Row = Omit<CategoryTree['items'][number], 'etag'> & { version: number }
  const { rows } = await sql<Row>`
    select category.id, parent_id, position, name, slug, version,
           array(select texts.key
                   from json_each(category.translations) as texts
                  where texts.value ->> 'name' <> '' and texts.value ->> 'slug' <> ''
                  order by texts.key) as locales,
           coalesce(named.products, 0) as products
      from catalog.categories as category
      left join (select category, count(*)::integer as products
                   from catalog.products
                  where business_id = ${businessId} and status = any (${PRODUCT_STATUSES})
                  group by category) as named on named.category = category.slug
     where business_id = ${businessId}
     order by position, category.id`.execute(db)
  return rows.map(({ version, ...row }) => ({ ...row, etag: etagOf(version) }))
}

/** The ids among these that exist. */
export async function findCategoryIds(
  db: Db,
  businessId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('catalog.categories')
    .select('id')
    .where('businessId', '=', businessId)
    .where('id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** What products of a category and of all below it say in their `category`; undefined when there is no such category. */
export async function findDescendantSlugs(
  db: Db,
  businessId: string,
  categoryId: string,
): Promise<string[] | undefined> {
  const { rows } = await sql<{ slug: string }>`
    with recursive ${branchSql(businessId, categoryId)}
    select slug from branch order by level, slug`.execute(db)
  return rows.length > 0 ? rows.map(({ slug }) => slug) : undefined
}

/** `product_id` of all that is in a category, or in one below it, also of what is no longer sold. */
export const categoryProductsSql = (businessId: string, categoryId: string) => sql`
  with recursive ${branchSql(businessId, categoryId)}
  select products.id as product_id
    from branch
    join catalog.products on products.business_id = ${businessId} and products.category = branch.slug`

const branchSql = (businessId: string, categoryId: string) => sql`
  branch (id, slug, level) as (
    select id, slug, 1
      from catalog.categories
     where business_id = ${businessId} and id = ${categoryId}
     union all
    select child.id, child.slug, branch.level + 1
      from branch
      join catalog.categories as child on child.business_id = ${businessId} and child.parent_id = branch.id
     where branch.level < ${MAX_DEPTH}
  )`

const categories = (db: Db, businessId: string) =>
  db.selectFrom('catalog.categories').selectAll().where('businessId', '=', businessId)
