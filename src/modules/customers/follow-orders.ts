import { sql } from 'kysely'
import { listSubscriptionsAfter, readSubscribers } from '#modules/newsletter/index.ts'
import { listOrdersAfter, type OrderFigures, type OrderPlace, readFigures } from '#modules/orders/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type Topic, takeFollowed } from '#platform/events/sequencer.ts'
import { keyOf, type Person } from './customer.ts'
import { moveCustomer } from './merge-customers.ts'
import { tryLockSums } from './queries.ts'
import { type Change, listed, refreshCustomers } from './refresh-customers.ts'

const ORDERS = 'customers-orders'
const SUBSCRIPTIONS = 'customers-subscriptions'

/** The events after which customers are looked at again. */
export const CUSTOMER_TOPICS: readonly Topic[] = [
  { topic: ORDERS, of: 'order' },
  { topic: SUBSCRIPTIONS, of: 'subscription' },
]

const BATCH = 500

/** What only control knows of people who are new here. */
export type PeopleKnown = {
  /** By guest, the user whom they became. */
  aliases: ReadonlyMap<string, string>
  /** Of those who came to the business by themselves: whether they are guests. By `keyOf`. */
  guests: ReadonlyMap<string, boolean>
}
export type AskControl = (people: readonly Person[]) => Promise<PeopleKnown>

/** Keeps customers after orders and subscriptions that have changed; then counts those from before the tables. */
export async function followOrders(db: Db, ask: AskControl, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await followBatch(db, ask))) {}
}

/** Returns how many were looked at; undefined when another process holds the lock. */
function followBatch(db: Db, ask: AskControl): Promise<number | undefined> {
  return transaction(db, async (tx) => {
    if (!(await tryLockSums(tx))) return undefined
    const toPlaces = (rows: { businessId: string; subject: string }[]) =>
      rows.map(({ businessId, subject }) => ({ businessId, id: subject }))
    const orders = toPlaces(await takeFollowed(tx, ORDERS, BATCH))
    const subscriptions = toPlaces(await takeFollowed(tx, SUBSCRIPTIONS, BATCH))
    if (orders.length + subscriptions.length > 0) {
      await count(tx, ask, orders, subscriptions)
      return orders.length + subscriptions.length
    }
    const filled = await nextToFill(tx)
    if (filled?.kind === 'orders') await count(tx, ask, filled.places, [])
    if (filled?.kind === 'subscriptions') await count(tx, ask, [], filled.places)
    return filled ? 1 : 0
  })
}

const FILLS = { orders: listOrdersAfter, subscriptions: listSubscriptionsAfter }

/** The next ones from before the tables were there, and notes how far it got. */
async function nextToFill(tx: Tx): Promise<{ kind: keyof typeof FILLS; places: OrderPlace[] } | undefined> {
  const { rows } = await sql<{ kind: keyof typeof FILLS; businessId: string; id: string }>`
    select kind, business_id, id from customers.filling where begins_at <= ${now()} order by kind limit 1`.execute(tx)
  const [position] = rows
  if (!position) return undefined
  const { kind } = position
  const places = await FILLS[kind](tx, position, BATCH)
  const last = places.at(-1)
  await (last
    ? sql`update customers.filling set business_id = ${last.businessId}, id = ${last.id} where kind = ${kind}`.execute(
        tx,
      )
    : sql`delete from customers.filling where kind = ${kind}`.execute(tx))
  return { kind, places }
}

type Counted = {
  businessId: string
  orderId: string
  version: number
  customerId: string
  currency: string
  spent: number | null
}

const PAID: readonly string[] = ['PAID', 'PARTIALLY_REFUNDED', 'REFUNDED']

const toCounted = (order: OrderFigures): Counted => ({
  businessId: order.businessId,
  orderId: order.id,
  version: order.version,
  customerId: order.customerId,
  currency: order.currency,
  spent: PAID.includes(order.paymentStatus) ? order.total - order.refundedAmount : null,
})

/** An order whose version is counted changes nothing: an event may come twice, or late. */
async function count(tx: Tx, ask: AskControl, orders: OrderPlace[], subscriptions: OrderPlace[]): Promise<void> {
  const before = await readCounted(tx, orders)
  const placeOf = ({ businessId, orderId }: Counted) => `${businessId} ${orderId}`
  const after = (await readFigures(tx, orders))
    .map(toCounted)
    .filter((order) => (before.get(placeOf(order))?.version ?? 0) < order.version)
  const subscribers = await readSubscribers(tx, subscriptions)
  const named = [
    ...after.flatMap((order) => [order, before.get(placeOf(order)) ?? order]).map(personIn),
    ...subscribers,
  ]
  const { personOf, isGuest } = await resolve(tx, ask, named)

  const changes = new Map<string, Change>()
  const sums = new Map<string, Sum>()
  const touch = (person: Person, delta: number) => {
    const key = keyOf(person)
    const change = changes.get(key) ?? { ...person, orders: 0, isGuest: isGuest(person) }
    changes.set(key, { ...change, orders: change.orders + delta })
  }
  const add = (counted: Counted | undefined, sign: 1 | -1) => {
    if (!counted) return
    const person = personOf(personIn(counted))
    touch(person, sign)
    if (counted.spent === null) return
    const key = `${keyOf(person)} ${counted.currency}`
    const sum = sums.get(key) ?? { ...person, currency: counted.currency, amount: 0, orders: 0 }
    sums.set(key, { ...sum, amount: sum.amount + sign * counted.spent, orders: sum.orders + sign })
  }
  for (const order of after) {
    add(before.get(placeOf(order)), -1)
    add(order, 1)
  }
  for (const person of subscribers) touch(personOf(person), 0)
  await writeCounted(tx, after)
  await addSums(tx, [...sums.values()])
  await refreshCustomers(tx, [...changes.values()])
}

const personIn = ({ businessId, customerId }: Counted): Person => ({ businessId, userId: customerId })

async function readCounted(tx: Tx, places: readonly OrderPlace[]): Promise<Map<string, Counted>> {
  if (places.length === 0) return new Map()
  const { rows } = await sql<Counted>`
    select counted.*
      from unnest(${places.map(({ businessId }) => businessId)}::text[], ${places.map(({ id }) => id)}::text[])
           as wanted (business_id, order_id)
      join customers.counted on counted.business_id = wanted.business_id and counted.order_id = wanted.order_id`.execute(
    tx,
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

async function addSums(tx: Tx, sums: readonly Sum[]): Promise<void> {
  const rows = sums.filter(({ amount, orders }) => amount !== 0 || orders !== 0)
  if (rows.length === 0) return
  await sql`
    insert into customers.spent as known (business_id, user_id, currency, amount, orders)
    select made."businessId", made."userId", made.currency, made.amount, made.orders
      from json_to_recordset(${JSON.stringify(rows)}::json)
           as made ("businessId" text, "userId" text, currency text, amount bigint, orders integer)
    on conflict (business_id, user_id, currency) do update
       set amount = known.amount + excluded.amount, orders = known.orders + excluded.orders`.execute(tx)
  await sql`
    delete from customers.spent using ${listed(rows)} as person
     where spent.business_id = person.business_id and spent.user_id = person.user_id and spent.orders = 0`.execute(tx)
}

/** Who these people are here: a guest who became a user is that user. Control is asked about those who are new. */
async function resolve(tx: Tx, ask: AskControl, named: readonly Person[]) {
  const people = [...new Map(named.map((person) => [keyOf(person), person])).values()]
  if (people.length === 0) return { personOf: (person: Person) => person, isGuest: () => null }
  const { rows } = await sql<Person & { aliasOf: string | null; isKnown: boolean }>`
    select person.business_id, person.user_id, aliases.user_id as alias_of, customers.is_guest is not null as is_known
      from ${listed(people)} as person
      left join customers.aliases on aliases.business_id = person.business_id and aliases.guest_id = person.user_id
      left join customers.customers on customers.business_id = person.business_id and customers.user_id = person.user_id`.execute(
    tx,
  )
  const users = new Map(rows.map((row) => [keyOf(row), row.aliasOf ?? row.userId]))
  const strangers = rows.filter(({ aliasOf, isKnown }) => aliasOf === null && !isKnown)
  const { aliases, guests } = strangers.length > 0 ? await ask(strangers) : { aliases: new Map(), guests: new Map() }
  const found = strangers.flatMap(({ businessId, userId }) => {
    const user = aliases.get(userId)
    return user === undefined ? [] : [{ businessId, guestId: userId, userId: user }]
  })
  for (const alias of found) {
    users.set(keyOf({ businessId: alias.businessId, userId: alias.guestId }), alias.userId)
    await moveCustomer(tx, alias)
  }
  return {
    personOf: ({ businessId, userId }: Person) => ({
      businessId,
      userId: users.get(keyOf({ businessId, userId })) ?? userId,
    }),
    isGuest: (person: Person): boolean | null => guests.get(keyOf(person)) ?? null,
  }
}
