import type { Selectable } from 'kysely'
import type { Collection } from '#modules/content/index.ts'
import { now } from '#platform/clock.ts'
import type { NewsletterSubscriptions } from '#platform/database/cell-tables.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { NewSubscription, Subscription, SubscriptionStatus } from '../schemas.ts'

export type SubscriptionRow = Omit<Selectable<NewsletterSubscriptions>, 'status'> & { status: SubscriptionStatus }

/** Addresses are compared case-insensitively. */
export const emailKeyOf = (email: string) => email.toLowerCase()

const hasAddress = ({ email }: Pick<Actor, 'email'>, key: string) => email !== undefined && emailKeyOf(email) === key

/**
 * Whose a subscription to this address is. Not that of the person behind an API key: with it a shop subscribes its
 * readers, who must not go with that person's account, nor into what they export of themselves.
 */
export const subscriberIdOf = (actor: Actor, email: string): string | null =>
  actor.kind !== 'api' || hasAddress(actor, emailKeyOf(email)) ? actor.userId : null

/**
 * Whose it is after somebody has subscribed the address once more: its owner's, if it is that of their account. If
 * another than who asked for it gives it a name, nobody's: anybody may type an address before its owner does.
 */
export function nextUserId(row: SubscriptionRow, actor: Actor, { isNamed }: { isNamed: boolean }): string | null {
  if (hasAddress(actor, row.emailKey)) return actor.userId
  return isNamed && ![actor.userId, ...(actor.formerIds ?? [])].includes(row.userId ?? '') ? null : row.userId
}

/** Whether somebody pays for it, or is due to. */
export const isPaidFor = ({ status, providerId }: SubscriptionRow) =>
  providerId !== null && (status === 'ACTIVE' || status === 'PAST_DUE')

/** Whether it is the actor's, by address or as its creator, so that they may see its details. */
export const isOwnedBy = (row: SubscriptionRow, { userId, formerIds = [], email }: Actor) =>
  [userId, ...formerIds].some((id) => id === row.userId) || hasAddress({ email }, row.emailKey)

/**
 * Shown as if it were new: a caller who only typed the address must not learn what is stored about it. Its id stays.
 */
export const redactAsNew = (row: SubscriptionRow, { email }: NewSubscription, { doubleOptIn }: Collection) => {
  const status = doubleOptIn && row.status === 'ACTIVE' && row.providerId === null ? 'PENDING' : row.status
  const at = now()
  return { ...row, email, status, createdAt: at, updatedAt: at }
}

export const presentSubscription = (row: SubscriptionRow): Subscription => ({
  id: row.id,
  entity: `collection:${row.collectionId}`,
  email: row.email,
  ...(row.name !== '' && { name: row.name }),
  ...(row.planId !== null && { planId: row.planId }),
  status: row.status,
  createdAt: toSeconds(row.createdAt),
  updatedAt: toSeconds(row.updatedAt),
})
