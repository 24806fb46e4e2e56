import type { Collection } from '#modules/content/index.ts'
import type { Tx } from '#platform/database/database.ts'
import { hasSubscribers, isSending } from '../errors.ts'

const LIVE = ['PENDING', 'ACTIVE', 'PAST_DUE'] as const

/**
 * Called before a collection changes or is deleted (`after` undefined): refuses to remove what somebody is subscribed
 * to.
 */
export async function guardCollection(tx: Tx, before: Collection, after: Collection | undefined): Promise<void> {
  if (before.type !== 'NEWSLETTER') return
  if (!after && (await hasAny(tx, before, LIVE)))
    throw hasSubscribers({ field: 'id', what: 'The newsletter cannot be deleted' })
  if (!after && (await isBeingSent(tx, before))) throw isSending()
  if (!after) return
  if (after.type !== before.type && (await hasAny(tx, before))) {
    throw hasSubscribers({ field: 'type', what: 'The type cannot be changed' })
  }
  const kept = new Set(after.plans.map(({ id }) => id))
  for (const [index, { id }] of before.plans.entries()) {
    if (!kept.has(id) && (await hasAny(tx, before, LIVE, id))) {
      throw hasSubscribers({ field: `plans.${index}`, what: `The plan ${id} cannot be removed` })
    }
  }
}

async function isBeingSent(tx: Tx, { businessId, id: collectionId }: Collection): Promise<boolean> {
  const found = await tx
    .selectFrom('newsletter.sends')
    .select('id')
    .where((send) => send.and({ businessId, collectionId }))
    .where('status', 'in', ['SCHEDULED', 'RUNNING', 'PAUSED'])
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

async function hasAny(
  tx: Tx,
  { businessId, id: collectionId }: Collection,
  statuses?: readonly string[],
  planId?: string,
): Promise<boolean> {
  const found = await tx
    .selectFrom('newsletter.subscriptions')
    .select('id')
    .where((subscription) => subscription.and({ businessId, collectionId }))
    .$if(statuses !== undefined, (query) => query.where('status', 'in', statuses ?? []))
    .$if(planId !== undefined, (query) => query.where('planId', '=', planId ?? ''))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
