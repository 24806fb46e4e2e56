import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { endExpired } from '#modules/checkout/index.ts'
import { now } from '#platform/clock.ts'
import type { StripeTwin } from '../../twins/stripe/server.ts'
import { holdClock } from './clock.ts'
import { type Bought, type Counter, openCounter, quiet } from './counter.ts'
import { sweepAll } from './payment-storm.ts'
import type { Till } from './payments.ts'

const AROUND_MS = 50
const AT_ONCE = 5

export type RaceResult = { paid: number; released: number; refunded: number; wrong: string[] }

/**
 * Orders that somebody pays within ±50 ms of the moment at which the sweep ends them, the last of its kind each, so that stock
 * given back too early or too late shows. Counts how they ended.
 */
export async function raceExpiry(till: Till, { races }: { races: number }): Promise<RaceResult> {
  const clock = holdClock()
  try {
    const counter = await openCounter(till, { cell: 'main', quantity: races })
    const orders: Bought[] = []
    for (let made = 0; made < races; made += AT_ONCE) {
      const several = Array.from({ length: Math.min(AT_ONCE, races - made) }, () => counter.buy())
      orders.push(...(await Promise.all(several)))
    }
    const { db } = counter
    await db.updateTable('orders.orders').set({ expiresAt: null }).where('businessId', '=', counter.shop.id).execute()
    const hasPaid = new Map<string, boolean>()
    for (const [index, order] of orders.entries()) {
      // This one is due now, and no other.
      const due = { expiresAt: now() }
      await db.updateTable('orders.orders').set(due).where('id', '=', order.id).execute()
      const leadMs = ((index * 37) % (2 * AROUND_MS + 1)) - AROUND_MS
      const pay = async () => {
        await sleep(Math.max(0, -leadMs))
        hasPaid.set(order.id, tryToPay(till.twin, order.pageId))
      }
      const end = async () => {
        await sleep(Math.max(0, leadMs))
        await endExpired(till.context, db, pino({ level: 'silent' }))
      }
      await Promise.all([pay(), end(), end()])
    }
    await quiet(till, db)
    clock.advance(301)
    await sweepAll(till, db)
    await quiet(till, db)
    return await count(counter, orders, hasPaid)
  } finally {
    clock.release()
  }
}

/** False when the page has ended already. */
function tryToPay(twin: StripeTwin, pageId: string): boolean {
  try {
    twin.pay(pageId)
    return true
  } catch {
    return false
  }
}

async function count(counter: Counter, orders: readonly Bought[], hasPaid: ReadonlyMap<string, boolean>) {
  const result: RaceResult = { paid: 0, released: 0, refunded: 0, wrong: [] }
  let held = 0
  for (const order of orders) {
    const { paid, refunded } = await order.payment()
    const ledger = await order.ledger()
    const holds = ledger.startsWith('ORDER -1') && !ledger.endsWith('CANCEL 1')
    const ending = `${await order.state()}, ${holds ? 'holds' : 'released'}, ${hasPaid.get(order.id) ? 'money came' : 'no money'}, kept ${paid - refunded}`
    if (ending === 'PROCESSING/PAID, holds, money came, kept 1100') result.paid++
    else if (ending === 'CANCELLED/FAILED, released, no money, kept 0') result.released++
    else if (ending === 'CANCELLED/REFUNDED, released, money came, kept 0') result.refunded++
    else result.wrong.push(`${order.id}: ${ending} (${ledger})`)
    if (holds) held++
  }
  const stock = await counter.stock()
  if (stock !== orders.length - held)
    result.wrong.push(`${stock} in stock, though ${held} of ${orders.length} are held`)
  return result
}
