import { eraseOrders } from '#modules/orders/index.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Person } from './customer.ts'
import { eraseCustomer } from './erase-customers.ts'
import { idsOf } from './queries.ts'
import type { Erasure } from './schemas.ts'

export type EraseContext = {
  actor: Actor
  /** Takes the person out of the payments of these orders. */
  erasePayers: (tx: Tx, businessId: string, orderIds: readonly string[]) => Promise<void>
}

/**
 * A business erases somebody: the customer first, so that nothing is written about them again, then their orders, as many
 * as one call does. What is in work is named; a later call does the rest. May run twice.
 */
export async function eraseForBusiness(db: Db, person: Person, { actor, erasePayers }: EraseContext): Promise<Erasure> {
  const { businessId, userId } = person
  await eraseCustomer(db, person)
  const customerIds = await idsOf(db, person)
  const { erased, kept, hasMore } = await transaction(db, async (tx) => {
    const done = await eraseOrders(tx, { businessId, customerIds }, actor)
    await erasePayers(tx, businessId, done.erased)
    return done
  })
  return { id: userId, erasedOrders: erased.length, keptOrders: kept, isComplete: !hasMore && kept.length === 0 }
}
