import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { CustomerRow, Person } from './customer.ts'
import { customerErased, customerNotFound } from './errors.ts'
import { customerUpdated } from './events.ts'
import { findCustomer, markOf } from './queries.ts'
import { writeWords } from './refresh-customers.ts'

/** The tags as a whole. The same tags again change nothing. */
export async function changeTags(
  tx: Tx,
  { businessId, userId }: Person,
  { tags: sent, expected, actor }: { tags: readonly string[]; expected: Expected; actor: Actor },
): Promise<CustomerRow> {
  // Locked with the aliases read in the same statement: a merge meanwhile has taken the row away.
  await sql`
    select from customers.customers where business_id = ${businessId} and user_id = ${userId} for update`.execute(tx)
  const before = await findCustomer(tx, businessId, userId)
  if (!before) throw customerNotFound()
  if (before.erasedAt) throw customerErased()
  checkExpected(expected, etagOf(before.version))
  const tags = [...new Set(sent)]
  if (tags.length === before.tags.length && tags.every((tag, index) => tag === before.tags[index])) return before

  const person = { businessId, userId: before.userId }
  const updatedAt = now()
  await tx
    .updateTable('customers.customers')
    .set((row) => ({ tags, updatedAt, version: row('version', '+', 1) }))
    .where((row) => row.and(person))
    .execute()
  const toWords = (some: readonly string[]) => some.map((tag) => ({ ...person, word: markOf(tag) }))
  await writeWords(
    tx,
    toWords(tags.filter((tag) => !before.tags.includes(tag))),
    toWords(before.tags.filter((tag) => !tags.includes(tag))),
  )
  await record(tx, customerUpdated({ businessId, subject: before.userId, actor, data: { fields: ['tags'] } }))
  return { ...before, tags, updatedAt, version: before.version + 1 }
}
