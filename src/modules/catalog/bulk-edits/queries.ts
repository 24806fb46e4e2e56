import { sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import { countFitting, fittingRows, isFitting } from '#platform/database/page-bytes.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { type BulkEditRow, presentBulkEdit } from './bulk-edit.ts'
import { bulkEditNotFound } from './errors.ts'
import type { FieldChange } from './field-changes.ts'
import type { BulkEdit, BulkEditItem, ItemQuery, ItemStatus, Warning } from './schemas.ts'

/** Those that nobody has thrown away. */
export const bulkEdits = (db: Db, businessId: string) =>
  db
    .selectFrom('catalog.bulkEdits')
    .selectAll()
    .$castTo<BulkEditRow>()
    .where('businessId', '=', businessId)
    .where('status', '<>', 'DISCARDED')

export const findBulkEdit = (db: Db, businessId: string, id: string): Promise<BulkEditRow | undefined> =>
  bulkEdits(db, businessId).where('id', '=', id).executeTakeFirst()

export async function getBulkEdit(db: Db, businessId: string, id: string): Promise<BulkEditRow> {
  const row = await findBulkEdit(db, businessId, id)
  if (!row) throw bulkEditNotFound()
  return row
}

/** Whoever moves it, or works it off, has it for themselves. Undefined: it is gone. */
export const lockBulkEdit = (tx: Tx, businessId: string, id: string): Promise<BulkEditRow | undefined> =>
  bulkEdits(tx, businessId).where('id', '=', id).forUpdate().executeTakeFirst()

/** Newest first. */
export async function listBulkEdits(
  db: Db,
  businessId: string,
  { limit = 20, cursor }: PageOnly,
): Promise<Page<BulkEdit>> {
  const filters = { list: 'bulk-edits', businessId }
  const after = decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined
  const rows = await bulkEdits(db, businessId)
    .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, filters, ({ id }) => [id], presentBulkEdit)
}

type ItemRow = {
  number: number
  productId: string
  status: ItemStatus
  changes: FieldChange[] | null
  warnings: Warning[]
  details: Detail[] | null
}

/** Those that the dry run has looked at, in the order of the selection, with the names that they have now. */
export async function listItems(
  db: Db,
  businessId: string,
  id: string,
  { limit = 20, cursor, status, warning, warned }: ItemQuery,
): Promise<Page<BulkEditItem>> {
  await getBulkEdit(db, businessId, id)
  const filters = { list: 'bulk-edit-items', businessId, id, status, warning, warned }
  const [after = 0] = (decodeCursor(filters, cursor, ['number']) ?? []) as number[]
  const conditions = [
    status === undefined ? sql`status <> 'SELECTED'` : sql`status = ${status}`,
    ...(warning === undefined ? [] : [sql`warnings <> '{}' and ${warning} = any (warnings)`]),
    ...(warned === undefined ? [] : [warned === 'true' ? sql`warnings <> '{}'` : sql`warnings = '{}'`]),
  ]
  const page = sql`
    select number, product_id, status, changes, warnings, details
      from catalog.bulk_edit_items
     where business_id = ${businessId} and bulk_edit_id = ${id} and number > ${after}::bigint and ${sql.join(conditions, sql` and `)}
     order by number
     limit ${limit + 1}`
  const { rows } = await fittingRows<ItemRow>(page, ['changes'], sql`number`).execute(db)
  const shown = countFitting(rows, limit, isFitting)
  const names = await readNames(db, businessId, rows.slice(0, shown))
  return toPage(
    rows,
    shown,
    filters,
    ({ number }) => [number],
    (row) => presentItem(row, names),
  )
}

type Names = {
  products: ReadonlyMap<string, string>
  variants: ReadonlyMap<string, { name: string; sku: string }>
}

async function readNames(db: Db, businessId: string, items: readonly ItemRow[]): Promise<Names> {
  const ids = items.map(({ productId }) => productId)
  const { rows: products } = await sql<{ id: string; name: string }>`
    select id, name
      from catalog.products
     where business_id = ${businessId} and id = any (${ids}) and status <> 'DELETED'`.execute(db)
  const keys = items.flatMap(({ productId, changes }) =>
    [...new Set(changes?.flatMap(({ variantId }) => variantId ?? []))].map((variantId) => ({ productId, variantId })),
  )
  const { rows: variants } = await sql<{ productId: string; id: string; name: string; sku: string }>`
    select product_id, variants.id, name, sku
      from unnest(${keys.map(({ productId }) => productId)}::text[], ${keys.map(({ variantId }) => variantId)}::text[])
        as wanted (product_id, id)
      join catalog.variants using (product_id, id)
     where business_id = ${businessId}`.execute(db)
  return {
    products: new Map(products.map(({ id, name }) => [id, name])),
    variants: new Map(variants.map(({ productId, id, name, sku }) => [`${productId} ${id}`, { name, sku }])),
  }
}

function presentItem({ productId, status, changes, warnings, details }: ItemRow, names: Names): BulkEditItem {
  return {
    productId,
    name: names.products.get(productId) ?? null,
    changes: (changes ?? []).map(({ field, marketId = null, variantId = null, before, after }) => {
      const variant = names.variants.get(`${productId} ${variantId}`)
      return {
        field,
        marketId,
        variantId,
        variantName: variant?.name ?? null,
        sku: variant?.sku ?? null,
        before,
        after,
      }
    }),
    status,
    warnings,
    details: details ?? [],
  }
}
