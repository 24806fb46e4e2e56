import assert from 'node:assert/strict'
import { sql } from 'kysely'
import pino from 'pino'
import { endExpired } from '#modules/checkout/index.ts'
import { carryOutRefunds, reconcileStale } from '#modules/payments/index.ts'
import type { Db } from '#platform/database/database.ts'
import { seededRandom } from '../../twins/stripe/random.ts'
import type { Forgery } from '../../twins/stripe/server.ts'
import { holdClock } from '../support/clock.ts'
import { startMailServer } from '../support/mail-server.ts'
import { type Bought, openPaidShop, type PaidShop, waitUntilIdle } from '../support/paid-shop.ts'
import { startWorld, type World } from '../support/world.ts'

export type StormOptions = { orders: number; seed: number; note?: (text: string) => void }
export type StormResult = Awaited<ReturnType<typeof brewStorm>>

/** What becomes of an order at the provider, and what it must be here in the end. */
const FATES = {
  pay: 'PROCESSING/PAID',
  declineAndPay: 'PROCESSING/PAID',
  expire: 'CANCELLED/FAILED',
  refund: 'PROCESSING/REFUNDED',
  refundPart: 'PROCESSING/PARTIALLY_REFUNDED',
  leave: 'PENDING/PENDING',
} as const
type Fate = keyof typeof FATES
const LIKELY: Fate[] = ['pay', 'pay', 'pay', 'declineAndPay', 'expire', 'expire', 'refund', 'refundPart', 'leave']

const SHOPS = 3
const AT_ONCE = 8
const WAVE = 25

/**
 * Orders of several businesses (one of them paid on an account of its own) whose events are shuffled, sent several times, delayed,
 * lost and forged. Then the sweeps run with the clock moved on, and everything is counted.
 */
export async function brewStorm({ orders: count, seed, note = () => {} }: StormOptions) {
  const mailServer = await startMailServer()
  const service = await startWorld({ providers: ['stripe'], env: mailServer.env })
  const clock = holdClock()
  try {
    const random = seededRandom(seed)
    const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value
    const paidShops = await Promise.all(
      Array.from({ length: SHOPS }, (_, index) =>
        openPaidShop(service, {
          cell: 'main',
          quantity: count * 3,
          contactEmail: `shop${index}@storm.example`,
          ...(index === 0 && { account: 'acct_storm' }),
        }),
      ),
    )
    const started = performance.now()
    const plans = await inTurns(
      Array.from({ length: count }, () => ({
        paidShop: pick(paidShops),
        fate: pick(LIKELY),
        quantity: 1 + Math.floor(random() * 3),
      })),
      async (plan) => ({ ...plan, order: await plan.paidShop.buy({ quantity: plan.quantity }) }),
    )
    note(`${count} orders are placed after ${seconds(started)} s`)

    const { twin } = service
    twin.deliveries.length = 0
    twin.useRandom(seed)
    twin.mischief({ shuffle: true, duplicate: 2, delayMs: [0, 300], drop: 0.35 })
    let forged = 0
    let forgedTaken = 0
    // In waves: a burst larger than a pool can serve is answered 503 and sent again, which is another matter than this one.
    for (const [index, { order, fate, paidShop }] of plans.entries()) {
      const { pageId } = order
      if (fate === 'declineAndPay') twin.decline(pageId)
      if (fate === 'expire') twin.expire(pageId)
      else if (fate !== 'leave') {
        const { payment_intent: intent } = twin.pay(pageId, { email: `${order.id}@storm.example` })
        if (fate === 'refund') twin.refund(intent as string)
        if (fate === 'refundPart') twin.refund(intent as string, 100)
      }
      if (random() < 0.3) {
        const { status } = await twin.forge(lieAbout(order, paidShop), pick(FORGERIES))
        forged++
        if (status !== 400) forgedTaken++
      }
      if (index % WAVE === WAVE - 1) await twin.settled()
    }
    const [{ db } = assert.fail()] = paidShops
    await waitUntilIdle(service, db, 120_000)
    const afterEvents = (await wrong(plans)).length
    note(`the events are through after ${seconds(started)} s; ${afterEvents} orders do not know yet what happened`)

    // Events of refunds may all be lost: then nobody can know before the next event, and one more comes for each.
    twin.mischief()
    for (let rounds = 0; rounds < 2; rounds++) {
      clock.advance(301)
      await sweepAll(service, db)
      await waitUntilIdle(service, db, 120_000)
    }
    const afterReconciliation = await wrong(plans)
    const stale = plans.filter(({ order }) => afterReconciliation.some(({ id }) => id === order.id))
    const unlearned = stale.filter(({ fate }) => fate.startsWith('refund'))
    for (const { order } of unlearned) {
      const events = twin
        .events()
        .filter(
          ({ type, data }) =>
            type === 'charge.refunded' &&
            (data.object as { metadata?: { subject?: string } }).metadata?.subject === `order:${order.id}`,
        )
      for (const { id } of events) await twin.redeliver(id)
    }
    await waitUntilIdle(service, db, 120_000)
    const open = plans.filter(({ fate }) => fate === 'leave')
    for (const { order } of open) assert.equal(await order.state(), 'PENDING/PENDING')

    // An hour later: nobody has paid these.
    clock.advance(3_601)
    await sweepAll(service, db)
    await waitUntilIdle(service, db, 120_000)
    const wrongInTheEnd = (await wrong(plans, { leave: 'CANCELLED/FAILED' })).map(
      ({ id, is, expected }) => `${id} is ${is}, not ${expected}`,
    )
    note(`all is settled after ${seconds(started)} s`)

    const { deliveries } = twin
    return {
      orders: count,
      deliveries: deliveries.length,
      // Of true ones: answered with anything but 200, or not at all.
      notTaken: deliveries.filter(({ isForged, outcome, status }) => !isForged && outcome !== 'lost' && status !== 200)
        .length,
      warnings: countBy(
        service.lines
          .map(toLine)
          .filter(({ level }) => level === 40)
          .map(({ msg, err }) => `${msg}: ${err?.message}`),
      ),
      lost: deliveries.filter(({ outcome }) => outcome === 'lost').length,
      forged,
      forgedTaken,
      wrongAfterEvents: afterEvents,
      // Refunds whose every event was lost: only another event tells of them.
      refundsUnlearned: unlearned.length,
      wrongAfterReconciliation: stale.length - unlearned.length,
      wrongInTheEnd,
      unfair: await unfairIn(db, paidShops, plans, mailServer.mails),
      faults: service.lines.filter((line) => toLine(line).level >= 50),
      seconds: Number(seconds(started)),
    }
  } finally {
    clock.release()
    await service.close()
    await mailServer.close()
  }
}

type Plan = { paidShop: PaidShop; fate: Fate; quantity: number; order: Bought }

type Line = { level: number; msg?: string; err?: { message?: string } }
const toLine = (line: string) => JSON.parse(line) as Line

function countBy(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

const seconds = (since: number) => ((performance.now() - since) / 1_000).toFixed(1)

const FORGERIES: Forgery[] = [
  { secret: 'whsec_guess' },
  { secret: null },
  { timestamp: Math.floor(Date.now() / 1_000) - 600 },
  { tamper: (text) => text.replace('"complete"', '"expired"').replace('{', '{ ') },
]

const lieAbout = ({ id, pageId }: Bought, { shop }: PaidShop) => {
  const metadata = { businessId: shop.id, subject: `order:${id}` }
  const object = { id: pageId, object: 'checkout.session', status: 'complete', payment_status: 'paid', metadata }
  return { type: 'checkout.session.completed', data: { object } }
}

async function inTurns<From, To>(items: readonly From[], work: (item: From) => Promise<To>): Promise<To[]> {
  const done: To[] = []
  for (let start = 0; start < items.length; start += AT_ONCE) {
    done.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))))
  }
  return done
}

/** Every sweep until it finds nothing more to do. */
export async function sweepAll({ context }: Pick<World<'stripe'>, 'context'>, db: Db): Promise<void> {
  const log = pino({ level: 'silent' })
  for (const sweep of [endExpired, reconcileStale, carryOutRefunds]) {
    for (let found = 1; found > 0; ) found = await sweep(context, db, log)
  }
}

async function wrong(plans: readonly Plan[], changes: Partial<Record<Fate, string>> = {}) {
  const expectedOf = (fate: Fate): string => changes[fate] ?? FATES[fate]
  const states = await Promise.all(
    plans.map(async ({ order, fate }) => ({ id: order.id, is: await order.state(), expected: expectedOf(fate) })),
  )
  return states.filter(({ is, expected }) => is !== expected)
}

/** Every effect once, stock where it belongs: what is not so, in words. */
async function unfairIn(
  db: Db,
  paidShops: readonly PaidShop[],
  plans: readonly Plan[],
  mails: readonly { to?: { address?: string }[]; subject?: string }[],
): Promise<string[]> {
  const unfair: string[] = []
  const sent = new Map<string, number>()
  for (const { to, subject = '' } of mails) {
    const key = `${to?.[0]?.address?.toLowerCase()} ${subject}`
    sent.set(key, (sent.get(key) ?? 0) + 1)
  }
  for (const { order, fate, quantity, paidShop } of plans) {
    const isPaid = !['expire', 'leave'].includes(fate)
    const row = await order.row()
    const check = <Value extends string | number | boolean>(what: string, is: Value, expected: Value) => {
      if (is !== expected) unfair.push(`${order.id} (${fate}): ${what} is ${is}, not ${expected}`)
    }
    check('its ledger', await order.ledger(), isPaid ? `ORDER ${-quantity}` : `ORDER ${-quantity}, CANCEL ${quantity}`)
    check(
      'its history',
      row.statuses.map(({ status }) => status).join(' '),
      isPaid ? 'PENDING PROCESSING' : 'PENDING CANCELLED',
    )
    check('that it gave its stock back', row.releasedAt !== null, !isPaid)
    const paidEvents = (await order.events()).filter(({ type }) => type === 'order.paid').length
    check('how often it was told to be paid', paidEvents, isPaid ? 1 : 0)
    const mailed = sent.get(`${order.id}@storm.example Your order ${row.number}`) ?? 0
    check('how often it was confirmed', mailed, isPaid ? 1 : 0)
    const index = paidShops.indexOf(paidShop)
    check(
      'how often the shop was told',
      sent.get(`shop${index}@storm.example New order ${row.number}`) ?? 0,
      isPaid ? 1 : 0,
    )
    const times = new Set(row.paymentStatuses.map(({ status }) => status)).size
    check('the number of different payment states', times, row.paymentStatuses.length)
  }
  const { rows } = await sql<{ what: string }>`
    select format('stock of %s is %s, its ledger says %s', stock.product_id, stock.quantity, sum(movement.delta)) as what
      from catalog.stock
      join catalog.stock_movements as movement using (business_id, product_id, variant_id)
     group by stock.business_id, stock.product_id, stock.variant_id, stock.quantity
    having stock.quantity <> sum(movement.delta)`.execute(db)
  return [...unfair, ...rows.map(({ what }) => what)]
}
