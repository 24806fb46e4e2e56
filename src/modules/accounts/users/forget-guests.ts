import { now } from '#platform/clock.ts'
import type { ControlTx } from '#platform/database/database.ts'

/** Guests whom the business has made up are what it wrote: name and address go with the rest. Accounts stay as they are. */
export async function forgetGuests(tx: ControlTx, businessId: string, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('accounts.users')
    .set({ name: '', email: null, updatedAt: now() })
    .where('id', 'in', [...ids, ''])
    .where('guestOf', '=', businessId)
    .execute()
}
