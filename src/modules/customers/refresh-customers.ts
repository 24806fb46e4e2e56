import { sql } from 'kysely'
import { readSubscriberContacts } from '#modules/newsletter/index.ts'
import { readContacts } from '#modules/orders/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { BLANK, factsOf, keyOf, MAX_CONTACTS, type Person } from './customer.ts'

/** How a person's sums change, besides what is written about them. */
export type Change = Person & { orders: number; isGuest?: boolean | null }

type Known = Person & { words: string[]; erasedAt: Date | null }

/**
 * Writes what orders and subscriptions say about these customers now, and adds to their number of orders. Customers who
 * have nothing left are removed. The caller holds the lock of the sums.
 */
export async function refreshCustomers(tx: Tx, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return
  const [known, ids] = [await readKnown(tx, changes), await readIds(tx, changes)]
  const people = changes.map((change) => ({ ...change, ids: ids.get(keyOf(change)) ?? [change.userId] }))
  const orders = Map.groupBy(await readContacts(tx, people, MAX_CONTACTS), keyOf)
  const subscriptions = Map.groupBy(await readSubscriberContacts(tx, people, MAX_CONTACTS), keyOf)

  const rows = changes.map((change) => {
    const key = keyOf(change)
    const facts = factsOf(orders.get(key) ?? [], subscriptions.get(key) ?? [])
    const shown = known.get(key)?.erasedAt ? BLANK : {}
    return {
      ...facts,
      ...shown,
      ...change,
      isGuest: change.isGuest ?? null,
      hasAny: orders.has(key) || subscriptions.has(key),
    }
  })
  await writeRows(tx, rows)
  const hadOf = (person: Person) => known.get(keyOf(person))?.words ?? []
  await writeWords(
    tx,
    rows.flatMap(({ businessId, userId, words }) => {
      const had = new Set(hadOf({ businessId, userId }))
      return words.filter((word) => !had.has(word)).map((word) => ({ businessId, userId, word }))
    }),
    rows.flatMap(({ businessId, userId, words }) => {
      const has = new Set(words)
      return hadOf({ businessId, userId })
        .filter((word) => !has.has(word))
        .map((word) => ({ businessId, userId, word }))
    }),
  )
  await removeEmpty(
    tx,
    rows.filter(({ hasAny }) => !hasAny),
  )
}

async function readKnown(tx: Tx, people: readonly Person[]): Promise<Map<string, Known>> {
  const { rows } = await sql<Known>`
    select customers.business_id, customers.user_id, customers.words, customers.erased_at
      from ${listed(people)} as wanted
      join customers.customers using (business_id, user_id)`.execute(tx)
  return new Map(rows.map((row) => [keyOf(row), row]))
}

async function readIds(tx: Tx, people: readonly Person[]): Promise<Map<string, string[]>> {
  const { rows } = await sql<Person & { guestId: string }>`
    select aliases.business_id, aliases.user_id, aliases.guest_id
      from ${listed(people)} as wanted
      join customers.aliases using (business_id, user_id)
     where aliases.guest_id <> aliases.user_id`.execute(tx)
  const guests = Map.groupBy(rows, keyOf)
  return new Map(
    people.map((person) => [
      keyOf(person),
      [person.userId, ...(guests.get(keyOf(person)) ?? []).map(({ guestId }) => guestId)],
    ]),
  )
}

/** People as rows of a statement. */
export const listed = (people: readonly Person[]) => sql`
  (select business_id collate "C" as business_id, user_id collate "C" as user_id
     from unnest(${people.map(({ businessId }) => businessId)}::text[], ${people.map(({ userId }) => userId)}::text[])
          as person (business_id, user_id))`

async function writeRows(tx: Tx, rows: readonly object[]): Promise<void> {
  await sql`
    insert into customers.customers as known
           (business_id, user_id, name, email, phones, addresses, words, sort_name, is_guest, orders, first_order_at,
            last_order_at, created_at, updated_at)
    select made."businessId", made."userId", made.name, made.email, made.phones, made.addresses, made.words,
           made."sortName", made."isGuest", made.orders, made."firstOrderAt", made."lastOrderAt", ${now()}, ${now()}
      from json_to_recordset(${JSON.stringify(rows)}::json)
           as made ("businessId" text, "userId" text, name text, email text, phones text[], addresses json, words text[],
                    "sortName" text, "isGuest" boolean, orders integer, "firstOrderAt" timestamptz, "lastOrderAt" timestamptz)
     order by 1, 2
    on conflict (business_id, user_id) do update
       set name = excluded.name, email = excluded.email, phones = excluded.phones, addresses = excluded.addresses,
           words = excluded.words, sort_name = excluded.sort_name, is_guest = coalesce(excluded.is_guest, known.is_guest),
           orders = known.orders + excluded.orders, first_order_at = excluded.first_order_at,
           last_order_at = excluded.last_order_at, version = known.version + 1, updated_at = excluded.updated_at`.execute(
    tx,
  )
}

type Word = Person & { word: string }

export async function writeWords(tx: Tx, come: readonly Word[], gone: readonly Word[]): Promise<void> {
  const table = (words: readonly Word[]) => sql`
    unnest(${words.map(({ businessId }) => businessId)}::text[], ${words.map(({ word }) => word)}::text[],
           ${words.map(({ userId }) => userId)}::text[]) as change (business_id, word, user_id)`
  if (gone.length > 0)
    await sql`
      delete from customers.words
       using ${table(gone)}
       where words.business_id = change.business_id and words.word = change.word and words.user_id = change.user_id`.execute(
      tx,
    )
  if (come.length > 0)
    await sql`
      insert into customers.words (business_id, word, user_id)
      select business_id, word, user_id from ${table(come)} order by 1, 2, 3
      on conflict do nothing`.execute(tx)
}

/** An order may have been given to the wrong person, and taken away again. */
async function removeEmpty(tx: Tx, people: readonly Person[]): Promise<void> {
  if (people.length === 0) return
  await sql`
    delete from customers.customers
     using ${listed(people)} as person
     where customers.business_id = person.business_id and customers.user_id = person.user_id
       and customers.orders = 0 and customers.tags = '{}' and customers.erased_at is null
       and not exists (select from customers.comments
                        where comments.business_id = person.business_id and comments.user_id = person.user_id)`.execute(
    tx,
  )
}
