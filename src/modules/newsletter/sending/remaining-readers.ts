import { type RawBuilder, sql } from 'kysely'
import type { SendRow } from './send.ts'

type Remainder = Pick<SendRow, 'businessId' | 'id' | 'remainderOf' | 'remainderStates' | 'planAfter'>

/**
 * Whom a remainder goes to: those of the first send in the given states who still want letters, but for those whom
 * another remainder of it has taken over.
 */
export const remainingReaders = (send: Remainder, limit: number): RawBuilder<{ id: string }> => {
  const { businessId, id, remainderOf, remainderStates, planAfter } = send
  return sql`
    select recipient.subscription_id as id
      from newsletter.recipients as recipient
      join newsletter.subscriptions as subscription
        on subscription.business_id = recipient.business_id and subscription.id = recipient.subscription_id
     where recipient.business_id = ${businessId} and recipient.send_id = ${remainderOf}
       and recipient.state = any (${remainderStates}) and recipient.subscription_id > ${planAfter}
       and subscription.status = 'ACTIVE'
       and not exists (select from newsletter.suppressions as suppression
                        where suppression.business_id = ${businessId} and suppression.email_key = subscription.email_key)
       and not exists (select from newsletter.sends as other
                         join newsletter.recipients as taken
                           on taken.business_id = other.business_id and taken.send_id = other.id
                        where other.business_id = ${businessId} and other.remainder_of = ${remainderOf} and other.id <> ${id}
                          and taken.subscription_id = recipient.subscription_id)
     order by recipient.subscription_id
     limit ${limit}`
}
