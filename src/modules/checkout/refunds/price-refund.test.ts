import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type PricedRefund, type Progress, priceRefund, type Refundable, worthOf } from './price-refund.ts'

type Given = Progress['given'][number]

const line = (id: string, quantity: number, totalPrice: number, discount = 0, tax = 0) => ({
  id,
  quantity,
  totalPrice,
  discount,
  tax,
})
type Order = Omit<Refundable, 'currency'> & { currency?: string }
const totalOf = ({ lines, shipping, tax }: Order) =>
  lines.reduce((sum, { totalPrice, discount }) => sum + totalPrice - discount, shipping + tax)

/** An order that is refunded step by step. */
function refunding(bought: Order, shipped: Record<string, number> = {}) {
  const order = { currency: 'USD', ...bought }
  let left = totalOf(order)
  const given: Given[] = []
  const progress = (): Progress => ({ left, given, shipped: (id) => shipped[id] ?? 0 })
  const quote = (asked: Parameters<typeof priceRefund>[2]) => priceRefund(order, progress(), asked)
  function refund(asked: Parameters<typeof priceRefund>[2]): PricedRefund {
    const priced = quote(asked)
    left -= priced.amount
    given.push(...priced.lines.map(({ from, ...part }) => ({ ...part, origin: from })))
    given.push({ lineId: '', origin: null, quantity: 0, amount: priced.shipping })
    return priced
  }
  return { quote, refund, left: () => left, given }
}

const refuses = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    const { status, details } = error as {
      status: number
      details: { field: string; error: string; message: string }[]
    }
    return `${status} ${details[0]?.field} ${details[0]?.error}`
  }
  return 'made'
}

test('the first k of n pieces are worth their share, halves up, and all of them the whole', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((pieces) => worthOf(pieces, { quantity: 3, worth: 1_000 })),
    [0, 333, 667, 1_000],
  )
  assert.deepEqual(
    [1, 2].map((pieces) => worthOf(pieces, { quantity: 2, worth: 1 })),
    [1, 1],
  )
  assert.equal(worthOf(9_999, { quantity: 10_000, worth: Number.MAX_SAFE_INTEGER }), 9_006_298_534_815_517)
})

test('a line is worth its price without its discount, with its tax where that is on top', () => {
  const order = { lines: [line('a', 2, 2_000, 200, 342)], tax: 437, shipping: 500, shippingTax: 95 }
  const made = refunding(order).refund({ lines: [{ lineId: 'a', quantity: 1 }], shipping: true })
  assert.deepEqual(made, {
    amount: 1_071 + 595,
    lines: [{ lineId: 'a', quantity: 1, from: 'UNSHIPPED', amount: 1_071 }],
    shipping: 595,
  })
  const inside = { ...order, tax: 0 }
  assert.equal(refunding(inside).refund({ lines: [{ lineId: 'a', quantity: 1 }], shipping: true }).amount, 900 + 500)
})

test('of a currency without minor units each piece gives whole units', () => {
  const yen = refunding({ currency: 'JPY', lines: [line('a', 3, 1_000)], tax: 0, shipping: 0, shippingTax: 0 })
  const each = [1, 2, 3].map(() => yen.refund({ lines: [{ lineId: 'a', quantity: 1 }] }).amount)
  assert.deepEqual(each, [333, 334, 333])
  assert.equal(yen.left(), 0)
})

test('pieces and shares of a refund are multiples of the currency’s step', () => {
  const one = { lines: [{ lineId: 'a', quantity: 1 }] }
  const order = {
    currency: 'KWD',
    lines: [line('a', 3, 1_000), line('b', 1, 500)],
    tax: 0,
    shipping: 500,
    shippingTax: 0,
  }
  const dinars = refunding(order)
  assert.deepEqual(
    [1, 2, 3].map(() => dinars.refund(one).amount),
    [330, 340, 330],
  )
  const both = { lines: [...one.lines, { lineId: 'b', quantity: 1 }], shipping: true }
  const shared = refunding(order).quote({ ...both, amount: 100 })
  assert.deepEqual([...shared.lines.map(({ amount }) => amount), shared.shipping], [20, 40, 40])
})

test('an amount that is not a multiple of the currency’s step is rejected', () => {
  const order = { currency: 'KWD', lines: [line('a', 2, 2_000)], tax: 0, shipping: 0, shippingTax: 0 }
  const lines = [{ lineId: 'a', quantity: 1 }]
  assert.equal(
    refuses(() => refunding(order).quote({ amount: 123 })),
    '422 amount STEP',
  )
  assert.equal(
    refuses(() => refunding(order).quote({ lines, amount: 5 })),
    '422 amount STEP',
  )
  assert.equal(refunding(order).quote({ lines, amount: 130 }).amount, 130)
})

test('an order whose lines are off the step gives back all of it, in multiples', () => {
  const order = {
    currency: 'KWD',
    lines: [line('a', 1, 1_002), line('b', 1, 498)],
    tax: 0,
    shipping: 0,
    shippingTax: 0,
  }
  const old = refunding(order)
  assert.equal(old.refund({ lines: [{ lineId: 'a', quantity: 1 }] }).amount, 1_000)
  assert.equal(old.refund({}).amount, 500)
  assert.equal(old.left(), 0)
})

test('pieces that have not gone out come first', () => {
  const order = { lines: [line('a', 3, 3_000)], tax: 0, shipping: 0, shippingTax: 0 }
  const partly = refunding(order, { a: 1 })
  assert.deepEqual(
    partly
      .refund({ lines: [{ lineId: 'a', quantity: 3 }] })
      .lines.map(({ from, quantity, amount }) => [from, quantity, amount]),
    [
      ['UNSHIPPED', 2, 2_000],
      ['SHIPPED', 1, 1_000],
    ],
  )
  const asked = (quantity: number, from: 'UNSHIPPED' | 'SHIPPED') => ({ lines: [{ lineId: 'a', quantity, from }] })
  const chosen = refunding(order, { a: 1 })
  assert.equal(
    refuses(() => chosen.refund(asked(3, 'UNSHIPPED'))),
    '422 lines.0.quantity TOO_MANY',
  )
  assert.equal(chosen.refund(asked(1, 'SHIPPED')).amount, 1_000)
  assert.equal(chosen.refund(asked(2, 'UNSHIPPED')).amount, 2_000)
})

test('a lower amount is shared by what it is for, and what is left of a line can be had with its next piece', () => {
  const order = { lines: [line('a', 2, 2_000), line('b', 1, 500)], tax: 0, shipping: 500, shippingTax: 0 }
  const some = refunding(order)
  const lines = [
    { lineId: 'a', quantity: 1 },
    { lineId: 'b', quantity: 1 },
  ]
  assert.deepEqual(some.refund({ lines, shipping: true, amount: 100 }), {
    amount: 100,
    lines: [
      { lineId: 'a', quantity: 1, from: 'UNSHIPPED', amount: 50 },
      { lineId: 'b', quantity: 1, from: 'UNSHIPPED', amount: 25 },
    ],
    shipping: 25,
  })
  assert.equal(
    refuses(() => some.refund({ lines: [{ lineId: 'b', quantity: 1 }] })),
    '422 lines.0.quantity TOO_MANY',
  )
  assert.equal(some.quote({ shipping: true }).amount, 475)
  assert.equal(some.quote({ lines: [{ lineId: 'a', quantity: 1 }] }).amount, 1_950)
})

test('what cannot be refunded is refused', () => {
  const order = { lines: [line('a', 2, 2_000), line('free', 1, 0)], tax: 0, shipping: 0, shippingTax: 0 }
  const first = refunding(order)
  const one = { lineId: 'a', quantity: 1 }
  assert.equal(
    refuses(() => first.quote({ lines: [{ lineId: 'c', quantity: 1 }] })),
    '422 lines.0.lineId NOT_FOUND',
  )
  assert.equal(
    refuses(() => first.quote({ lines: [one, one, one] })),
    '422 lines.2.quantity TOO_MANY',
  )
  assert.equal(
    refuses(() => first.quote({ lines: [one], amount: 1_001 })),
    '422 amount TOO_LARGE',
  )
  assert.equal(
    refuses(() => first.quote({ amount: 2_001 })),
    '422 amount TOO_LARGE',
  )
  assert.equal(
    refuses(() => first.quote({ amount: 1, restock: true })),
    '422 lines REQUIRED',
  )
  assert.equal(
    refuses(() => first.quote({ shipping: true })),
    '409 amount NOTHING_TO_REFUND',
  )
  assert.equal(
    refuses(() => first.quote({ lines: [{ lineId: 'free', quantity: 1 }] })),
    '409 amount NOTHING_TO_REFUND',
  )
  first.refund({ amount: 1_500 })
  assert.equal(
    refuses(() => first.quote({ lines: [one] })),
    '422 amount TOO_LARGE',
  )
  assert.equal(first.quote({ lines: [one], amount: 500 }).amount, 500)
  assert.deepEqual(first.refund({}), {
    amount: 500,
    lines: [
      { lineId: 'a', quantity: 2, from: 'UNSHIPPED', amount: 500 },
      { lineId: 'free', quantity: 1, from: 'UNSHIPPED', amount: 0 },
    ],
    shipping: 0,
  })
  assert.equal(
    refuses(() => first.quote({})),
    '409 amount NOTHING_TO_REFUND',
  )
})

const STEPS = { USD: 1, KWD: 10, MGA: 100 }
const amount = fc.integer({ min: 0, max: 1_000_000 })
const orders = fc
  .record({
    lines: fc.array(
      fc.record({ quantity: fc.integer({ min: 1, max: 30 }), unitPrice: amount, off: fc.nat(100), tax: amount }),
      { minLength: 1, maxLength: 5 },
    ),
    shipping: amount,
    shippingTax: amount,
    isOnTop: fc.boolean(),
    currency: fc.constantFrom('USD', 'KWD', 'MGA'),
  })
  .map(({ lines, shipping, shippingTax, isOnTop, currency }): Refundable => {
    const step = STEPS[currency]
    const made = lines.map(({ quantity, unitPrice, off, tax }, index) => {
      const totalPrice = quantity * unitPrice
      const discount = Math.floor((totalPrice * off) / 100)
      return line(String(index + 1), quantity, totalPrice * step, discount * step, tax * step)
    })
    const tax = isOnTop ? made.reduce((sum, each) => sum + each.tax, shippingTax * step) : 0
    return { currency, lines: made, shipping: shipping * step, shippingTax: shippingTax * step, tax }
  })
const isInSteps = ({ currency }: Refundable, given: readonly Given[]) =>
  given.every(({ amount }) => amount % STEPS[currency as keyof typeof STEPS] === 0)
const picks = fc.array(fc.record({ line: fc.nat(4), pieces: fc.integer({ min: 1, max: 30 }), ship: fc.nat(30) }), {
  maxLength: 20,
})

test('refunds by line, in any order and however split, give back what was paid, and never more of a line', () => {
  fc.assert(
    fc.property(orders, picks, fc.boolean(), (order, steps, shippingFirst) => {
      const shipped = Object.fromEntries(steps.map(({ line: at, ship }) => [String(at + 1), ship]))
      const bought = refunding(order, shipped)
      const leftOf = (id: string) =>
        bought.given.filter(({ lineId }) => lineId === id).reduce((left, { quantity }) => left - quantity, 0) +
        (order.lines.find((each) => each.id === id)?.quantity ?? 0)
      const take = (id: string, quantity: number) => {
        const said = refuses(() => bought.refund({ lines: [{ lineId: id, quantity }] }))
        // Pieces that are worth nothing by themselves are taken together with the next ones.
        assert.ok(said === 'made' || said === '409 amount NOTHING_TO_REFUND', said)
      }
      const payShipping = () => refuses(() => bought.refund({ shipping: true }))
      if (shippingFirst) payShipping()
      for (const { line: at, pieces } of steps) {
        const id = String(at + 1)
        if (leftOf(id) > 0) take(id, Math.min(pieces, leftOf(id)))
      }
      for (const { id } of order.lines) if (leftOf(id) > 0) take(id, leftOf(id))
      if (!shippingFirst) payShipping()

      assert.equal(bought.left(), 0)
      assert.ok(isInSteps(order, bought.given))
      for (const { id, totalPrice, discount, tax } of order.lines) {
        const had = bought.given.filter(({ lineId }) => lineId === id).reduce((sum, part) => sum + part.amount, 0)
        assert.equal(had, totalPrice - discount + (order.tax > 0 ? tax : 0))
      }
    }),
    { numRuns: 5_000 },
  )
})

test('whatever is refunded in between, nothing gives more than is left, and the last refund gives all of it', () => {
  const step = fc.record({
    line: fc.option(fc.nat(4), { nil: undefined }),
    pieces: fc.integer({ min: 1, max: 30 }),
    amount: fc.option(
      fc.oneof(
        fc.integer({ min: 1, max: 2_000_000 }),
        fc.integer({ min: 1, max: 20_000 }).map((n) => n * 100),
      ),
      { nil: undefined },
    ),
    shipping: fc.boolean(),
  })
  fc.assert(
    fc.property(orders, fc.array(step, { maxLength: 12 }), (order, steps) => {
      const bought = refunding(order)
      for (const { line: at, pieces, amount: most, shipping } of steps) {
        const before = bought.left()
        const lines = at === undefined ? undefined : [{ lineId: String(at + 1), quantity: pieces }]
        if (!lines && !shipping && most === undefined) continue
        refuses(() => bought.refund({ ...(lines && { lines }), shipping, ...(most !== undefined && { amount: most }) }))
        assert.ok(bought.left() >= 0 && bought.left() <= before)
      }
      if (bought.left() > 0) bought.refund({})
      assert.equal(bought.left(), 0)
      assert.ok(isInSteps(order, bought.given))
      for (const { id, quantity, totalPrice, discount, tax } of order.lines) {
        const parts = bought.given.filter(({ lineId }) => lineId === id)
        const worth = totalPrice - discount + (order.tax > 0 ? tax : 0)
        assert.ok(parts.reduce((sum, part) => sum + part.quantity, 0) <= quantity)
        assert.ok(parts.reduce((sum, part) => sum + part.amount, 0) <= worth)
      }
    }),
    { numRuns: 5_000 },
  )
})
