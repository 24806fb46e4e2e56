import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { type Fitting, fittingRows } from '#platform/database/page-bytes.ts'
import { executePrepared } from '#platform/database/prepared.ts'
import type { OrderRow } from '../order.ts'
import { type Asked, all, type Condition, orderConditions, searchConditions } from './conditions.ts'
import type { Sort } from './schemas.ts'
import { chooseSource, type Source, type Walk } from './sources.ts'

/** At most this many rows are looked at for a page. */
export const MAX_LOOKED_AT = 20_000
/** Sorted by something else than the id, neighbours lie anywhere on the disk. */
const MAX_SCATTERED = 4_000

/** The last row of a page, or the last that was looked at. `key`: what it is sorted by besides its id. */
export type Place = { key: number | null; id: string }

type Order = {
  isById: boolean
  isDescending: boolean
  /** Of an order, and of its search row. */
  keyOf: Record<'orders' | 'search', Condition>
  /** A key of a place as the column has it. */
  toColumn: (key: number | null) => Condition
  /** A key as a place has it. */
  toNumber: (key: Condition) => Condition
}

const MAX_TIME_MS = 8_640_000_000_000_000

const UPDATED = { orders: sql`date_trunc('milliseconds', orders.updated_at)`, search: sql`search.updated_at` }

export function orderOf(sort: Sort): Order {
  const isDescending = sort.startsWith('-')
  const common = { isDescending, isById: false }
  if (sort.endsWith('total'))
    return {
      ...common,
      keyOf: { orders: sql`orders.total`, search: sql`search.total` },
      toColumn: (key) => sql`${key}::bigint`,
      toNumber: (key) => key,
    }
  if (sort.endsWith('updatedAt'))
    return {
      ...common,
      keyOf: UPDATED,
      // A cursor can be forged: PostgreSQL has no time beyond this.
      toColumn: (key) => sql`to_timestamp(least(greatest(${key}::bigint, 0), ${MAX_TIME_MS}::bigint) / 1000.0)`,
      toNumber: (key) => sql`(extract(epoch from ${key}) * 1000)::bigint`,
    }
  const none = () => sql`null::bigint`
  return { ...common, isById: true, keyOf: { orders: none(), search: none() }, toColumn: none, toNumber: none }
}

/** Where to read on, in the order of a sort: comparisons and directions. */
function comparing({ isById, isDescending }: Order) {
  const direction = isDescending ? sql`desc` : sql`asc`
  const after = isDescending ? sql`<` : sql`>`
  return {
    orderBy: (key: Condition, id: Condition) =>
      isById ? sql`${id} ${direction}` : sql`${key} ${direction}, ${id} ${direction}`,
    isAfter: (key: Condition, id: Condition, otherKey: Condition, otherId: Condition) =>
      isById ? sql`${id} ${after} ${otherId}` : sql`(${key}, ${id}) ${after} (${otherKey}, ${otherId})`,
  }
}

export type Look = { asked: Asked; sort: Sort; after: Place | undefined; limit: number; maxLookedAt?: number }

/**
 * The parts of a statement that looks for orders: `page` has the ids of those that match, one more than `limit` if there
 * are more, and `stop` the place up to which was looked, if that is not the end and the page is not full. `carried` is
 * a column of the order to take along.
 */
export function lookFor(source: Source, look: Look, carried: Condition = sql`null`): RawBuilder<unknown> {
  const { asked, after, limit } = look
  const order = orderOf(look.sort)
  const { orderBy, isAfter } = comparing(order)
  const { businessId } = asked
  const inOrders = all(orderConditions(asked))
  const [key, id] = [sql`key`, sql`id`]
  const startAt = (row: 'orders' | 'search') =>
    after ? isAfter(order.keyOf[row], idOf[row], order.toColumn(after.key), sql`${after.id}`) : sql`true`

  if (source.kind === 'few') {
    const fits = sql`${inOrders} and ${all(searchConditions(asked, 'orders'))}`
    // By their ids they are in order before they are read, and only as many are read as the page takes.
    const found = order.isById
      ? sql`
        select few.id, ${order.keyOf.orders} as key, fitting.carried
          from (select ids.id
                  from (${source.ids}) as ids
                 where ${after ? isAfter(key, sql`ids.id`, key, sql`${after.id}`) : sql`true`}
                 order by ${orderBy(key, sql`ids.id`)}) as few
         cross join lateral (
           select ${carried} as carried
             from orders.orders
            where orders.business_id = ${businessId} and orders.id = few.id and ${fits}
            limit 1) as fitting
         order by ${orderBy(key, sql`few.id`)}`
      : sql`
        select orders.id, ${order.keyOf.orders} as key, ${carried} as carried
          from orders.orders
         where orders.business_id = ${businessId} and orders.id = any (array(${source.ids}))
           and ${startAt('orders')} and ${fits}
         order by ${orderBy(order.keyOf.orders, idOf.orders)}`
    return sql`
      page as materialized (${found} limit ${limit + 1}),
      stop as materialized (select ${order.keyOf.orders} as key, orders.id from orders.orders where false)`
  }

  const walks: readonly Walk[] = source.kind === 'orders' ? source.walks : [{ values: [''], where: sql`true` }]
  const count = walks.reduce((sum, { values }) => sum + values.length, 0)
  const most = look.maxLookedAt ?? (order.isById ? MAX_LOOKED_AT : MAX_SCATTERED)
  const each = Math.max(1, Math.floor(most / Math.max(1, count)))
  const row = source.kind
  const rowsOf = ({ where }: Walk) =>
    row === 'orders'
      ? sql`
          from orders.orders
         where orders.business_id = ${businessId} and ${where} and ${source.bounds} and ${startAt('orders')}
         order by ${orderBy(order.keyOf.orders, idOf.orders)}`
      : sql`
          from orders.search
         where search.business_id = ${businessId} and ${source.bounds} and ${startAt('search')}
         order by ${orderBy(order.keyOf.search, idOf.search)}`
  const matching = (walk: Walk) =>
    row === 'orders'
      ? sql`
        select looked.id, looked.key, looked.carried
          from (select orders.id, ${order.keyOf.orders} as key, ${carried} as carried,
                       ${all([inOrders, ...searchConditions(asked, 'orders'), ...(walk.fits ? [walk.fits] : [])])} as fits
                       ${rowsOf(walk)} limit ${each}) as looked
         where looked.fits`
      : sql`
        select looked.id, looked.key, fitting.carried
          from (select search.order_id as id, ${order.keyOf.search} as key,
                       ${all(searchConditions(asked, 'search'))} as fits ${rowsOf(walk)} limit ${each}) as looked
         cross join lateral (
           select ${carried} as carried
             from orders.orders
            where orders.business_id = ${businessId} and orders.id = looked.id and ${inOrders}
            limit 1) as fitting
         where looked.fits`
  // A limit of 0 keeps PostgreSQL from looking for the stop of a full page.
  const isShort = (page: Condition) => sql`(select (count(*) <= ${limit})::integer from ${page})`
  const stopOf = (walk: Walk, page: Condition) => sql`
    select ${idOf[row]} as id, ${order.keyOf[row]} as key ${rowsOf(walk)} offset ${each - 1} limit ${isShort(page)}`
  const found = (walk: Walk) => sql`${matching(walk)} order by ${orderBy(key, id)} limit ${limit + 1}`
  const [only] = walks
  const [value] = only?.values ?? []
  if (only && value !== undefined && count === 1) {
    const one = sql`(select ${value}::text as value) as source`
    return sql`
    page as materialized (select found.* from ${one} cross join lateral (${found(only)}) as found),
    stop as materialized (select stop.* from ${one} cross join lateral (${stopOf(only, sql`page`)}) as stop)`
  }
  const inEach = (select: (walk: Walk) => Condition) => sql.join(walks.map(select), sql` union all `)
  // Each value has its share of the rows to be looked at. Where one of them ran out first, the page ends: what the others
  // have found behind that place comes again with the next page.
  return sql`
    part as materialized (${inEach(
      (walk) => sql`
      select source.value, found.*
        from unnest((select ${walk.values}::text[])) as source (value)
       cross join lateral (${found(walk)}) as found`,
    )}
    ), stops as materialized (${inEach(
      (walk) => sql`
      select stop.*
        from unnest((select ${walk.values}::text[])) as source (value)
       cross join lateral (${stopOf(walk, sql`part where part.value = source.value`)}) as stop`,
    )}
    ), first_stop as materialized (
      select key, id from stops order by ${orderBy(sql`stops.key`, sql`stops.id`)} limit 1
    ), page as materialized (
      select part.id, part.key, part.carried
        from part
       where not exists (
         select from first_stop where ${isAfter(sql`part.key`, sql`part.id`, sql`first_stop.key`, sql`first_stop.id`)})
       order by ${orderBy(sql`part.key`, sql`part.id`)}
       limit ${limit + 1}
    ), stop as materialized (
      select * from first_stop where (select count(*) from page) <= ${limit}
    )`
}

const idOf = { orders: sql`orders.id`, search: sql`search.order_id` }

/** Columns that may be large. */
const LARGE_COLUMNS = ['lines', 'blocks', 'statuses', 'payment_statuses', 'trace']

type FoundRow = OrderRow & Fitting & { sortKey: number | null }
type Row = (FoundRow | { id: null }) & { stopKey: number | null; stopId: string | null }

/** A page of orders, one more than `limit` if there are more, and where to go on if the page is not full before the end. */
export async function findOrders(db: Db, look: Look): Promise<{ rows: FoundRow[]; stop: Place | undefined }> {
  const source = await chooseSource(db, look)
  const order = orderOf(look.sort)
  const { orderBy } = comparing(order)
  const found = sql`
    select orders.*, ${order.toNumber(sql`page.key`)} as sort_key
      from page
     cross join lateral (
       select * from orders.orders where orders.business_id = ${look.asked.businessId} and orders.id = page.id limit 1) as orders`
  const statement = sql<Row>`
    with ${lookFor(source, look)}
    select found.*, ${order.toNumber(sql`stop.key`)} as stop_key, stop.id as stop_id
      from (select) as one
      left join stop on true
      left join (${fittingRows(found, LARGE_COLUMNS, orderBy(sql`sort_key`, sql`id`))}) as found on true
     order by ${orderBy(sql`found.sort_key`, sql`found.id`)}`
  const rows = source.isFrequent ? await executePrepared(db, statement) : (await statement.execute(db)).rows
  const [first] = rows
  return {
    rows: rows.filter((row) => row.id !== null),
    stop: first && first.stopId !== null ? { key: first.stopKey, id: first.stopId } : undefined,
  }
}
