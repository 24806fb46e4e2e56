import { eraseOrders } from '#modules/orders/index.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Person } from './customer.ts'
import { eraseCustomer } from './erase-customers.ts'
import { type EraseOthers, eraseAbout } from './erase-person.ts'
import { idsOf } from './queries.ts'
import type { Erasure } from './schemas.ts'

export type EraseContext = EraseOthers & { actor: Actor }

/**
 * A business erases somebody: the customer first, so that nothing is written about them again, then their orders, as many
 * as one call does. What is in work is named; a later call does the rest. May run twice.
 */
export async function eraseForBusiness(db: Db, person: Person, { actor, ...others }: EraseContext): Promise<Erasure> {
  const { businessId, userId } = person
  await eraseCustomer(db, person)
  const customerIds = await idsOf(db, person)
  const { erased, kept, hasMore } = await transaction(db, async (tx) => {
    const done = await eraseOrders(tx, { businessId, customerIds }, actor)
    await eraseAbout(tx, businessId, done.erased, others)
    return done
  })
  return { id: userId, erasedOrders: erased.length, keptOrders: kept, isComplete: !hasMore && kept.length === 0 }
}
