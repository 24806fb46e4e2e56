import { kontor } from '../../api/client.ts'
import { keyOf, type Level } from '../level.ts'
import { findKept, keepLevels } from './store.ts'

const PER_PAGE = 100
/** So many variants are kept for places without a line. */
const MOST_KEPT = 2_000
const MOST_PRODUCTS = 100

/** All pages of one question. */
async function readAll(businessId: string, query: { productId?: string[] }, most: number): Promise<Level[]> {
  const levels: Level[] = []
  let cursor: string | null = ''
  while (cursor !== null && levels.length < most) {
    const asked = { limit: PER_PAGE, ...query, ...(cursor && { cursor }) }
    const page: { items: Level[]; cursor: string | null } = await kontor.operations.listStock({
      path: { businessId },
      query: asked,
    })
    levels.push(...page.items)
    cursor = page.cursor
  }
  return levels
}

/** Reads the stock ahead, and keeps it. Returns how many variants are known. */
export async function readAheadOf(businessId: string): Promise<number> {
  const levels = await readAll(businessId, {}, MOST_KEPT)
  await keepLevels(businessId, levels)
  return levels.length
}

/** The stock of these products as it is now, by `keyOf`. */
export async function readFresh(businessId: string, productIds: readonly string[]): Promise<Map<string, Level>> {
  const ids = [...new Set(productIds)]
  const levels: Level[] = []
  for (let at = 0; at < ids.length; at += MOST_PRODUCTS)
    levels.push(
      ...(await readAll(businessId, { productId: ids.slice(at, at + MOST_PRODUCTS) }, Number.POSITIVE_INFINITY)),
    )
  return new Map(levels.map((level) => [keyOf(level), level]))
}

/** Longer than this a person with a scanner does not wait: then what is kept has to do. */
const PATIENCE_MS = 4_000

/** What a scanned or typed text means. Undefined: nobody can be asked, and it is not kept. */
export async function lookUp(businessId: string, text: string): Promise<Level[] | undefined> {
  const exact = (levels: readonly Level[]) => levels.filter(({ sku }) => sku.toLowerCase() === text.toLowerCase())
  try {
    if (!navigator.onLine) throw new Error('There is no line.')
    const asked = { path: { businessId }, query: { query: text, limit: 20 } }
    const { items } = await kontor.operations.listStock(asked, { timeoutMs: PATIENCE_MS })
    await keepLevels(businessId, items).catch(() => {})
    const same = exact(items)
    return same.length > 0 ? same : items
  } catch {
    const kept = await findKept(businessId, text).catch(() => [])
    return kept.length > 0 ? kept : undefined
  }
}
