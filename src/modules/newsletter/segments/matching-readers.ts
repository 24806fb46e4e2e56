import { type RawBuilder, sql } from 'kysely'
import { categoryProductsSql } from '#modules/catalog/index.ts'
import { allowSeconds } from '#platform/database/connection.ts'
import type { Tx } from '#platform/database/database.ts'
import { fromSeconds } from '#vocabulary/time.ts'
import type { Condition } from './schemas.ts'

/** What is asked about customers. */
export type Wanted =
  | { tags: readonly string[] }
  | { /** Their ids. */ products: RawBuilder<unknown>; since: Date | undefined }

/**
 * With-queries for what is wanted, and whether the one at a place holds of a reader: of the customer with any id that
 * they may have subscribed with, or with their email address.
 */
export type MarkCustomers = (
  businessId: string,
  wanted: readonly Wanted[],
) => {
  sets: RawBuilder<unknown>[]
  holds: (place: number, reader: Record<'userId' | 'emailKey', RawBuilder<unknown>>) => RawBuilder<unknown>
}

type Segment = {
  businessId: string
  collectionId: string
  conditions: readonly Condition[]
  /** When the letter goes out: who became a reader later does not get it, and days are counted from here. */
  at: Date
}

const DAY_MS = 86_400_000

/**
 * Until the end of the transaction. PostgreSQL hashes only what it thinks has room, and else goes through all of it for
 * each reader. Sets of half the customers of a large business take seconds, more on a busy machine.
 */
export async function makeRoomForSets(tx: Tx, seconds: number): Promise<void> {
  await sql`set local work_mem = '256MB'`.execute(tx)
  await allowSeconds(tx, seconds)
}

/**
 * Whom a letter goes to, as parts of one statement, so that counting and planning decide alike. `isReached`: ACTIVE since
 * before, and not suppressed. `fits`: all conditions hold.
 *
 * What is asked about customers or clicks is a set that is found in one pass, before readers are looked at
 * (`makeRoomForSets`): looked up for each reader, a million of them would take many seconds.
 */
export function matchingReaders({ businessId, collectionId, conditions, at }: Segment, markCustomers: MarkCustomers) {
  const since = ({ withinDays }: { withinDays?: number }) =>
    withinDays === undefined ? undefined : new Date(at.getTime() - withinDays * DAY_MS)
  const wanted = conditions.flatMap((condition): Wanted | [] => {
    if (condition.field === 'tag') return { tags: condition.values }
    if (condition.field !== 'bought') return []
    return { products: productsSql(businessId, condition), since: since(condition) }
  })
  const customers = wanted.length > 0 ? markCustomers(businessId, wanted) : undefined
  const reader = { userId: sql`subscription.user_id`, emailKey: sql`subscription.email_key` }
  const sets = customers?.sets ?? []
  let place = 0
  // What stands in the reader's own row comes first, and leaves the rest with less to look up.
  const [own, others] = [conditions.filter(isOfReader), conditions.filter((condition) => !isOfReader(condition))]
  const tests = [...own, ...others].map((condition) => {
    const test = () => {
      switch (condition.field) {
        case 'tag':
        case 'bought':
          return customers?.holds(place++, reader)
        case 'clicked': {
          const clickers = sql.ref(`clickers_${sets.length}`)
          const clicked = clickersSql({ businessId, collectionId }, condition.entryId, since(condition))
          sets.push(sql`${clickers} as materialized (${clicked})`)
          return sql`subscription.id in (select subscription_id from ${clickers})`
        }
        default:
          return holds(condition)
      }
    }
    return condition.not ? sql`not ${test()}` : sql`${test()}`
  })
  return {
    sets: sets.length > 0 ? sql`with ${sql.join(sets)}` : sql``,
    isReached: sql`
      subscription.business_id = ${businessId} and subscription.collection_id = ${collectionId}
      and subscription.status = 'ACTIVE' and subscription.activated_at <= ${at}
      and not exists (select from newsletter.suppressions as suppression
                       where suppression.business_id = ${businessId} and suppression.email_key = subscription.email_key)`,
    fits: sql`(${sql.join([sql`true`, ...tests], sql` and `)})`,
  }
}

const productsSql = (businessId: string, { productIds, categoryId = '' }: Extract<Condition, { field: 'bought' }>) =>
  productIds ? sql`select unnest(${productIds}::text[])` : categoryProductsSql(businessId, categoryId)

type OfReader = Extract<Condition, { field: 'plan' | 'market' | 'subscribed' }>
const isOfReader = (condition: Condition): condition is OfReader => !LOOKED_UP.has(condition.field)
const LOOKED_UP: ReadonlySet<Condition['field']> = new Set(['tag', 'bought', 'clicked'] as const)

/** Never null: `not` turns it around. */
function holds(condition: OfReader): RawBuilder<unknown> {
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
  entryId: string | undefined,
  since: Date | undefined,
) => sql`
  select subscription_id
    from newsletter.clicks
   where business_id = ${businessId}
         and send_id = any (array(select id from newsletter.sends
                                   where business_id = ${businessId} and collection_id = ${collectionId}
                                         ${entryId === undefined ? sql`` : sql`and entry_id = ${entryId}`}))
         ${since === undefined ? sql`` : sql`and last_at >= ${since}`}`
