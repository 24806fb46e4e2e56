import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { BLANK, type Person } from './customer.ts'
import { idsOf, lockSums, markOf } from './queries.ts'
import { writeWords } from './refresh-customers.ts'

/**
 * Takes away all that is written about a person whose account was deleted. The row stays, so that sums stay right, and
 * so that nothing is written about them again; also when the worker has not seen their first order yet. May run twice.
 */
export async function eraseCustomer(db: Db, person: Person): Promise<void> {
  await transaction(db, async (tx) => {
    await lockSums(tx)
    await eraseIn(tx, person)
  })
}

/** The caller holds the lock of the sums. */
export async function eraseIn(tx: Tx, { businessId, userId: id }: Person): Promise<void> {
  const { rows: aliases } = await sql<{ userId: string }>`
    select user_id from customers.aliases where business_id = ${businessId} and guest_id = ${id}`.execute(tx)
  const userId = aliases[0]?.userId ?? id
  const person = { businessId, userId }
  const { rows } = await sql<{ words: string[]; tags: string[] }>`
    select words, tags from customers.customers where business_id = ${businessId} and user_id = ${userId} for update`.execute(
    tx,
  )
  const gone = rows.flatMap(({ words, tags }) => [...words, ...tags.map(markOf)])
  await writeWords(
    tx,
    [],
    gone.map((word) => ({ ...person, word })),
  )
  await sql`
    insert into customers.customers as known (business_id, user_id, sort_name, erased_at, created_at, updated_at)
    values (${businessId}, ${userId}, ${BLANK.sortName}, ${now()}, ${now()}, ${now()})
    on conflict (business_id, user_id) do update
       set name = null, email = null, phones = '{}', addresses = '[]', words = '{}', sort_name = excluded.sort_name,
           tags = '{}', erased_at = coalesce(known.erased_at, excluded.erased_at), version = known.version + 1,
           updated_at = excluded.updated_at`.execute(tx)
  await sql`delete from customers.bought where business_id = ${businessId} and user_id = ${userId}`.execute(tx)
  await sql`
    delete from customers.comments
     where business_id = ${businessId} and user_id = any (${await idsOf(tx, person)}::text[])`.execute(tx)
}
