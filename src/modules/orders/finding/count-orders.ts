import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { type Asked, type Condition, FULFILLMENT } from './conditions.ts'
import { lookFor } from './find-orders.ts'
import type { Counted, OrderCounts } from './schemas.ts'
import { chooseSource } from './sources.ts'

const MAX_COUNTED = 20_000
/** More than for a page, because those that do not match take places, too. */
const MAX_LOOKED_AT = 50_000
const MAX_VALUES = 50

const VALUES: Record<Counted, Condition> = {
  status: sql`orders.status`,
  paymentStatus: sql`orders.payment_status`,
  fulfillment: FULFILLMENT,
  market: sql`orders.market`,
  tag: sql`orders.tags`,
}

/** How many of the newest orders that match have each value. */
export async function countOrders(db: Db, asked: Asked, by: Counted): Promise<OrderCounts> {
  // A page has one row more than its limit.
  const look = {
    asked,
    sort: '-createdAt',
    after: undefined,
    limit: MAX_COUNTED - 1,
    maxLookedAt: MAX_LOOKED_AT,
  } as const
  const source = await chooseSource(db, look)
  type Row = { value: string | null; count: number; isExact: boolean }
  const { rows } = await sql<Row>`
    with ${lookFor(source, look, VALUES[by])},
    counted as (
      select value, count(*)::integer as count
        from (select ${by === 'tag' ? sql`unnest(carried)` : sql`carried`} as value from page) as carried
       group by value
       order by count(*) desc, value
       limit ${MAX_VALUES}
    )
    select counted.value, counted.count,
           (select count(*) from page) < ${MAX_COUNTED} and not exists (select from stop) as is_exact
      from (select) as one
      left join counted on true
     order by counted.count desc, counted.value`.execute(db)
  const items = rows.flatMap(({ value, count }) => (value === null ? [] : [{ value, count }]))
  return { items, isExact: rows[0]?.isExact ?? true }
}
