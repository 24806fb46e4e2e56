import type { Selectable } from 'kysely'
import type { Collection } from '#modules/content/index.ts'
import { now } from '#platform/clock.ts'
import type { NewsletterSubscriptions } from '#platform/database/cell-tables.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { NewSubscription, Subscription, SubscriptionStatus } from './schemas.ts'

export type SubscriptionRow = Omit<Selectable<NewsletterSubscriptions>, 'status'> & { status: SubscriptionStatus }

/** Addresses are compared without regard to case. */
export const emailKeyOf = (email: string) => email.toLowerCase()

/** Somebody pays for it, or should. */
export const isPaidFor = ({ status, providerId }: SubscriptionRow) =>
  providerId !== null && (status === 'ACTIVE' || status === 'PAST_DUE')

/** Whose address it is, or who made it: they may see what is known of it. */
export const isOwn = (row: SubscriptionRow, { userId, formerIds = [], email }: Actor) =>
  [userId, ...formerIds].some((id) => id === row.userId) || (email !== undefined && emailKeyOf(email) === row.emailKey)

/** As if it were new: anybody may type an address, and is not told what was known of it. Its id stays what it is. */
export const asNew = (row: SubscriptionRow, { email }: NewSubscription, { doubleOptIn }: Collection) => {
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
