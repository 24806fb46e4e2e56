import type { Db } from '#platform/database/database.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { stocktakeNotFound } from '../errors.ts'
import type { Stocktake, StocktakeItem, StocktakeSummary } from './schemas.ts'

const SUMMARY = ['id', 'reason', 'userId', 'variants', 'changed', 'delta', 'createdAt'] as const

type Row = Omit<StocktakeSummary, 'createdAt'> & { createdAt: Date }

const present = ({ id, reason, userId, variants, changed, delta, createdAt }: Row): StocktakeSummary => ({
  id,
  reason,
  userId,
  variants,
  changed,
  delta,
  createdAt: toSeconds(createdAt),
})

/** Newest first. */
export async function listStocktakes(
  db: Db,
  businessId: string,
  { limit = 20, cursor }: PageOnly,
): Promise<Page<StocktakeSummary>> {
  const filters = { list: 'stocktakes', businessId }
  const after = decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined
  const rows = await db
    .selectFrom('catalog.stocktakes')
    .select(SUMMARY)
    .where('businessId', '=', businessId)
    .$if(after !== undefined, (query) => query.where('id', '<', after as string))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, filters, ({ id }) => [id], present)
}

export async function getStocktake(db: Db, businessId: string, id: string): Promise<Stocktake> {
  const row = await db
    .selectFrom('catalog.stocktakes')
    .select([...SUMMARY, 'items'])
    .where((stocktake) => stocktake.and({ businessId, id }))
    .executeTakeFirst()
  if (!row) throw stocktakeNotFound()
  return { ...present(row), items: row.items as unknown as StocktakeItem[] }
}
