import { sql } from 'kysely'
import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { newId } from '#vocabulary/ids.ts'
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
 * Their accounts here, by the ids that they had there: the same account; or that of the same address; or a new one, which
 * the operator vouches for, and which has no password until its owner asks for one.
 */
export async function placePeople(
  tx: ControlTx,
  people: readonly CarriedPerson[],
): Promise<{ ids: Map<string, string>; made: CarriedPerson[] }> {
  const ids = new Map<string, string>()
  const made: CarriedPerson[] = []
  for (const person of people) {
    const { id, outcome } = await place(tx, person)
    ids.set(person.id, id)
    if (outcome === 'made') made.push({ ...person, id })
  }
  return { ids, made }
}

async function place(tx: ControlTx, { id, email, name }: CarriedPerson): Promise<{ id: string; outcome: string }> {
  const key = emailKey(email)
  const known = await tx
    .selectFrom('accounts.users')
    .select(['id', 'emailKey', 'confirmedAt', 'isGuest'])
    .where((user) => user.or({ emailKey: key, id }))
    .forUpdate()
    .execute()
  const same = known.find((user) => user.id === id && !user.isGuest) ?? known.find((user) => user.emailKey === key)
  if (same?.confirmedAt) return { id: same.id, outcome: 'known' }
  if (same) {
    // Whoever registered this address never proved that they can read its mail: their password opens nothing.
    await tx
      .updateTable('accounts.users')
      .set({ passwordHash: null, confirmedAt: now(), updatedAt: now() })
      .where('id', '=', same.id)
      .execute()
    await audit(tx, { action: 'account.confirmed', subject: same.id })
    return { id: same.id, outcome: 'made' }
  }
  // A customer of another business that came the same way may have become a guest under this id.
  const ownId = known.length > 0 ? newId('usr') : id
  await tx
    .insertInto('accounts.users')
    .values({
      id: ownId,
      name,
      email: email.trim(),
      emailKey: key,
      confirmedAt: now(),
      createdAt: now(),
      updatedAt: now(),
    })
    .execute()
  await audit(tx, { action: 'account.created', subject: ownId })
  return { id: ownId, outcome: 'made' }
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
