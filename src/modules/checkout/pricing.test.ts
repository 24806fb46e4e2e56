import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#vocabulary/errors.ts'
import { type Pricing, type PricingInput, type PricingPromo, price } from './pricing.ts'

type Line = [unitPrice: number, quantity: number, taxBps?: number, taxClass?: string]
type Case = Partial<Omit<PricingInput, 'lines'>> & { lines?: Line[] }

/** The steps of the currencies that carts here are in. */
const STEPS: Record<string, number> = { KWD: 10, TND: 10, MGA: 100 }

const input = ({ lines = [[1_000, 1]], taxBps = 0, ...rest }: Case): PricingInput => ({
  lines: lines.map(([unitPrice, quantity, rate = taxBps, taxClass = 'standard'], index) => ({
    productId: `p${index}`,
    variantId: 'one',
    quantity,
    unitPrice,
    taxClass,
    taxBps: rate,
  })),
  currency: 'USD',
  taxBps,
  taxShipping: false,
  shippingTaxBps: taxBps,
  pricesIncludeTax: false,
  shipping: null,
  promo: null,
  step: STEPS[rest.currency ?? ''] ?? 1,
  ...rest,
})
const percent = (value: number): PricingPromo => ({ code: 'P', type: 'PERCENT', value })
const fixed = (value: number): PricingPromo => ({ code: 'F', type: 'FIXED', value })
const figures = ({ subtotal, discount, shipping, tax, total }: Pricing) => [subtotal, discount, shipping, tax, total]
const post = { id: 'post', price: 490 }
const MAX = Number.MAX_SAFE_INTEGER

// Worked out on paper. Subtotal, discount, shipping, tax, total.
const cases: [name: string, input: Case, figures: [number, number, number, number, number]][] = [
  ['one article, no tax', {}, [1_000, 0, 0, 0, 1_000]],
  ['nothing to pay', { lines: [[0, 3]], taxBps: 1_900 }, [0, 0, 0, 0, 0]],
  [
    'tax on several lines',
    {
      lines: [
        [1_999, 2],
        [350, 3],
      ],
      taxBps: 1_900,
    },
    [5_048, 0, 0, 959, 6_007],
  ], // 959.12
  ['tax of exactly a half is rounded up', { lines: [[50, 1]], taxBps: 100 }, [50, 0, 0, 1, 51]], // 0.5
  ['tax just below a half is rounded down', { lines: [[4_999, 1]], taxBps: 1 }, [4_999, 0, 0, 0, 4_999]], // 0.4999
  [
    'tax is rounded once, not line by line',
    {
      lines: [
        [5, 1],
        [5, 1],
      ],
      taxBps: 1_000,
    },
    [10, 0, 0, 1, 11],
  ], // 0.5 + 0.5
  ['a percentage of exactly a half is rounded up', { lines: [[5, 1]], promo: percent(1_000) }, [5, 1, 0, 0, 4]], // 0.5
  ['a third off', { lines: [[1_000, 1]], promo: percent(3_333) }, [1_000, 333, 0, 0, 667]], // 333.3
  ['tax is on what is left after the discount', { taxBps: 1_000, promo: percent(2_500) }, [1_000, 250, 0, 75, 825]],
  ['a fixed amount off', { taxBps: 700, promo: fixed(333) }, [1_000, 333, 0, 47, 714]], // 46.69
  ['a discount never exceeds the subtotal', { taxBps: 1_900, promo: fixed(1_001) }, [1_000, 1_000, 0, 0, 0]],
  ['everything off, but not the shipping', { promo: percent(10_000), shipping: post }, [1_000, 1_000, 490, 0, 490]],
  ['shipping is not taxed', { taxBps: 1_900, shipping: post }, [1_000, 0, 490, 190, 1_680]],
  ['shipping is taxed', { taxBps: 1_900, taxShipping: true, shipping: post }, [1_000, 0, 490, 283, 1_773]], // 283.1
  ['one short of free shipping', { shipping: { ...post, freeFrom: 1_001 } }, [1_000, 0, 490, 0, 1_490]],
  ['exactly enough for free shipping', { shipping: { ...post, freeFrom: 1_000 } }, [1_000, 0, 0, 0, 1_000]],
  [
    'a discount can cost the free shipping',
    { promo: fixed(1), shipping: { ...post, freeFrom: 1_000 } },
    [1_000, 1, 490, 0, 1_489],
  ],
  ['free from nothing on', { promo: fixed(5_000), shipping: { ...post, freeFrom: 0 } }, [1_000, 1_000, 0, 0, 0]],
  [
    'free shipping is not taxed either',
    { taxBps: 1_000, taxShipping: true, shipping: { ...post, freeFrom: 1 } },
    [1_000, 0, 0, 100, 1_100],
  ],
  [
    'a currency without minor units',
    { currency: 'JPY', lines: [[1_480, 3]], taxBps: 1_000, shipping: { id: 'a', price: 550 } },
    [4_440, 0, 550, 444, 5_434],
  ],
  // 8_330 × 0.1 = 833 → 830; 7_500 × 0.19 = 1_425 → 1_430
  [
    'a percentage and a tax in dinars, to the nearest ten',
    { currency: 'KWD', lines: [[8_330, 1]], taxBps: 1_900, promo: percent(1_000), shipping: { id: 'a', price: 500 } },
    [8_330, 830, 500, 1_430, 9_430],
  ],
  ['half a step is rounded up', { currency: 'TND', lines: [[50, 1]], taxBps: 1_000 }, [50, 0, 0, 10, 60]], // 5
  ['just below half a step is rounded down', { currency: 'KWD', lines: [[40, 1]], taxBps: 1_000 }, [40, 0, 0, 0, 40]], // 4
  ['whole ariary', { currency: 'MGA', lines: [[450_000, 1]], taxBps: 1_333 }, [450_000, 0, 0, 60_000, 510_000]], // 59_985
  // 833.25
  [
    'a hundred lines',
    { lines: Array.from({ length: 100 }, (_, index) => [index + 1, 2] as [number, number]), taxBps: 825 },
    [10_100, 0, 0, 833, 10_933],
  ],
  ['all the money there is', { lines: [[MAX, 1]] }, [MAX, 0, 0, 0, MAX]],
  [
    'a percentage of all the money there is',
    { lines: [[MAX, 1]], promo: percent(5_000) },
    [MAX, 4_503_599_627_370_496, 0, 0, 4_503_599_627_370_495],
  ],
  // …474.099
  [
    'an odd sum that floating point would lose',
    { lines: [[900_719_925_474_099, 10]], promo: percent(1) },
    [9_007_199_254_740_990, 900_719_925_474, 0, 0, 9_006_298_534_815_516],
  ],
]

for (const [name, given, expected] of cases) {
  test(`${name}: ${expected.at(-1)}`, () => {
    const pricing = price(input(given))
    assert.deepEqual(figures(pricing), expected)
    assert.deepEqual([pricing.currency, pricing.taxBps], [given.currency ?? 'USD', given.taxBps ?? 0])
  })
}

test('a sum that no number holds exactly is refused, wherever it comes up', () => {
  const tooMuch: Case[] = [
    { lines: [[MAX, 2]] },
    {
      lines: [
        [MAX, 1],
        [1, 1],
      ],
    },
    { lines: [[MAX, 10_000]], promo: percent(10_000) },
    { lines: [[MAX, 1]], taxBps: 1 },
    { lines: [[MAX, 1]], shipping: { id: 'a', price: 1 } },
    { lines: [[MAX, 1]], taxShipping: true, taxBps: 10_000, shipping: { id: 'a', price: MAX } },
  ]
  for (const given of tooMuch) {
    assert.throws(
      () => price(input(given)),
      (error) => error instanceof AppError && error.status === 422 && error.details[0]?.error === 'AMOUNT_OUT_OF_RANGE',
    )
  }
})

/** The same rules in exact fractions (BigInt); undefined when a figure is too large. */
function oracle({ lines, currency, taxBps, taxShipping, shipping: method, promo }: PricingInput) {
  const step = BigInt(STEPS[currency] ?? 1)
  const big = (value: number) => BigInt(value)
  // Rounds half a step up.
  const rounded = (numerator: bigint, denominator: bigint) => {
    const below = numerator - (numerator % (denominator * step))
    const isUp = 2n * (numerator - below) >= denominator * step
    return below / denominator + (isUp ? step : 0n)
  }
  let subtotal = 0n
  for (const { unitPrice, quantity } of lines) for (let n = 0; n < quantity; n++) subtotal += big(unitPrice)
  let discount = 0n
  if (promo?.type === 'PERCENT') discount = rounded(subtotal * big(promo.value), 10_000n)
  if (promo?.type === 'FIXED') discount = big(promo.value)
  if (discount > subtotal) discount = subtotal
  let shipping = method ? big(method.price) : 0n
  if (method?.freeFrom !== undefined && !(subtotal - discount < big(method.freeFrom))) shipping = 0n
  const tax = rounded((subtotal - discount + (taxShipping ? shipping : 0n)) * big(taxBps), 10_000n)
  const total = subtotal + tax + shipping - discount
  if (subtotal > big(MAX) || total > big(MAX)) return undefined
  return [subtotal, discount, shipping, tax, total]
}

/** A seeded generator: the same numbers in every run. */
function createRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const upTo = (max: number) => Math.floor(next() * (max + 1))
  const pick = <Item>(...items: Item[]) => items[upTo(items.length - 1)] as Item
  return { upTo, pick }
}

/** As many steps, or where that is too much, the next multiple below. */
const inSteps = (units: number, step: number) => (units <= MAX / step ? units * step : units - (units % step))

test('20,000 carts cost what the rules say, worked out another way', () => {
  const { upTo, pick } = createRandom(20_261_115)
  const units = () => pick(0, upTo(9), upTo(99), upTo(9_999), upTo(99_999_999), upTo(2 ** 45), pick(0, MAX, upTo(MAX)))
  const bps = () => pick(0, 1, 5, 50, 700, 825, 1_900, 3_333, 5_000, 9_999, 10_000, upTo(10_000))
  const seen = { refused: 0, capped: 0, freeShipping: 0, nothingToPay: 0, halves: 0, halfSteps: 0 }
  for (let round = 0; round < 20_000; round++) {
    const currency = pick('USD', 'JPY', 'KWD', 'TND', 'MGA')
    const step = STEPS[currency] ?? 1
    const amount = () => inSteps(units(), step)
    const lines = Array.from({ length: pick(1, 1, 2, 3, 1 + upTo(20)) }, () => [amount(), pick(1, 2, 3, 1 + upTo(40))])
    const freeFrom = units()
    const given = input({
      currency,
      lines: lines as [number, number][],
      taxBps: bps(),
      taxShipping: pick(true, false),
      shipping: pick(null, { id: 'a', price: amount() }, { id: 'b', price: amount(), freeFrom }),
      promo: pick(null, percent(1 + upTo(9_999)), percent(bps() || 1), fixed(amount() || step)),
    })
    const expected = oracle(given)
    if (!expected) {
      assert.throws(() => price(given), { status: 422 }, JSON.stringify(given))
      seen.refused++
      continue
    }
    const pricing = price(given)
    const { subtotal, discount, shipping, tax, total } = pricing
    assert.deepEqual(figures(pricing).map(BigInt), expected, JSON.stringify(given))
    assert.equal(BigInt(total), BigInt(subtotal) + BigInt(tax) + BigInt(shipping) - BigInt(discount))
    assert.ok(figures(pricing).every((figure) => Number.isSafeInteger(figure) && figure >= 0))
    const shares = pricing.lines.flatMap((line) => [line.discount, line.tax])
    assert.ok(
      [...figures(pricing), ...shares].every((figure) => figure % step === 0),
      JSON.stringify(given),
    )
    assert.ok(pricing.lines.every((line) => BigInt(line.totalPrice) === BigInt(line.unitPrice) * BigInt(line.quantity)))
    if (discount > 0 && discount === subtotal) seen.capped++
    if (given.shipping?.price && shipping === 0) seen.freeShipping++
    if (total === 0) seen.nothingToPay++
    const taxed = BigInt(subtotal) - BigInt(discount) + (given.taxShipping ? BigInt(shipping) : 0n)
    if ((taxed * BigInt(given.taxBps)) % (10_000n * BigInt(step)) !== 5_000n * BigInt(step)) continue
    if (step === 1) seen.halves++
    else seen.halfSteps++
  }
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 20, `${what}: ${count}`)
})
