import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { decodeCursor, type Page, type Position, toPage } from '#vocabulary/paging.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Recipient, RecipientQuery } from '../schemas.ts'
import { emailKeyOf } from '../subscriptions/subscription.ts'
import { getSend } from './queries.ts'

type Row = Omit<Recipient, 'updatedAt'> & { updatedAt: Date; dueAt: Date }

/** An order that an index has, so that a page of a million is a page of the index. */
type Order = { by: RawBuilder<unknown>; after: (position: Position) => RawBuilder<unknown>; of: (row: Row) => Position }

const BY_SUBSCRIPTION: Order = {
  by: sql`recipient.subscription_id`,
  after: ([id]) => sql`recipient.subscription_id > ${id}`,
  of: ({ subscriptionId }) => [subscriptionId],
}

const LATEST_MS = 8.64e15

/** Those who still wait, the next one first. */
const BY_TURN: Order = {
  by: sql`recipient.due_at, recipient.subscription_id`,
  after: ([ms, id]) =>
    sql`(recipient.due_at, recipient.subscription_id) > (${new Date(Math.min(Number(ms), LATEST_MS))}, ${id})`,
  of: ({ dueAt, subscriptionId }) => [dueAt.getTime(), subscriptionId],
}

/** What became of each reader of a send. */
export async function listRecipients(
  db: Db,
  businessId: string,
  { entryId, id: sendId }: { entryId: string; id: string },
  { limit = 20, cursor, status, email }: RecipientQuery,
): Promise<Page<Recipient>> {
  const { collectionId } = await getSend(db, businessId, entryId, sendId)
  const order = status === 'PLANNED' ? BY_TURN : BY_SUBSCRIPTION
  const filters = { list: 'recipients', businessId, sendId, status, email }
  const after = decodeCursor(filters, cursor, order === BY_TURN ? ['number', 'string'] : ['string'])
  const { rows } = await sql<Row>`
    select recipient.subscription_id, subscription.email, coalesce(subscription.name, '') as name,
           recipient.state as status, recipient.attempts, recipient.response, recipient.updated_at, recipient.due_at
      from newsletter.recipients as recipient
      left join newsletter.subscriptions as subscription
        on subscription.business_id = recipient.business_id and subscription.id = recipient.subscription_id
     where recipient.business_id = ${businessId} and recipient.send_id = ${sendId}
           ${status === undefined ? sql`` : sql`and recipient.state = ${status}`}
           ${email === undefined ? sql`` : sql`and recipient.subscription_id = ${subscribedAs(businessId, collectionId, email)}`}
           ${after === undefined ? sql`` : sql`and ${order.after(after)}`}
     order by ${order.by}
     limit ${limit + 1}`.execute(db)
  return toPage(rows, limit, filters, order.of, present)
}

const subscribedAs = (businessId: string, collectionId: string, email: string) => sql`
  (select id from newsletter.subscriptions
    where business_id = ${businessId} and collection_id = ${collectionId} and email_key = ${emailKeyOf(email)})`

const present = ({ dueAt: _dueAt, updatedAt, ...row }: Row): Recipient => ({ ...row, updatedAt: toSeconds(updatedAt) })
