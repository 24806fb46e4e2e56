import type { Cell } from '#platform/database/database.ts'
import { createListReader } from './queries.ts'

type Found = {
  id: string
  name: string
  slug: string
  statuses: { status: string }[]
  variants: { sku: string }[]
}

/** A few products with these words, the best first, in short. */
export function createProductSearch() {
  const listProducts = createListReader()
  return async (
    db: Cell,
    { businessId, query, limit }: { businessId: string; query: string; limit: number },
    seesAll: boolean,
  ) => {
    const page = JSON.parse(await listProducts(db, businessId, { query, limit }, { seesAll })) as { items: Found[] }
    return page.items.map(({ id, name, slug, statuses, variants }) => ({
      id,
      name,
      slug,
      status: statuses.at(-1)?.status ?? 'ACTIVE',
      sku: variants[0]?.sku || null,
    }))
  }
}
