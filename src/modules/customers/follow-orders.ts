import { sql } from 'kysely'
import { readSubscribers } from '#modules/newsletter/index.ts'
import { EVER_PAID, type OrderFigures, type OrderPlace, readFigures } from '#modules/orders/index.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { type FollowerLog, followSubjects, Outage } from '#platform/events/follow-subjects.ts'
import { addFollowed, hasFollowed, type Topic } from '#platform/events/sequencer.ts'
import { keyOf, type Person } from './customer.ts'
import { eraseIn } from './erase-customers.ts'
import { keepBought } from './keep-bought.ts'
import { findHeir, moveCustomer } from './merge-customers.ts'
import { SUMS_LOCK } from './queries.ts'
import { type Change, listed, refreshCustomers } from './refresh-customers.ts'

const ORDERS = 'customers-orders'
const SUBSCRIPTIONS = 'customers-subscriptions'

/** The events after which customers are looked at again. */
export const CUSTOMER_TOPICS: readonly Topic[] = [
  { topic: ORDERS, of: 'order' },
  { topic: SUBSCRIPTIONS, of: 'subscription' },
]

/** What only control knows of people who are new here. All by `keyOf`. */
export type PeopleKnown = {
  /** The users whom guests of this business became. */
  aliases: ReadonlyMap<string, string>
  /** Of those who came to the business by themselves: whether they are guests. */
  guests: ReadonlyMap<string, boolean>
  /** Those who came, and whose account was deleted. */
  erased: ReadonlySet<string>
}
export type AskControl = (people: readonly Person[]) => Promise<PeopleKnown>

type Batch = { orders: readonly OrderPlace[]; subscriptions: readonly OrderPlace[] }

/** Whether customers are to be looked at. */
export const hasUnfollowed = () => hasFollowed(ORDERS, SUBSCRIPTIONS)

/** Updates customers after orders and subscriptions that have changed. */
export function followOrders(db: Db, ask: AskControl, log: FollowerLog, signal?: AbortSignal): Promise<void> {
  const follower = (topic: string, toBatch: (places: readonly OrderPlace[]) => Batch) => ({
    topic,
    // Control is asked before the lock is taken: while it is slow, others may write.
    async prepare(cell: Db, places: readonly OrderPlace[]) {
      const told = await learn(cell, ask, toBatch(places))
      return (tx: Tx, taken: readonly OrderPlace[]) => count(tx, toBatch(taken), told)
    },
  })
  const followers = [
    follower(ORDERS, (orders) => ({ orders, subscriptions: [] })),
    follower(SUBSCRIPTIONS, (subscriptions) => ({ orders: [], subscriptions })),
  ]
  return followSubjects(db, { lock: SUMS_LOCK, followers }, log, signal)
}

type Counted = {
  businessId: string
  orderId: string
  version: number
  customerId: string
  currency: string
  spent: number | null
}

const toCounted = (order: OrderFigures): Counted => ({
  businessId: order.businessId,
  orderId: order.id,
  version: order.version,
  customerId: order.customerId,
  currency: order.currency,
  spent: EVER_PAID.includes(order.paymentStatus) ? netOf(order) : null,
})

/** Staff may mark an order by hand as refunded, without a refund that has an amount: all of it went back. */
const netOf = ({ paymentStatus, total, refundedAmount }: OrderFigures) =>
  paymentStatus === 'REFUNDED' && refundedAmount === 0 ? 0 : total - refundedAmount

const placeOf = ({ businessId, orderId }: Counted) => `${businessId} ${orderId}`
const personIn = ({ businessId, customerId }: Counted): Person => ({ businessId, userId: customerId })

type Found = { before: Map<string, Counted>; after: Counted[]; subscribers: Person[] }

/** An order whose version is counted changes nothing: an event may come twice, or late. */
async function read(db: Db, { orders, subscriptions }: Batch): Promise<Found> {
  const before = await readCounted(db, orders)
  const after = (await readFigures(db, orders))
    .map(toCounted)
    .filter((order) => (before.get(placeOf(order))?.version ?? 0) < order.version)
  return { before, after, subscribers: await readSubscribers(db, subscriptions) }
}

const peopleOf = ({ before }: Found, order: Counted) => [order, before.get(placeOf(order)) ?? order].map(personIn)
const everybodyIn = (found: Found): Person[] => {
  const named = [...found.after.flatMap((order) => peopleOf(found, order)), ...found.subscribers]
  return [...new Map(named.map((person) => [keyOf(person), person])).values()]
}

/** What control has told, and about whom it was asked. */
type Told = PeopleKnown & { asked: ReadonlySet<string> }

/** Asks control about the people of a batch who are new here. */
async function learn(db: Db, ask: AskControl, batch: Batch): Promise<Told> {
  const { strangers } = await readPeople(db, everybodyIn(await read(db, batch)))
  if (strangers.length === 0) return { aliases: new Map(), guests: new Map(), erased: new Set(), asked: new Set() }
  const known = await ask(strangers).catch((error: unknown) => {
    throw new Outage(error)
  })
  return { ...known, asked: new Set(strangers.map(keyOf)) }
}

async function count(tx: Tx, batch: Batch, told: Told): Promise<void> {
  const found = await read(tx, batch)
  const { users, strangers } = await readPeople(tx, everybodyIn(found))
  const unasked = new Set(strangers.map(keyOf).filter((key) => !told.asked.has(key)))
  const isAsked = (order: Counted) => peopleOf(found, order).every((person) => !unasked.has(keyOf(person)))
  const after = found.after.filter(isAsked)
  // An order that was given to somebody else meanwhile: control is asked about them in the next round.
  const later = found.after.filter((order) => !isAsked(order))
  await addFollowed(
    tx,
    ORDERS,
    later.map(({ businessId, orderId }) => ({ businessId, id: orderId })),
  )
  const { before } = found
  const named = everybodyIn({ ...found, after })
  await meet(
    tx,
    strangers.filter((person) => named.some((each) => keyOf(each) === keyOf(person))),
    told,
    users,
  )
  const personOf = (person: Person): Person => ({ ...person, userId: users.get(keyOf(person)) ?? person.userId })

  const changes = new Map<string, Change>()
  const sums: Sum[] = []
  const touch = (person: Person, delta: number) => {
    const key = keyOf(person)
    const change = changes.get(key) ?? { ...person, orders: 0, isGuest: told.guests.get(key) ?? null }
    changes.set(key, { ...change, orders: change.orders + delta })
  }
  const add = (counted: Counted | undefined, sign: 1 | -1) => {
    if (!counted) return
    const person = personOf(personIn(counted))
    touch(person, sign)
    if (counted.spent === null) return
    sums.push({ ...person, currency: counted.currency, amount: sign * counted.spent, orders: sign })
  }
  for (const order of after) {
    add(before.get(placeOf(order)), -1)
    add(order, 1)
  }
  for (const person of found.subscribers) touch(personOf(person), 0)
  await writeCounted(tx, after)
  await addSums(tx, sums)
  await keepBought(
    tx,
    after.map(({ businessId, orderId }) => ({ businessId, id: orderId })),
  )
  await refreshCustomers(tx, [...changes.values()])
}

async function readCounted(db: Db, places: readonly OrderPlace[]): Promise<Map<string, Counted>> {
  if (places.length === 0) return new Map()
  const { rows } = await sql<Counted>`
    select counted.*
      from unnest(${places.map(({ businessId }) => businessId)}::text[], ${places.map(({ id }) => id)}::text[])
           as wanted (business_id, order_id)
      join customers.counted on counted.business_id = wanted.business_id and counted.order_id = wanted.order_id`.execute(
    db,
  )
  return new Map(rows.map((row) => [`${row.businessId} ${row.orderId}`, row]))
}

async function writeCounted(tx: Tx, rows: readonly Counted[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into customers.counted (business_id, order_id, version, customer_id, currency, spent)
    select made."businessId", made."orderId", made.version, made."customerId", made.currency, made.spent
      from json_to_recordset(${JSON.stringify(rows)}::json)
           as made ("businessId" text, "orderId" text, version integer, "customerId" text, currency text, spent bigint)
    on conflict (business_id, order_id) do update
       set version = excluded.version, customer_id = excluded.customer_id, currency = excluded.currency,
           spent = excluded.spent`.execute(tx)
}

type Sum = Person & { currency: string; amount: number; orders: number }

/** Added up by the database, exactly: orders by hand may be larger together than a number of JavaScript. */
async function addSums(tx: Tx, sums: readonly Sum[]): Promise<void> {
  if (sums.length === 0) return
  await sql`
    insert into customers.spent as known (business_id, user_id, currency, total, orders)
    select made."businessId", made."userId", made.currency, sum(made.amount), sum(made.orders)
      from json_to_recordset(${JSON.stringify(sums)}::json)
           as made ("businessId" text, "userId" text, currency text, amount numeric, orders integer)
     group by 1, 2, 3
    having sum(made.amount) <> 0 or sum(made.orders) <> 0
    on conflict (business_id, user_id, currency) do update
       set total = known.total + excluded.total, orders = known.orders + excluded.orders`.execute(tx)
  await sql`
    delete from customers.spent using ${listed(sums)} as person
     where spent.business_id = person.business_id and spent.user_id = person.user_id and spent.orders = 0`.execute(tx)
}

/** Who these people are here, by `keyOf`: a guest who became a user is that user. And those who are new. */
async function readPeople(
  db: Db,
  people: readonly Person[],
): Promise<{ users: Map<string, string>; strangers: Person[] }> {
  if (people.length === 0) return { users: new Map(), strangers: [] }
  const { rows } = await sql<Person & { aliasOf: string | null; isKnown: boolean }>`
    select person.business_id, person.user_id, aliases.user_id as alias_of,
           customers.is_guest is not null or customers.erased_at is not null as is_known
      from ${listed(people)} as person
      left join customers.aliases on aliases.business_id = person.business_id and aliases.guest_id = person.user_id
      left join customers.customers on customers.business_id = person.business_id and customers.user_id = person.user_id`.execute(
    db,
  )
  return {
    users: new Map(rows.map((row) => [keyOf(row), row.aliasOf ?? row.userId])),
    strangers: rows.filter(({ aliasOf, isKnown }) => aliasOf === null && !isKnown),
  }
}

/** Writes down whom the guests among these people became, and that nothing is to be written about the erased. */
async function meet(tx: Tx, strangers: readonly Person[], told: Told, users: Map<string, string>): Promise<void> {
  for (const person of strangers) {
    const key = keyOf(person)
    const merged = { businessId: person.businessId, guestId: person.userId }
    const became = told.aliases.get(key)
    const userId = became === undefined ? undefined : await findHeir(tx, { ...merged, userId: became })
    if (userId !== undefined) {
      users.set(key, userId)
      await moveCustomer(tx, { ...merged, userId })
    } else if (told.erased.has(key)) await eraseIn(tx, person)
  }
}
