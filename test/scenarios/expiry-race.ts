import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { endExpired } from '#modules/checkout/index.ts'
import { now } from '#platform/clock.ts'
import type { StripeTwin } from '../../twins/stripe/server.ts'
import { holdClock } from '../support/clock.ts'
import { type Bought, openPaidShop, type PaidShop, waitUntilIdle } from '../support/paid-shop.ts'
import type { World } from '../support/world.ts'
import { sweepAll } from './payment-storm.ts'

const AROUND_MS = 50
const AT_ONCE = 5

export type RaceResult = { paid: number; released: number; refunded: number; wrong: string[] }

/**
 * Orders that somebody pays within ±50 ms of the moment at which the sweep ends them, the last of its kind each, so that stock
 * given back too early or too late shows. Counts how they ended.
 */
export async function raceExpiry(service: World<'stripe'>, { races }: { races: number }): Promise<RaceResult> {
  const clock = holdClock()
  try {
    const paidShop = await openPaidShop(service, { cell: 'main', quantity: races })
    const orders: Bought[] = []
    for (let made = 0; made < races; made += AT_ONCE) {
      const several = Array.from({ length: Math.min(AT_ONCE, races - made) }, () => paidShop.buy())
      orders.push(...(await Promise.all(several)))
    }
    const { db } = paidShop
    await db.updateTable('orders.orders').set({ expiresAt: null }).where('businessId', '=', paidShop.shop.id).execute()
    const hasPaid = new Map<string, boolean>()
    for (const [index, order] of orders.entries()) {
      // This one is due now, and no other.
      const due = { expiresAt: now() }
      await db.updateTable('orders.orders').set(due).where('id', '=', order.id).execute()
      const leadMs = ((index * 37) % (2 * AROUND_MS + 1)) - AROUND_MS
      const pay = async () => {
        await sleep(Math.max(0, -leadMs))
        hasPaid.set(order.id, tryToPay(service.twin, order.pageId))
      }
      const end = async () => {
        await sleep(Math.max(0, leadMs))
        await endExpired(service.context, db, pino({ level: 'silent' }))
      }
      await Promise.all([pay(), end(), end()])
    }
    await waitUntilIdle(service, db)
    clock.advance(301)
    await sweepAll(service, db)
    await waitUntilIdle(service, db)
    return await count(paidShop, orders, hasPaid)
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

async function count(paidShop: PaidShop, orders: readonly Bought[], hasPaid: ReadonlyMap<string, boolean>) {
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
  const stock = await paidShop.stock()
  if (stock !== orders.length - held)
    result.wrong.push(`${stock} in stock, though ${held} of ${orders.length} are held`)
  return result
}
