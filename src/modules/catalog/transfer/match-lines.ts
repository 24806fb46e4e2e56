import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'
import type { Line } from '#platform/transfer/kind.ts'
import { slugFrom } from '../products/change-product.ts'
import type { ProductChanges } from '../schemas.ts'

const skusOf = ({ variants = [] }: ProductChanges) => variants.flatMap(({ sku }) => (sku ? [sku] : []))

export const slugFor = (sent: ProductChanges) =>
  sent.slug ?? (skusOf(sent).length === 0 && sent.name ? slugFrom(sent.name) : undefined)

/**
 * Maps line numbers to product ids: by slug, else by one of the SKUs, else by the slug that the name would give.
 * `taken` ends before the second line that matches the same product, because that line must see the result of the
 * first.
 */
export async function matchLines(tx: Tx, businessId: string, lines: readonly Line<ProductChanges>[]) {
  const { bySlug, bySku } = await findMatches(tx, businessId, {
    slugs: lines.flatMap(({ sent }) => slugFor(sent) ?? []),
    skus: lines.flatMap(({ sent }) => skusOf(sent)),
  })
  const matches = new Map<number, string>()
  const taken: Line<ProductChanges>[] = []
  const seen = new Set<string>()
  for (const line of lines) {
    const slug = slugFor(line.sent)
    const skus = skusOf(line.sent)
    // An explicit slug decides, even for a new product: two products may share a SKU.
    const id = slug === undefined ? skus.map((sku) => bySku.get(sku)).find(Boolean) : bySlug.get(slug)
    const keys = [...(id ? [id] : []), ...(slug ? [`slug:${slug}`] : []), ...skus.map((sku) => `sku:${sku}`)]
    if (keys.some((key) => seen.has(key))) return { taken, matches, leftFrom: line.number }
    for (const key of keys) seen.add(key)
    if (id) matches.set(line.number, id)
    taken.push(line)
  }
  return { taken, matches }
}

export async function findMatches(tx: Tx, businessId: string, { slugs, skus }: { slugs: string[]; skus: string[] }) {
  const { rows } = await sql<{ id: string; slug: string | null; sku: string | null }>`
    select id, slug, null as sku
      from catalog.products
     where business_id = ${businessId} and slug = any (${slugs}) and status <> 'DELETED'
     union all
    select product.id, null, variant.sku
      from catalog.variants as variant
      join catalog.products as product on product.business_id = ${businessId} and product.id = variant.product_id
     where variant.business_id = ${businessId} and variant.sku = any (${skus}) and variant.sku <> ''
       and variant.position is not null and product.status <> 'DELETED'`.execute(tx)
  const of = (key: 'slug' | 'sku') => new Map(rows.flatMap((row) => (row[key] === null ? [] : [[row[key], row.id]])))
  return { bySlug: of('slug'), bySku: of('sku') }
}
