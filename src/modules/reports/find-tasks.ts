import { countStoppedSends } from '#modules/newsletter/index.ts'
import { countToShip, findUnpaid, TO_SHIP_QUERY } from '#modules/orders/index.ts'
import type { Cell } from '#platform/database/database.ts'
import type { Task } from './schemas.ts'

const MAX_COUNTED = 1_000
/** As many as the list of orders takes. */
const MAX_NAMED = 100
const TROUBLES_MS = 30 * 86_400_000
const IMPORTS_MS = 7 * 86_400_000

/** Orders whose payment waits for a person; handed in, because payments know it. */
export type FindTroubles = (
  cell: Cell,
  businessId: string,
  since: Date,
  limit: number,
) => Promise<{ wrong: string[]; refundsFailed: string[] }>

/** Files of products of which lines were left out; handed in, because the catalog knows it. */
export type CountIncomplete = (cell: Cell, businessId: string, since: Date, most: number) => Promise<number>

export type Sees = { sales: boolean; stock: boolean; sends: boolean }
type Finders = { findTroubles: FindTroubles; countIncompleteImports: CountIncomplete }

/** What waits for a person, of what they may see, the most urgent first. */
export async function findTasks(
  cell: Cell,
  businessId: string,
  at: Date,
  { findTroubles, countIncompleteImports }: Finders,
  sees: Sees,
): Promise<Task[]> {
  const ago = (ms: number) => new Date(at.getTime() - ms)
  const [troubles, toShip, stopped, incomplete] = await Promise.all([
    sees.sales ? findTroubles(cell, businessId, ago(TROUBLES_MS), MAX_NAMED + 1) : { wrong: [], refundsFailed: [] },
    sees.sales ? countToShip(cell, businessId, MAX_COUNTED + 1) : 0,
    sees.sends ? countStoppedSends(cell, businessId, MAX_COUNTED + 1) : 0,
    sees.stock ? countIncompleteImports(cell, businessId, ago(IMPORTS_MS), MAX_COUNTED + 1) : 0,
  ])
  // What was paid otherwise, or called off, needs nobody any more.
  const wrong = troubles.wrong.length === 0 ? [] : await findUnpaid(cell, businessId, troubles.wrong)
  return [
    ...ofOrders('PAYMENTS_TO_CHECK', wrong),
    ...ofOrders('REFUNDS_FAILED', troubles.refundsFailed),
    ...counted('SENDS_STOPPED', stopped, null),
    ...counted('IMPORTS_INCOMPLETE', incomplete, null),
    ...counted('ORDERS_TO_SHIP', toShip, TO_SHIP_QUERY),
  ]
}

const counted = (task: Task['task'], count: number, orderQuery: string | null): Task[] =>
  count === 0 ? [] : [{ task, count: Math.min(count, MAX_COUNTED), isExact: count <= MAX_COUNTED, orderQuery }]

/** The list of orders that are named one by one. */
const ofOrders = (task: Task['task'], ids: readonly string[]): Task[] => {
  const named = ids.slice(0, MAX_NAMED)
  const orderQuery = named.map((id) => `id=${encodeURIComponent(id)}`).join('&')
  return named.length === 0 ? [] : [{ task, count: named.length, isExact: ids.length <= MAX_NAMED, orderQuery }]
}
