import { sql } from 'kysely'
import type { CatalogProducts, CatalogStock, CatalogVariants } from '#platform/database/cell-tables.ts'
import type { Tx } from '#platform/database/database.ts'
import {
  CONTENT_FIELDS,
  INVENTORY_FIELDS,
  PRODUCT_FIELDS,
  type Product,
  type splitVariant,
  type Variant,
} from './product.ts'

export type StockRow = { variantId: string; position: number | null; quantity: number; version: number }
export type LockedProduct = { product: Product; removed: Variant[]; stock: StockRow[] }

/** Locks products in the order of their ids, so that two writers of the same products queue instead of deadlocking. */
export const lockProducts = (tx: Tx, businessId: string, ids: readonly string[]) =>
  tx
    .selectFrom('catalog.products')
    .select(['id', 'version'])
    .where('businessId', '=', businessId)
    .where('id', 'in', ids)
    .where('status', '<>', 'DELETED')
    .orderBy('id')
    .forUpdate()
    .execute()

/**
 * Reads locked products with variants and stock; `lockStock` locks the stock rows, too. This is a separate statement
 * after the lock because its snapshot must be newer than the lock.
 */
export async function readLocked(
  tx: Tx,
  businessId: string,
  ids: readonly string[],
  { lockStock }: { lockStock: boolean },
): Promise<LockedProduct[]> {
  const { rows } = await sql<ProductRow>`
    with stock as materialized (
      select * from catalog.stock
       where business_id = ${businessId} and product_id = any (${ids})
       order by product_id, variant_id ${lockStock ? sql`for update` : sql``}
    )
    select ${sql.join(OF_PRODUCT.map((name) => sql.ref(`product.${name}`)))},
           (select coalesce(json_agg(${objectOf('variant', OF_VARIANT)}), '[]')
              from catalog.variants as variant
             where variant.business_id = ${businessId} and variant.product_id = product.id) as variants,
           (select coalesce(json_agg(${objectOf('stock', OF_STOCK)} order by stock.position, stock.variant_id), '[]')
              from stock
             where stock.product_id = product.id) as stock
      from catalog.products as product
     where business_id = ${businessId} and id = any (${ids}) and status <> 'DELETED'
     order by id`.execute(tx)
  return rows.map((row) => toLocked(businessId, row))
}

// A field without a column does not compile.
const OF_PRODUCT: readonly (keyof CatalogProducts)[] = PRODUCT_FIELDS
const OF_VARIANT: readonly (keyof CatalogVariants)[] = CONTENT_FIELDS
const OF_STOCK: readonly (keyof CatalogStock)[] = ['variantId', 'position', ...INVENTORY_FIELDS, 'quantity', 'version']

/** Builds a JSON object of these columns, named in camel case. */
function objectOf(table: string, fields: readonly string[]) {
  const pairs = fields.map((name) => sql`${sql.lit(name)}, ${sql.ref(`${table}.${name}`)}`)
  return sql`json_build_object(${sql.join(pairs)})`
}

type Split = ReturnType<typeof splitVariant>
type Content = Split['content']
type Inventory = StockRow & Split['inventory']
type ProductRow = Omit<Product, 'businessId' | 'variants'> & {
  variants: Content[]
  stock: Inventory[]
}

// Joined in the process: PostgreSQL underestimates the number of variants and picks a nested loop, 500 × 500 for a
// large product.
function toLocked(businessId: string, { variants: contents, stock, id, ...row }: ProductRow): LockedProduct {
  const contentOf = new Map(contents.map((content) => [content.id, content]))
  const toVariant = ({
    variantId,
    position: _position,
    quantity: _quantity,
    version: _version,
    ...inventory
  }: Inventory): Variant[] => {
    const content = contentOf.get(variantId)
    return content ? [{ ...content, ...inventory }] : []
  }
  return {
    product: { id, businessId, ...row, variants: stock.filter(({ position }) => position !== null).flatMap(toVariant) },
    removed: stock.filter(({ position }) => position === null).flatMap(toVariant),
    stock: stock.map(({ variantId, position, quantity, version }) => ({ variantId, position, quantity, version })),
  }
}
