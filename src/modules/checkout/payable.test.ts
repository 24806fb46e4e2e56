import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fitLines } from '#modules/payments/index.ts'
import { STRIPE_LIMITS } from '#platform/payments/stripe.ts'
import { isChargeable } from '#platform/payments/stripe-amounts.ts'
import { linesOf } from './payable.ts'

type Billed = Parameters<typeof linesOf>[0] & { currency: string; total: number }
const itemsOf = (order: Billed) =>
  fitLines({ limits: STRIPE_LIMITS, isChargeable }, { amount: order.total, currency: order.currency }, linesOf(order))

const line = (name: string, quantity: number, unitPrice: number) =>
  ({ name, quantity, unitPrice, totalPrice: quantity * unitPrice }) as Billed['lines'][number]

function bill(lines: Billed['lines'], changes: Partial<Billed> = {}): Billed {
  const sums = { tax: 0, shipping: 0, discount: 0, ...changes }
  const subtotal = lines.reduce((sum, { totalPrice }) => sum + totalPrice, 0)
  const total = subtotal + sums.tax + sums.shipping - sums.discount
  return { number: '2345-6789', currency: 'USD', promoCode: null, lines, ...sums, total, ...changes }
}

const comesTo = ({ items, discount }: ReturnType<typeof itemsOf>) =>
  items.reduce((sum, { amount, quantity }) => sum + amount * quantity, 0) - (discount?.amount ?? 0)

test('a page lists each line with its own price, then shipping, tax and what is taken off', () => {
  const order = bill([line('Mug, large', 2, 1_250), line('Sticker', 1, 0)], {
    shipping: 500,
    tax: 238,
    discount: 250,
    promoCode: 'TEN',
  })
  assert.deepEqual(itemsOf(order), {
    items: [
      { name: 'Mug, large', quantity: 2, amount: 1_250 },
      { name: 'Sticker', quantity: 1, amount: 0 },
      { name: 'Shipping', quantity: 1, amount: 500 },
      { name: 'Tax', quantity: 1, amount: 238 },
    ],
    discount: { name: 'TEN', amount: 250 },
  })
})

test('what costs nothing besides the goods is not listed', () => {
  assert.deepEqual(itemsOf(bill([line('Mug', 1, 1_000)])), { items: [{ name: 'Mug', quantity: 1, amount: 1_000 }] })
})

test('names are as long as the provider takes them, and never empty', () => {
  const { items } = itemsOf(bill([line('é'.repeat(300), 1, 100), line('  ', 1, 100)]))
  assert.deepEqual(
    items.map(({ name }) => Array.from(name).length),
    [250, 4],
  )
})

test('the rest of a long order is one line', () => {
  const lines = Array.from({ length: 100 }, (_, index) => line(`Product ${index}`, 2, 100 + index))
  const listed = itemsOf(bill(lines, { tax: 7, shipping: 5 }))
  assert.equal(listed.items.length, 92)
  assert.deepEqual(listed.items[89], { name: '11 more products', quantity: 1, amount: 2 * (11 * 100 + 1_034) })
  assert.equal(itemsOf(bill(lines.slice(0, 90))).items.length, 90)
})

test('a page says the total only where the parts do not come to it, or cannot be charged one by one', () => {
  const total = (amount: number) => ({ items: [{ name: 'Order 2345-6789', quantity: 1, amount }] })
  assert.deepEqual(itemsOf(bill([line('Mug', 1, 1_000)], { total: 999 })), total(999))
  // Dinars have three digits, of which the provider takes two; ariary have none there.
  assert.deepEqual(itemsOf(bill([line('Mug', 1, 1_005)], { currency: 'KWD', tax: 5 })), total(1_010))
  assert.deepEqual(itemsOf(bill([line('Mug', 1, 150_050)], { currency: 'MGA', tax: 50 })), total(150_100))
  assert.deepEqual(itemsOf(bill([line('Palace', 1, 100_000_000)], { discount: 50_000_000 })), total(50_000_000))
})

test('whatever is bought, the page comes to the total of the order', () => {
  const amount = fc.integer({ min: 0, max: 3_000_000 })
  const lines = fc.array(fc.tuple(fc.string(), fc.integer({ min: 1, max: 10_000 }), amount), {
    minLength: 1,
    maxLength: 100,
  })
  fc.assert(
    fc.property(lines, amount, amount, amount, (sent, tax, shipping, off) => {
      const made = sent.map(([name, quantity, unitPrice]) => line(name, quantity, unitPrice))
      const subtotal = made.reduce((sum, { totalPrice }) => sum + totalPrice, 0)
      const order = bill(made, { tax, shipping, discount: Math.min(off, subtotal) })
      assert.equal(comesTo(itemsOf(order)), order.total)
    }),
  )
})
