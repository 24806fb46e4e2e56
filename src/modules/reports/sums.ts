import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'
import type { CountedLine, CountedOrder } from './counted-order.ts'

/**
 * The lengths of spans that are kept of each kind, in quarters of an hour, each a multiple of the one before. Of all sales
 * many days are asked for at once, which begin at any hour of UTC: one is put together of about six spans. Of thousands of
 * variants one long time is asked for: the fewer spans it has, the fewer rows are read.
 */
export const GRAINS = {
  SALES: [1, 4, 8, 16, 32, 96],
  PRODUCT: [1, 96, 384, 1_536, 6_144, 24_576],
  PROMO: [1, 96, 384, 1_536, 6_144, 24_576],
} as const satisfies Record<string, readonly number[]>
export type Kind = keyof typeof GRAINS

/** Of sales: all orders, and those of them that are the first of their customer. */
export const ALL = 0
export const FIRST = 1

/** What is added to a quarter of an hour. Of kind SALES there is a `subject`, of the others a `key`. */
export type Delta = {
  businessId: string
  kind: Kind
  quarter: number
  subject: number | null
  key: string
  variantId: string
  market: string
  currency: string
  orders: number
  units: number
  subtotal: number
  discount: number
  shipping: number
  tax: number
  total: number
  refunded: number
}

type Added = Pick<
  CountedOrder,
  'businessId' | 'isCounted' | 'quarter' | 'market' | 'currency' | 'promoCode' | 'lines' | AddedFigure
>
type AddedFigure = 'units' | 'subtotal' | 'discount' | 'shipping' | 'tax' | 'total' | 'refunded'

/** All that an order adds to the sums, or takes away. */
export const deltasOf = (order: Added, isFirst: boolean, sign: 1 | -1): Delta[] =>
  order.isCounted
    ? [
        saleOf(order, ALL, sign),
        ...(isFirst ? [saleOf(order, FIRST, sign)] : []),
        ...(order.promoCode === null
          ? []
          : [{ ...ofOrder(order, sign), kind: 'PROMO' as const, subject: null, key: order.promoCode }]),
        ...(order.lines ?? []).map((line) => ofLine(order, line, sign)),
      ]
    : []

export const saleOf = (order: Omit<Added, 'lines'>, subject: number, sign: 1 | -1): Delta => ({
  ...ofOrder(order, sign),
  kind: 'SALES',
  subject,
})

const ofOrder = (order: Omit<Added, 'lines'>, sign: 1 | -1) => ({
  businessId: order.businessId,
  quarter: order.quarter,
  key: '',
  variantId: '',
  market: order.market,
  currency: order.currency,
  orders: sign,
  units: sign * order.units,
  subtotal: sign * order.subtotal,
  discount: sign * order.discount,
  shipping: sign * order.shipping,
  tax: sign * order.tax,
  total: sign * order.total,
  refunded: sign * order.refunded,
})

const ofLine = (order: Added, line: CountedLine, sign: 1 | -1): Delta => ({
  businessId: order.businessId,
  kind: 'PRODUCT',
  quarter: order.quarter,
  subject: null,
  key: line.productId,
  variantId: line.variantId,
  market: order.market,
  currency: order.currency,
  orders: sign,
  units: sign * line.units,
  subtotal: sign * line.subtotal,
  discount: sign * line.discount,
  shipping: 0,
  tax: sign * line.tax,
  total: sign * line.total,
  refunded: sign * line.refunded,
})

const GRAIN_LIST = Object.entries(GRAINS).flatMap(([kind, grains]) => grains.map((grain) => ({ kind, grain })))

/** Adds to the spans of every length. A span in which nothing is left goes. The caller holds the lock. */
export async function addSums(tx: Tx, deltas: readonly Delta[]): Promise<void> {
  if (deltas.length === 0) return
  const added = sql`
    (select delta."businessId" as business_id, delta.kind collate "C" as kind, grain.grain,
            delta.quarter - delta.quarter % grain.grain as at, coalesce(delta.subject, subjects.number) as subject,
            delta.market collate "C" as market, delta.currency collate "C" as currency,
            sum(delta.orders) as orders, sum(delta.units) as units, sum(delta.subtotal) as subtotal,
            sum(delta.discount) as discount, sum(delta.shipping) as shipping, sum(delta.tax) as tax,
            sum(delta.total) as total, sum(delta.refunded) as refunded
       from json_to_recordset(${JSON.stringify(deltas)}::json)
            as delta ("businessId" text, kind text, quarter integer, subject bigint, key text, "variantId" text, market text,
                      currency text, orders integer, units bigint, subtotal bigint, discount bigint, shipping bigint,
                      tax bigint, total bigint, refunded bigint)
       left join reports.subjects
         on subjects.business_id = delta."businessId" and subjects.kind = delta.kind and subjects.key = delta.key
            and subjects.variant_id = delta."variantId"
       join unnest(${GRAIN_LIST.map(({ kind }) => kind)}::text[], ${GRAIN_LIST.map(({ grain }) => grain)}::integer[])
            as grain (kind, grain) on grain.kind = delta.kind
      group by 1, 2, 3, 4, 5, 6, 7)`
  type Emptied = {
    businessId: string
    kind: string
    grain: number
    at: number
    subject: number
    market: string
    currency: string
  }
  const { rows } = await sql<Emptied>`
    with changed as (
      insert into reports.sums as known
             (business_id, kind, grain, at, subject, market, currency, orders, units, subtotal, discount, shipping, tax, total,
              refunded)
      select * from ${added} as added
       where (orders, units, subtotal, discount, shipping, tax, total, refunded) <> (0, 0, 0, 0, 0, 0, 0, 0)
      on conflict (business_id, kind, grain, at, subject, market, currency) do update
         set orders = known.orders + excluded.orders, units = known.units + excluded.units,
             subtotal = known.subtotal + excluded.subtotal, discount = known.discount + excluded.discount,
             shipping = known.shipping + excluded.shipping, tax = known.tax + excluded.tax,
             total = known.total + excluded.total, refunded = known.refunded + excluded.refunded
      returning business_id, kind, grain, at, subject, market, currency, orders
    )
    select * from changed where orders = 0`.execute(tx)
  if (rows.length === 0) return
  await sql`
    delete from reports.sums
     using json_to_recordset(${JSON.stringify(rows)}::json)
           as emptied ("businessId" text, kind text, grain integer, at integer, subject bigint, market text, currency text)
     where sums.business_id = emptied."businessId" and sums.kind = emptied.kind and sums.grain = emptied.grain
       and sums.at = emptied.at and sums.subject = emptied.subject and sums.market = emptied.market
       and sums.currency = emptied.currency`.execute(tx)
}

/** A name of a variant, as a line has it. */
export type Named = { businessId: string; key: string; variantId: string; name: string; at: Date }

/** Gives numbers to variants and promo codes that are new, and keeps the name under which a variant was sold last. */
export async function keepSubjects(tx: Tx, deltas: readonly Delta[], names: readonly Named[]): Promise<void> {
  const nameOf = new Map<string, Named>()
  for (const named of names) {
    const key = `${named.businessId} ${named.key} ${named.variantId}`
    const known = nameOf.get(key)
    if (!known || known.at <= named.at) nameOf.set(key, named)
  }
  const subjects = new Map<string, object>()
  for (const { businessId, kind, key, variantId } of deltas) {
    if (kind === 'SALES') continue
    const named = kind === 'PRODUCT' ? nameOf.get(`${businessId} ${key} ${variantId}`) : undefined
    const subject = { businessId, kind, key, variantId, name: named?.name ?? '', at: named?.at ?? new Date(0) }
    subjects.set(`${businessId} ${kind} ${key} ${variantId}`, subject)
  }
  if (subjects.size === 0) return
  await sql`
    insert into reports.subjects as known (business_id, kind, key, variant_id, name, named_at)
    select made."businessId", made.kind, made.key, made."variantId", made.name, made.at
      from json_to_recordset(${JSON.stringify([...subjects.values()])}::json)
           as made ("businessId" text, kind text, key text, "variantId" text, name text, at timestamptz)
     where not exists (select from reports.subjects
                        where subjects.business_id = made."businessId" and subjects.kind = made.kind and subjects.key = made.key
                          and subjects.variant_id = made."variantId"
                          and (subjects.name = made.name or subjects.named_at > made.at))
    on conflict (business_id, kind, key, variant_id) do update set name = excluded.name, named_at = excluded.named_at`.execute(
    tx,
  )
}
