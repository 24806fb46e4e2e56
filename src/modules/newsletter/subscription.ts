import type { Selectable } from 'kysely'
import type { NewsletterSubscriptions } from '#platform/database/cell-tables.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Subscription, SubscriptionStatus } from './schemas.ts'

export type SubscriptionRow = Omit<Selectable<NewsletterSubscriptions>, 'status'> & { status: SubscriptionStatus }

/** Addresses are compared without regard to case. */
export const emailKeyOf = (email: string) => email.toLowerCase()

/** Somebody pays for it, or should. */
export const isPaidFor = ({ status, providerId }: SubscriptionRow) =>
  providerId !== null && (status === 'ACTIVE' || status === 'PAST_DUE')

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
