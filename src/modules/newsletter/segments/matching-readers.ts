import { type RawBuilder, sql } from 'kysely'
import { categoryProductsSql } from '#modules/catalog/index.ts'
import type { Db } from '#platform/database/database.ts'
import { fromSeconds } from '#vocabulary/time.ts'
import type { Condition } from './schemas.ts'

/** What is asked about customers, each with a bit of its own. */
export type Wanted = { bit: number } & (
  | { tags: readonly string[] }
  | { /** Has `product_id`. */ products: RawBuilder<unknown>; since: Date | undefined }
)

/**
 * For each customer of whom anything holds, the bits of what does, as `key` and `bits`: by every id that they may have
 * subscribed with, and by email address, which is found from `by_id`.
 */
export type MarkCustomers = (
  businessId: string,
  wanted: readonly Wanted[],
) => { byId: RawBuilder<unknown>; byEmail: RawBuilder<unknown> }

type Segment = {
  businessId: string
  collectionId: string
  conditions: readonly Condition[]
  /** When the letter goes out: who became a reader later does not get it, and days are counted from here. */
  at: Date
}

const DAY_MS = 86_400_000

/**
 * Until the end of the transaction. PostgreSQL takes what is marked for two hundred rows, whatever it is, and would look
 * up each of half a million by itself, or sort them on disk.
 */
export const hashMarks = (tx: Db): Promise<unknown> =>
  sql`
    select set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true),
           set_config('enable_sort', 'off', true), set_config('work_mem', '128MB', true)`.execute(tx)

/**
 * Whom a letter goes to, as parts of one statement, so that counting and planning decide alike. `isReached`: ACTIVE since
 * before, and not suppressed. `fits`: all conditions hold.
 *
 * Each condition about customers or clicks is a bit, and all of them are found in one pass and joined by hash
 * (`hashMarks`): looked up for each reader, a million of them would take many seconds.
 */
export function matchingReaders({ businessId, collectionId, conditions, at }: Segment, markCustomers: MarkCustomers) {
  const since = ({ withinDays }: { withinDays?: number }) =>
    withinDays === undefined ? undefined : new Date(at.getTime() - withinDays * DAY_MS)
  const customers: Wanted[] = []
  const clicks: RawBuilder<unknown>[] = []
  const plain: RawBuilder<unknown>[] = []
  let [asked, held] = [0, 0]
  const nextBit = ({ not }: Condition) => {
    const bit = 2 ** (customers.length + clicks.length)
    asked |= bit
    if (!not) held |= bit
    return bit
  }
  for (const condition of conditions) {
    switch (condition.field) {
      case 'tag':
        customers.push({ bit: nextBit(condition), tags: condition.values })
        break
      case 'bought': {
        const { productIds, categoryId = '' } = condition
        const products = productIds
          ? sql`(select unnest(${productIds}::text[]) collate "C" as product_id)`
          : sql`(${categoryProductsSql(businessId, categoryId)})`
        customers.push({ bit: nextBit(condition), products, since: since(condition) })
        break
      }
      case 'clicked':
        clicks.push(clickersSql({ businessId, collectionId }, nextBit(condition), condition.entryId, since(condition)))
        break
      default:
        plain.push(condition.not ? sql`not ${holds(condition)}` : holds(condition))
    }
  }
  const marks: RawBuilder<unknown>[] = []
  const joins: RawBuilder<unknown>[] = []
  const bits: RawBuilder<unknown>[] = []
  if (customers.length > 0) {
    const { byId, byEmail } = markCustomers(businessId, customers)
    marks.push(sql`by_id as materialized (${byId})`, sql`by_email as materialized (${byEmail})`)
    joins.push(sql`left join by_id on by_id.key = subscription.user_id`)
    joins.push(sql`left join by_email on by_email.key = subscription.email_key`)
    bits.push(sql`coalesce(by_id.bits, 0)`, sql`coalesce(by_email.bits, 0)`)
  }
  if (clicks.length > 0) {
    marks.push(sql`clicker as materialized (${together(clicks)})`)
    joins.push(sql`left join clicker on clicker.subscription_id = subscription.id`)
    bits.push(sql`coalesce(clicker.bits, 0)`)
  }
  return {
    marks: marks.length > 0 ? sql`with ${sql.join(marks)}` : sql``,
    readers: sql`newsletter.subscriptions as subscription ${sql.join(joins, sql` `)}`,
    isReached: sql`
      subscription.business_id = ${businessId} and subscription.collection_id = ${collectionId}
      and subscription.status = 'ACTIVE' and subscription.activated_at <= ${at}
      and not exists (select from newsletter.suppressions as suppression
                       where suppression.business_id = ${businessId} and suppression.email_key = subscription.email_key)`,
    fits: sql.join(
      [
        sql`true`,
        ...plain,
        ...(bits.length > 0 ? [sql`(${sql.join(bits, sql` | `)}) & ${asked}::integer = ${held}::integer`] : []),
      ],
      sql` and `,
    ),
  }
}

/** Never null: `not` turns it around. */
function holds(condition: Extract<Condition, { field: 'plan' | 'market' | 'subscribed' }>): RawBuilder<unknown> {
  if (condition.field === 'plan') return sql`coalesce(subscription.plan_id = any (${condition.values}::text[]), false)`
  if (condition.field === 'market') return sql`coalesce(subscription.market = any (${condition.values}::text[]), false)`
  const { from, to } = condition
  const bounds = [
    ...(from === undefined ? [] : [sql`subscription.activated_at >= ${fromSeconds(from)}`]),
    ...(to === undefined ? [] : [sql`subscription.activated_at < ${fromSeconds(to)}`]),
  ]
  return sql`(${sql.join(bounds, sql` and `)})`
}

type Newsletter = Pick<Segment, 'businessId' | 'collectionId'>

const clickersSql = (
  { businessId, collectionId }: Newsletter,
  bit: number,
  entryId: string | undefined,
  since: Date | undefined,
) => sql`
  select clicks.subscription_id, ${bit}::integer as bit
    from newsletter.sends as send
    join newsletter.clicks on clicks.business_id = send.business_id and clicks.send_id = send.id
   where send.business_id = ${businessId} and send.collection_id = ${collectionId}
         ${entryId === undefined ? sql`` : sql`and send.entry_id = ${entryId}`}
         ${since === undefined ? sql`` : sql`and clicks.last_at >= ${since}`}`

const together = (clicks: readonly RawBuilder<unknown>[]) => sql`
  select subscription_id, bit_or(bit) as bits
    from (${sql.join(clicks, sql` union all `)}) as click
   group by subscription_id`
