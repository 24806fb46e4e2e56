import type { Cell } from '#platform/database/database.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { type CountIncomplete, type FindTroubles, findTasks, type Sees } from './find-tasks.ts'
import { daysOf, quarterOf, type Span, weekBefore } from './periods.ts'
import { readParts, toProduct } from './read-parts.ts'
import { readCells, toRows } from './read-sales.ts'
import type { HomeReport, LowStock } from './schemas.ts'
import type { Asker } from './time-asked.ts'

const MAX_SHOWN = 5
const WEEK_SECONDS = 7 * 86_400
const NOTHING_SOLD = { parts: [] }

/** What other modules know. */
export type HomeOptions = {
  findTroubles: FindTroubles
  countIncompleteImports: CountIncomplete
  findLowStock: (cell: Cell, businessId: string, limit: number) => Promise<LowStock[]>
}

/** Everything is asked at once. */
export async function readHome(cell: Cell, asker: Asker, options: HomeOptions, sees: Sees): Promise<HomeReport> {
  const { businessId, timeZone, at } = asker
  const seconds = toSeconds(at)
  const [today, week] = [seconds, seconds - WEEK_SECONDS].map((from) => daysOf(timeZone, { from, to: seconds + 1 }))
  if (!today || !week) throw new Error('There is a day today')
  const now = { from: today.from, to: quarterOf(at) + 1 }
  const past = { from: weekBefore(timeZone, now.from), to: weekBefore(timeZone, now.to) }
  const spans = { now: week, past: undefined }
  const [sales, selling, needsPerson, lowStock] = await Promise.all([
    readCells(cell, businessId, [now, past], {}),
    sees.sales ? readSelling(cell, businessId, spans) : NOTHING_SOLD,
    findTasks(cell, businessId, at, options, sees),
    sees.stock ? options.findLowStock(cell, businessId, MAX_SHOWN) : [],
  ])
  return {
    today: toRows(sees.sales ? sales.cells : [], [now], [past], true),
    needsPerson,
    selling: selling.parts.slice(0, MAX_SHOWN).map((part) => toProduct(part, spans)),
    lowStock,
    upToEvent: sales.upToEvent,
  }
}

/** In the currency of most orders: amounts of several cannot be ranked together. */
async function readSelling(cell: Cell, businessId: string, spans: { now: Span; past: undefined }) {
  const orders = new Map<string, number>()
  for (const { currency, figures } of (await readCells(cell, businessId, [spans.now], {})).cells)
    orders.set(currency, (orders.get(currency) ?? 0) + figures.orders)
  const [most] = [...orders].toSorted(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1))
  if (!most) return NOTHING_SOLD
  const [currency] = most
  return readParts(cell, { businessId, kind: 'PRODUCT', spans, currency, sort: '-net', limit: MAX_SHOWN })
}
