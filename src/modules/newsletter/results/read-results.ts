import { type RawBuilder, sql } from 'kysely'
import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { countClicksOf } from '../clicks/count-clicks.ts'
import type { SendResults } from '../schemas.ts'
import { getSend } from '../sending/queries.ts'
import type { SendRow } from '../sending/send.ts'
import { namedCodes } from './named-codes.ts'

/** Orders of a time that were paid, as a table: `paidOrdersSql` of orders. */
export type PaidOrders = (businessId: string, from: Date, to: Date) => RawBuilder<unknown>

const DAYS = 7
const FOLLOWS = sql.raw(`interval '${DAYS} days'`)
/** As many as the list of orders can be asked for by their ids. */
const MAX_LISTED = 100

/** What came of a send so far. */
export async function readResults(
  db: Db,
  businessId: string,
  { entryId, id }: { entryId: string; id: string },
  paidOrders: PaidOrders,
): Promise<SendResults> {
  const send = await getSend(db, businessId, entryId, id)
  const clicks = await countClicksOf(db, send)
  const { opened, left } = await countReaders(db, send)
  return {
    reached: send.sent,
    clicks: { ...clicks, total: clicks.links.reduce((sum, link) => sum + link.clicks, 0) },
    opens: { isCounted: send.countsOpens, readers: opened },
    unsubscribed: left,
    orders: await readFollowed(db, send, paidOrders),
  }
}

/** Readers who opened the letter, and who left by it. */
async function countReaders(db: Db, { businessId, id }: SendRow): Promise<{ opened: number; left: number }> {
  const { rows } = await sql<{ opened: number; left: number }>`
    select (select count(*) from newsletter.opens where business_id = ${businessId} and send_id = ${id})::int as opened,
           (select count(*) from newsletter.unsubscribes where business_id = ${businessId} and send_id = ${id})::int as "left"`.execute(
    db,
  )
  return rows[0] ?? { opened: 0, left: 0 }
}

type Sum = {
  currency: string
  orders: number
  amount: number
  byClick: number
  byPromoCode: number
  promoCodes: string[]
  newest: string[]
}

const NOTHING = { count: 0, byClick: 0, byPromoCode: 0, promoCodes: [], sums: [], newest: [] }

/**
 * Paid orders that followed: those of a reader within seven days of a click, and those with a promo code that the letter
 * names. Of a reader's clicks the first and the last are known. An order that is found several ways counts once. There is
 * no index of orders by time: where many have clicked, all orders of the business are read, which grows with them.
 */
async function readFollowed(db: Db, send: SendRow, paidOrders: PaidOrders): Promise<SendResults['orders']> {
  const { businessId, id, startedAt, finishedAt, body, links } = send
  if (!startedAt) return NOTHING
  const codes = namedCodes(body ?? '')
  const until = new Date((finishedAt?.getTime() ?? nowMs()) + DAYS * 86_400_000)
  const isAfter = sql`
    (paid.created_at between clicker.first_at and clicker.first_at + ${FOLLOWS}
     or paid.created_at between clicker.last_at and clicker.last_at + ${FOLLOWS})`
  // A late click counts, too: what limits it is the click's own seven days.
  const byReader = (isTheirs: RawBuilder<unknown>) => sql`
    select paid.id, paid.currency, paid.net, paid.promo_code, true as is_click
      from clicker
      join ${paidOrders(businessId, startedAt, new Date(nowMs() + 1))} as paid on ${isTheirs} and ${isAfter}`
  const { rows } = await sql<Sum>`
    with clicker as materialized (
      select subscription.user_id, subscription.email_key, click.first_at, click.last_at
        from newsletter.clicks as click
        join newsletter.subscriptions as subscription
          on subscription.business_id = click.business_id and subscription.id = click.subscription_id
       where ${links !== null} and click.business_id = ${businessId} and click.send_id = ${id}
    ), found as (
      ${byReader(sql`paid.customer_id = clicker.user_id`)}
      union all
      ${byReader(sql`paid.email_key = clicker.email_key`)}
      union all
      select paid.id, paid.currency, paid.net, paid.promo_code, false
        from ${paidOrders(businessId, startedAt, until)} as paid
       where paid.promo_code = any (${codes}::text[])
    ), followed as (
      select id, currency, net, bool_or(is_click) as is_click,
             max(promo_code) filter (where not is_click) as promo_code
        from found
       group by id, currency, net
    )
    select currency, count(*)::int as orders,
           least(greatest(sum(net), -9007199254740991), 9007199254740991)::bigint as amount,
           (count(*) filter (where is_click))::int as by_click,
           count(promo_code)::int as by_promo_code,
           coalesce(array_agg(distinct promo_code) filter (where promo_code is not null), '{}') as promo_codes,
           (array_agg(id order by id desc))[1:${sql.lit(MAX_LISTED)}] as newest
      from followed
     group by currency
     order by currency`.execute(db)
  const add = (field: 'orders' | 'byClick' | 'byPromoCode') => rows.reduce((sum, row) => sum + row[field], 0)
  return {
    count: add('orders'),
    byClick: add('byClick'),
    byPromoCode: add('byPromoCode'),
    promoCodes: [...new Set(rows.flatMap(({ promoCodes }) => promoCodes))].sort(),
    sums: rows.map(({ currency, orders, amount }) => ({ currency, orders, amount })),
    newest: rows
      .flatMap(({ newest }) => newest)
      .sort()
      .toReversed()
      .slice(0, MAX_LISTED),
  }
}
