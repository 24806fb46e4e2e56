import { sql } from 'kysely'
import { eraseReaders } from '#modules/newsletter/index.ts'
import { eraseNextOrders, eraseOrdersAgain, type KeptOrder } from '#modules/orders/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { forgetCallers } from '#platform/http/idempotency.ts'
import { isHere } from '#platform/moves/fence.ts'
import { newId } from '#vocabulary/ids.ts'

/** What others keep about orders. */
export type EraseOthers = {
  erasePayers: (tx: Tx, businessId: string, orderIds: readonly string[]) => Promise<void>
  eraseEntries: (tx: Tx, businessId: string, orderIds: readonly string[]) => Promise<void>
}

/** `keepPersonDays`: what the business has set. */
export type Keeping = EraseOthers & { keepPersonDays: number }

const READERS_AT_ONCE = 20
/** Whoever wants one of these orders meanwhile waits for as many at most. */
const ORDERS_AT_ONCE = 100
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A business may want to keep people for a shorter time later: so often it is looked at. */
const ASK_AGAIN_DAYS = 30

type ErasureRow = {
  businessId: string
  userId: string
  ids: string[]
  emailKey: string | null
  promoCustomer: string
  step: 'READERS' | 'ORDERS' | 'LATE_READERS' | 'LATE_ORDERS'
  /** An id of the person and the last order under it that was looked at. */
  after: string
  createdAt: Date
}

/**
 * The next step of an erasure, in one short transaction with the place where to go on. Returns false when it is done, or
 * waits for its day.
 */
export async function workOffErasure(
  db: Db,
  { businessId, userId }: { businessId: string; userId: string },
  keeping: Keeping,
): Promise<boolean> {
  const goesOn = await transaction(db, async (tx) => {
    const { rows } = await sql<ErasureRow>`
      select *
        from customers.erasures
       where business_id = ${businessId} and user_id = ${userId} and due_at <= ${now()}
         for update`.execute(tx)
    const [erasure] = rows
    if (!erasure) return false
    const isAboutOrders = erasure.step === 'ORDERS' || erasure.step === 'LATE_ORDERS'
    await (isAboutOrders ? eraseOrders(tx, erasure, keeping) : eraseReading(tx, erasure))
    await fault('erase-person.before-commit')
    return true
  })
  await fault('erase-person.after-commit')
  return goesOn
}

async function eraseReading(tx: Tx, erasure: ErasureRow): Promise<void> {
  const { businessId, ids, step } = erasure
  if (await eraseReaders(tx, erasure, READERS_AT_ONCE)) return
  await forgetCallers(tx, 'cell', [businessId], ids)
  return goOn(tx, { ...erasure, emailKey: null, step: step === 'READERS' ? 'ORDERS' : 'LATE_ORDERS', after: '' })
}

/** One id after another: under each the orders come in the order of their own ids, however many there are. */
async function eraseOrders(tx: Tx, erasure: ErasureRow, keeping: Keeping): Promise<void> {
  const { businessId, userId, ids, promoCustomer, step } = erasure
  // On the second day, only orders that were being made when the account went.
  const first = step === 'ORDERS' ? '' : newId('ord', erasure.createdAt.getTime() - HOUR_MS)
  const [customerId = ids[0] ?? '', after = first] = erasure.after === '' ? [] : erasure.after.split(' ')
  const { erased, kept, last } = await eraseNextOrders(
    tx,
    { businessId, promoCustomer, keptFrom: keptFromOf(keeping) },
    { customerId, after, limit: ORDERS_AT_ONCE },
  )
  await eraseAbout(tx, businessId, erased, keeping)
  await keepForNow(
    tx,
    businessId,
    kept.map((order) => ({ ...order, customerId })),
    keeping,
  )
  const next = last === undefined ? ids[ids.indexOf(customerId) + 1] : customerId
  if (next !== undefined) return goOn(tx, { ...erasure, after: `${next} ${last ?? first}` })
  if (step === 'ORDERS') return goOn(tx, { ...erasure, step: 'LATE_READERS', after: '' }, new Date(nowMs() + DAY_MS))
  await sql`delete from customers.erasures where business_id = ${businessId} and user_id = ${userId}`.execute(tx)
}

const goOn = async (tx: Tx, { businessId, userId, step, after, emailKey }: ErasureRow, dueAt = now()) =>
  void (await sql`
    update customers.erasures
       set step = ${step}, after = ${after}, email_key = ${emailKey}, due_at = ${dueAt}
     where business_id = ${businessId} and user_id = ${userId}`.execute(tx))

const keptFromOf = ({ keepPersonDays }: Keeping) => new Date(nowMs() - keepPersonDays * DAY_MS)

export async function eraseAbout(
  tx: Tx,
  businessId: string,
  orderIds: readonly string[],
  others: EraseOthers,
): Promise<void> {
  await others.erasePayers(tx, businessId, orderIds)
  await others.eraseEntries(tx, businessId, orderIds)
}

type Kept = KeptOrder & { customerId: string }

/** Orders in work are looked at every night, others when their time is over. */
async function keepForNow(
  tx: Tx,
  businessId: string,
  kept: readonly Kept[],
  { keepPersonDays }: Keeping,
): Promise<void> {
  if (kept.length === 0) return
  const latest = nowMs() + ASK_AGAIN_DAYS * DAY_MS
  const dueAt = ({ isEnded, createdAt }: Kept) =>
    isEnded ? new Date(Math.min(createdAt.getTime() + keepPersonDays * DAY_MS, latest)) : new Date(nowMs() + HOUR_MS)
  await sql`
    insert into customers.kept_orders as known (business_id, order_id, customer_id, due_at)
    select ${businessId}, order_id, customer_id, due_at
      from unnest(${kept.map(({ id }) => id)}::text[], ${kept.map(({ customerId }) => customerId)}::text[],
                  ${kept.map(dueAt)}::timestamptz[]) as kept (order_id, customer_id, due_at)
    on conflict (business_id, order_id) do update set customer_id = excluded.customer_id, due_at = excluded.due_at`.execute(
    tx,
  )
}

type KeptPlace = { businessId: string; orderId: string; customerId: string }

/** Businesses of orders that are due to be looked at again. */
export async function findDueBusinesses(db: Db, except: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ businessId: string }>`
    select distinct business_id
      from (select business_id from customers.kept_orders where due_at <= ${now()} and ${isHere('business_id')} and business_id <> all (${[...except]}::text[])
             order by due_at limit 1000) as due`.execute(db)
  return rows.map(({ businessId }) => businessId)
}

/** Looks again at orders of erased people that had to wait. Returns false when none of this business is due. */
export async function eraseKeptOrders(db: Db, businessId: string, keeping: Keeping): Promise<boolean> {
  const goesOn = await transaction(db, async (tx) => {
    const { rows } = await sql<KeptPlace>`
      select business_id, order_id, customer_id
        from customers.kept_orders
       where due_at <= ${now()} and business_id = ${businessId}
       order by due_at
       limit ${ORDERS_AT_ONCE}
         for update skip locked`.execute(tx)
    if (rows.length === 0) return false
    const orders = rows.map(({ orderId, customerId }) => ({ id: orderId, customerId }))
    const { erased, kept } = await eraseOrdersAgain(tx, { businessId, keptFrom: keptFromOf(keeping) }, orders)
    await eraseAbout(tx, businessId, erased, keeping)
    await sql`
      delete from customers.kept_orders
       where business_id = ${businessId} and order_id = any (${rows.map(({ orderId }) => orderId)}::text[])`.execute(tx)
    const customerOf = new Map(orders.map(({ id, customerId }) => [id, customerId]))
    await keepForNow(
      tx,
      businessId,
      kept.map((order) => ({ ...order, customerId: customerOf.get(order.id) ?? '' })),
      keeping,
    )
    await fault('erase-kept.before-commit')
    return true
  })
  await fault('erase-kept.after-commit')
  return goesOn
}
