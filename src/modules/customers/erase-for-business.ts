import { type ErasedOrders, eraseOrders } from '#modules/orders/index.ts'
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

const MAX_NAMED = 100

/**
 * A business erases somebody: the customer first, so that nothing is written about them again, then their orders, batch
 * by batch. What is in work is named; a later call does the rest. May run twice, and goes on where it was broken off.
 */
export async function eraseForBusiness(db: Db, person: Person, { actor, erasePayers }: EraseContext): Promise<Erasure> {
  const { businessId, userId } = person
  await eraseCustomer(db, person)
  const customerIds = await idsOf(db, person)
  const kept: ErasedOrders['kept'] = []
  let erasedOrders = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const place = { businessId, customerIds, after }
    const batch: ErasedOrders = await transaction(db, async (tx) => {
      const done = await eraseOrders(tx, place, actor)
      await erasePayers(tx, businessId, done.erased)
      return done
    })
    erasedOrders += batch.erased.length
    kept.push(...batch.kept)
    after = batch.last
  }
  return { id: userId, erasedOrders, keptOrders: kept.slice(0, MAX_NAMED), isComplete: kept.length === 0 }
}
