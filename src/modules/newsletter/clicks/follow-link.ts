import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import type { Clicker } from './counted-link.ts'
import { isPerson } from './is-person.ts'

type Target = { url: string | null; sentAt: Date; counts: boolean }

/** Where the link of a letter leads: only where the letter said. Counts the click of a person who does not mind. */
export async function followLink(
  db: Db,
  clicker: Clicker,
  link: number,
  request: FastifyRequest,
): Promise<string | undefined> {
  const { businessId, sendId, subscriptionId } = clicker
  const { rows } = await sql<Target>`
    select send.links[${link + 1}::int] as url, recipient.updated_at as sent_at, subscription.counts_clicks as counts
      from newsletter.sends as send
      join newsletter.recipients as recipient on recipient.business_id = send.business_id and recipient.send_id = send.id
      join newsletter.subscriptions as subscription
        on subscription.business_id = recipient.business_id and subscription.id = recipient.subscription_id
     where send.business_id = ${businessId} and send.id = ${sendId} and recipient.subscription_id = ${subscriptionId}`.execute(
    db,
  )
  const [target] = rows
  if (!target?.url) return undefined
  if (target.counts && isPerson(request, nowMs() - target.sentAt.getTime())) {
    await countClick(db, clicker, link).catch((error: unknown) => {
      request.log.warn({ err: error, sendId }, 'a click could not be counted') // the reader gets there anyway
    })
  }
  return target.url
}

const countClick = (db: Db, { businessId, sendId, subscriptionId }: Clicker, link: number) =>
  sql`
    insert into newsletter.clicks (business_id, send_id, subscription_id, link, clicks, first_at, last_at)
    values (${businessId}, ${sendId}, ${subscriptionId}, ${link}, 1, ${now()}, ${now()})
    on conflict (business_id, send_id, subscription_id, link)
    do update set clicks = clicks.clicks + 1, last_at = excluded.last_at`.execute(db)
