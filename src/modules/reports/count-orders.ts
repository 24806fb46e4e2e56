import { sql } from 'kysely'
import { readAliases } from '#modules/customers/index.ts'
import { type OrderPlace, readSold, type SoldOrder } from '#modules/orders/index.ts'
import type { Tx } from '#platform/database/database.ts'
import { type CountedOrder, countOrder } from './counted-order.ts'
import { addSums, type Delta, deltasOf, FIRST, keepSubjects, saleOf } from './sums.ts'

type Kept = CountedOrder & { isFirst: boolean }
type Person = { businessId: string; person: string }

const keyOf = ({ businessId, orderId }: Pick<CountedOrder, 'businessId' | 'orderId'>) => `${businessId} ${orderId}`

/**
 * Replaces the rows of these orders by what they are now, and adds the difference to the sums. One that has not changed
 * adds nothing: an event may come twice, or late. The caller holds the lock.
 */
export async function countOrders(tx: Tx, places: readonly OrderPlace[]): Promise<void> {
  if (places.length === 0) return
  const before = await readKept(tx, places)
  const sold = await readSold(tx, places)
  const aliases = await readAliases(
    tx,
    sold.map(({ businessId, customerId }) => ({ businessId, userId: customerId })),
  )
  const deltas: Delta[] = []
  const changed: Kept[] = []
  const people: Person[] = []
  for (const order of sold) {
    const after = countOrder(order, aliases.get(`${order.businessId} ${order.customerId}`) ?? order.customerId)
    const known = before.get(keyOf(after))
    if (known && isSame(known, after)) continue
    const isFirst = known !== undefined && known.isFirst && after.isCounted && known.person === after.person
    if (known) deltas.push(...deltasOf(known, known.isFirst, -1))
    deltas.push(...deltasOf(after, isFirst, 1))
    changed.push({ ...after, isFirst })
    people.push(...whoseFirstMayDiffer(known, after))
  }
  await writeKept(tx, changed)
  for (const moved of await markFirst(tx, people)) deltas.push(saleOf(moved, FIRST, moved.isFirst ? 1 : -1))
  await keepSubjects(tx, deltas, sold.flatMap(namesOf))
  await addSums(tx, deltas)
}

const namesOf = ({ businessId, lines, createdAt }: SoldOrder) =>
  lines.map(({ productId, variantId, name }) => ({ businessId, key: productId, variantId, name, at: createdAt }))

const isSame = ({ isFirst: _isFirst, ...known }: Kept, after: CountedOrder) =>
  fingerprintOf(known) === fingerprintOf(after)
const fingerprintOf = ({ createdAt, lines, ...rest }: CountedOrder) =>
  JSON.stringify([createdAt.getTime(), lines, Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))])

function whoseFirstMayDiffer(known: CountedOrder | undefined, after: CountedOrder): Person[] {
  const isAsBefore =
    known?.isCounted === after.isCounted &&
    known.person === after.person &&
    known.createdAt.getTime() === after.createdAt.getTime()
  if (isAsBefore) return []
  return [known, after].flatMap((order) =>
    order?.isCounted ? [{ businessId: order.businessId, person: order.person }] : [],
  )
}

async function readKept(tx: Tx, places: readonly OrderPlace[]): Promise<Map<string, Kept>> {
  const { rows } = await sql<Kept>`
    select orders.business_id, orders.order_id, orders.version, orders.customer_id, orders.person, orders.is_counted,
           orders.is_first, orders.created_at, orders.quarter, orders.market, orders.currency, orders.promo_code,
           orders.units, orders.subtotal, orders.discount, orders.shipping, orders.tax, orders.total, orders.refunded,
           orders.lines
      from unnest(${places.map(({ businessId }) => businessId)}::text[], ${places.map(({ id }) => id)}::text[])
           as wanted (business_id, order_id)
      join reports.orders on orders.business_id = wanted.business_id and orders.order_id = wanted.order_id`.execute(tx)
  return new Map(rows.map((row) => [keyOf(row), row]))
}

async function writeKept(tx: Tx, rows: readonly Kept[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into reports.orders
           (business_id, order_id, version, customer_id, person, is_counted, is_first, created_at, quarter, market, currency,
            promo_code, units, subtotal, discount, shipping, tax, total, refunded, lines)
    select made."businessId", made."orderId", made.version, made."customerId", made.person, made."isCounted", made."isFirst",
           made."createdAt", made.quarter, made.market, made.currency, made."promoCode", made.units, made.subtotal,
           made.discount, made.shipping, made.tax, made.total, made.refunded,
           case when json_typeof(made.lines) = 'array' then made.lines end
      from json_to_recordset(${JSON.stringify(rows)}::json)
           as made ("businessId" text, "orderId" text, version integer, "customerId" text, person text, "isCounted" boolean,
                    "isFirst" boolean, "createdAt" timestamptz, quarter integer, market text, currency text,
                    "promoCode" text, units bigint, subtotal bigint, discount bigint, shipping bigint, tax bigint,
                    total bigint, refunded bigint, lines json)
    on conflict (business_id, order_id) do update
       set version = excluded.version, customer_id = excluded.customer_id, person = excluded.person,
           is_counted = excluded.is_counted, is_first = excluded.is_first, created_at = excluded.created_at,
           quarter = excluded.quarter, market = excluded.market, currency = excluded.currency,
           promo_code = excluded.promo_code, units = excluded.units, subtotal = excluded.subtotal,
           discount = excluded.discount, shipping = excluded.shipping, tax = excluded.tax, total = excluded.total,
           refunded = excluded.refunded, lines = excluded.lines`.execute(tx)
}

type Moved = Parameters<typeof saleOf>[0] & { isFirst: boolean }
const SHOWN = sql`
  select business_id, order_id, is_counted, is_first, quarter, market, currency, promo_code, units, subtotal, discount, shipping,
         tax, total, refunded`

/** Marks the first order of each person that counts, and none besides. Returns the orders whose mark has changed, as they are now. */
async function markFirst(tx: Tx, people: readonly Person[]): Promise<Moved[]> {
  if (people.length === 0) return []
  const { rows } = await sql<Moved>`
    with people as (
      select distinct business_id collate "C" as business_id, person collate "C" as person
        from unnest(${people.map(({ businessId }) => businessId)}::text[], ${people.map(({ person }) => person)}::text[])
             as named (business_id, person)
    ), firsts as materialized (
      select people.business_id, people.person, first.order_id
        from people
        left join lateral (
          select orders.order_id
            from reports.orders
           where orders.business_id = people.business_id and orders.person = people.person and orders.is_counted
           order by orders.created_at, orders.order_id
           limit 1) as first on true
    ), unmarked as (
      update reports.orders set is_first = false
        from firsts
       where orders.business_id = firsts.business_id and orders.person = firsts.person and orders.is_first
         and orders.order_id is distinct from firsts.order_id
      returning orders.*
    ), marked as (
      update reports.orders set is_first = true
        from firsts
       where orders.business_id = firsts.business_id and orders.order_id = firsts.order_id and not orders.is_first
      returning orders.*
    )
    ${SHOWN} from unmarked union all ${SHOWN} from marked`.execute(tx)
  return rows
}
