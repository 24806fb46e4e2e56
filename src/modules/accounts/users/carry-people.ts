import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { emailKey } from './queries.ts'

/** A member of a business, for another deployment: enough to know the account, nothing that opens it. */
export type CarriedPerson = { id: string; email: string; name: string }

export async function readPeople(db: ControlDb, ids: readonly string[]): Promise<CarriedPerson[]> {
  const rows = await db
    .selectFrom('accounts.users')
    .select(['id', 'email', 'name'])
    .where('id', 'in', [...ids, ''])
    .where('isGuest', '=', false)
    .orderBy('id')
    .execute()
  return rows.flatMap(({ id, email, name }) => (email ? [{ id, email, name }] : []))
}

/**
 * Their accounts here, by the ids that they had there: the same account, or that of the same confirmed address. Makes none, and
 * changes none.
 */
export async function findPeople(db: ControlDb, people: readonly CarriedPerson[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for (const { id, email } of people) {
    const found = await db
      .selectFrom('accounts.users')
      .select('id')
      .where('isGuest', '=', false)
      .where((user) =>
        user.or([
          user('id', '=', id),
          user.and([user('emailKey', '=', emailKey(email)), user('confirmedAt', 'is not', null)]),
        ]),
      )
      .execute()
    const here = found.find((user) => user.id === id) ?? found[0]
    if (here) ids.set(id, here.id)
  }
  return ids
}

/**
 * Customers whom this deployment does not know become guests of the business, under their own ids: a customer without an
 * account would count as one who deleted it, and be erased.
 */
export async function placeGuests(tx: ControlTx, businessId: string, ids: readonly string[]): Promise<void> {
  await sql`
    insert into accounts.users (id, is_guest, guest_of, created_at, updated_at)
    select id, true, ${businessId}, ${now()}, ${now()}
      from unnest(${ids}::text[]) as id
     where not exists (select from accounts.guest_aliases where guest_id = id)
        on conflict (id) do nothing`.execute(tx)
}
