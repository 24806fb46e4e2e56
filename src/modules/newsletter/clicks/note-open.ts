import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import type { Clicker } from './counted-link.ts'
import { isPerson } from './is-person.ts'

type Opened = { sentAt: Date; counts: boolean }

/** Notes that a reader who does not mind has opened a letter, once. Programs are left out as they are for links. */
export async function noteOpen(db: Db, clicker: Clicker, request: FastifyRequest): Promise<void> {
  const { businessId, sendId, subscriptionId } = clicker
  try {
    const { rows } = await sql<Opened>`
      select recipient.updated_at as sent_at, send.counts_opens and subscription.counts_clicks as counts
        from newsletter.sends as send
        join newsletter.recipients as recipient on recipient.business_id = send.business_id and recipient.send_id = send.id
        join newsletter.subscriptions as subscription
          on subscription.business_id = recipient.business_id and subscription.id = recipient.subscription_id
       where send.business_id = ${businessId} and send.id = ${sendId} and recipient.subscription_id = ${subscriptionId}`.execute(
      db,
    )
    const [opened] = rows
    if (!opened?.counts || !isPerson(request, nowMs() - opened.sentAt.getTime())) return
    await sql`
      insert into newsletter.opens (business_id, send_id, subscription_id, first_at)
      values (${businessId}, ${sendId}, ${subscriptionId}, ${now()})
      on conflict do nothing`.execute(db)
  } catch (error) {
    request.log.warn({ err: error, sendId }, 'an open letter could not be counted') // the letter is shown anyway
  }
}
