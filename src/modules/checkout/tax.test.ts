import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#vocabulary/errors.ts'
import { type CartLine, type Pricing, type PricingInput, type PricingPromo, price } from './pricing.ts'

type Case = {
  /** `2x1000@1900:food`: two at 1000 each, at 19 %, of the class `food`. One and `standard` may be left out. */
  lines: string
  currency?: string
  inside?: true
  promo?: PricingPromo
  shipping?: number
  freeFrom?: number
  taxed?: true
  /** The market's own rate. */
  taxBps?: number
  shippingTaxBps?: number
}

/** The steps of the currencies that carts here are in. */
const STEPS: Record<string, number> = { KWD: 10, BHD: 10, MGA: 100 }

const percent = (value: number): PricingPromo => ({ code: 'P', type: 'PERCENT', value })
const fixed = (value: number): PricingPromo => ({ code: 'F', type: 'FIXED', value })
const MAX = Number.MAX_SAFE_INTEGER

function toLine(text: string, index: number): CartLine {
  const [, quantity = '1', unitPrice, taxBps, taxClass = 'standard'] =
    /^(?:(\d+)x)?(\d+)@(\d+)(?::(\w+))?$/.exec(text) ?? assert.fail(`not a line: ${text}`)
  return {
    productId: `p${index}`,
    variantId: 'one',
    quantity: Number(quantity),
    unitPrice: Number(unitPrice),
    taxClass,
    taxBps: Number(taxBps),
  }
}

const input = ({
  lines,
  inside,
  shipping,
  freeFrom,
  taxed,
  promo,
  currency = 'EUR',
  ...rates
}: Case): PricingInput => ({
  lines: lines.split(' ').map(toLine),
  currency,
  step: STEPS[currency] ?? 1,
  taxBps: rates.taxBps ?? 1_900,
  taxShipping: taxed ?? false,
  shippingTaxBps: rates.shippingTaxBps ?? 1_900,
  pricesIncludeTax: inside ?? false,
  shipping:
    shipping === undefined ? null : { id: 'post', price: shipping, ...(freeFrom !== undefined && { freeFrom }) },
  promo: promo ?? null,
})

/** A price in the notation of the table below. */
function written({ lines, taxes, ...sums }: Omit<Pricing, 'steps'>) {
  const { subtotal, discount, shipping, tax, total, taxIncluded, shippingTax, taxBps } = sums
  const equation = `${subtotal} - ${discount} + ${shipping} + ${tax} = ${total}`
  return [
    `${equation}, ${taxIncluded} inside, ${shippingTax} of shipping, ${taxBps} bps`,
    lines.map((line) => `${line.discount}/${line.tax}`).join(' '),
    taxes
      .map((group) => {
        const sum = `${group.base} ${group.included ? 'with' : '+'} ${group.amount}`
        return `${group.taxBps} ${group.taxClasses.join(' ')}: ${sum}`
      })
      .join(' | '),
  ]
}

// Worked out on paper. What is expected:
// subtotal - discount + shipping + tax = total, the tax inside, shipping's share of the tax, the rate;
// discount/tax of each line; the groups, each `rate classes: base + tax`, or `with` where it is inside.
const cases: [name: string, given: Case, sums: string, lines: string, taxes: string][] = [
  // One rate, on top of the prices.
  [
    'one article, taxed on top',
    { lines: '1000@1900' },
    '1000 - 0 + 0 + 190 = 1190, 0 inside, 0 of shipping, 1900 bps',
    '0/190',
    '1900 standard: 1000 + 190',
  ],
  // 2500 × 0.19 = 475: 475 × 2000 / 2500 = 380, 475 × 500 / 2500 = 95
  [
    'shipping shares the tax on top',
    { lines: '2x1000@1900', shipping: 500, taxed: true },
    '2000 - 0 + 500 + 475 = 2975, 0 inside, 95 of shipping, 1900 bps',
    '0/380',
    '1900 standard: 2500 + 475',
  ],
  [
    'shipping without tax is in no group',
    { lines: '2x1000@1900', shipping: 500 },
    '2000 - 0 + 500 + 380 = 2880, 0 inside, 0 of shipping, 1900 bps',
    '0/380',
    '1900 standard: 2000 + 380',
  ],
  [
    'free shipping has no tax',
    { lines: '2x1000@1900', shipping: 500, freeFrom: 2_000, taxed: true },
    '2000 - 0 + 0 + 380 = 2380, 0 inside, 0 of shipping, 1900 bps',
    '0/380',
    '1900 standard: 2000 + 380',
  ],
  // 2000 - 1 < 2000. 2499 × 0.19 = 474.81 → 475: × 1999 / 2499 = 379.96 → 380, × 500 / 2499 = 95.04 → 95
  [
    'a discount of one costs the free shipping, which is then taxed',
    { lines: '2x1000@1900', promo: fixed(1), shipping: 500, freeFrom: 2_000, taxed: true },
    '2000 - 1 + 500 + 475 = 2974, 0 inside, 95 of shipping, 1900 bps',
    '1/380',
    '1900 standard: 2499 + 475',
  ],
  // 5048 × 0.0825 = 416.46 → 416: × 3998 / 5048 = 329.47 → 329, × 1050 / 5048 = 86.53 → 87
  [
    'the larger remainder gets the cent, not the larger line',
    { lines: '2x1999@825 3x350@825', currency: 'USD', taxBps: 825 },
    '5048 - 0 + 0 + 416 = 5464, 0 inside, 0 of shipping, 825 bps',
    '0/329 0/87',
    '825 standard: 5048 + 416',
  ],
  // 99 × 0.1 = 9.9 → 10: 3.33 each, one left
  [
    'of three equal lines the first gets the one cent left',
    { lines: '33@1000 33@1000 33@1000' },
    '99 - 0 + 0 + 10 = 109, 0 inside, 0 of shipping, 1000 bps',
    '0/4 0/3 0/3',
    '1000 standard: 99 + 10',
  ],
  // 51 × 0.1 = 5.1 → 5: 1.67 each, two left
  [
    'of three equal lines the first two get the two cents left',
    { lines: '17@1000 17@1000 17@1000' },
    '51 - 0 + 0 + 5 = 56, 0 inside, 0 of shipping, 1000 bps',
    '0/2 0/2 0/1',
    '1000 standard: 51 + 5',
  ],
  // 15 × 0.1 = 1.5 → 2: 0.67 each, two left
  [
    'shipping comes after the last line when remainders are equal',
    { lines: '5@1000 5@1000', shipping: 5, taxed: true, shippingTaxBps: 1_000 },
    '10 - 0 + 5 + 2 = 17, 0 inside, 0 of shipping, 1000 bps',
    '0/1 0/1',
    '1000 standard: 15 + 2',
  ],
  // 10 × 0.1 = 1: 0, 0.5, 0.5
  [
    'a line that costs nothing gets no cent, though it is first',
    { lines: '0@1000 5@1000 5@1000' },
    '10 - 0 + 0 + 1 = 11, 0 inside, 0 of shipping, 1000 bps',
    '0/0 0/1 0/0',
    '1000 standard: 10 + 1',
  ],
  // 50 × 0.01 = 0.5 → 1: 0.5 each
  [
    'a group of exactly a half is rounded up',
    { lines: '25@100 25@100' },
    '50 - 0 + 0 + 1 = 51, 0 inside, 0 of shipping, 100 bps',
    '0/1 0/0',
    '100 standard: 50 + 1',
  ],
  // 49 × 0.01 = 0.49 → 0
  [
    'a group whose tax is rounded to nothing is still told',
    { lines: '49@100' },
    '49 - 0 + 0 + 0 = 49, 0 inside, 0 of shipping, 100 bps',
    '0/0',
    '100 standard: 49 + 0',
  ],
  // 300 - 100: 33.33 each → 34, 33, 33. 200 × 0.19 = 38: 38 × 66 / 200 = 12.54, twice 38 × 67 / 200 = 12.73
  [
    'a discount in thirds, then a tax on what is left of each line',
    { lines: '100@1900 100@1900 100@1900', promo: fixed(100) },
    '300 - 100 + 0 + 38 = 238, 0 inside, 0 of shipping, 1900 bps',
    '34/12 33/13 33/13',
    '1900 standard: 200 + 38',
  ],
  // 5 × 0.1 = 0.5 → 1: 0.4 and 0.6. 4 × 0.1 = 0.4 → 0
  [
    'a percentage of exactly a half is rounded up and falls on the larger line',
    { lines: '2@1000 3@1000', promo: percent(1_000) },
    '5 - 1 + 0 + 0 = 4, 0 inside, 0 of shipping, 1000 bps',
    '0/0 1/0',
    '1000 standard: 4 + 0',
  ],
  // 100 × 0.5 = 50. 50 × 0.19 = 9.5 → 10
  [
    'a discount is not spread over what costs nothing',
    { lines: '0@1900 100@1900', promo: percent(5_000) },
    '100 - 50 + 0 + 10 = 60, 0 inside, 0 of shipping, 1900 bps',
    '0/0 50/10',
    '1900 standard: 50 + 10',
  ],
  [
    'a rate of 100 percent on top',
    { lines: '3@10000' },
    '3 - 0 + 0 + 3 = 6, 0 inside, 0 of shipping, 10000 bps',
    '0/3',
    '10000 standard: 3 + 3',
  ],

  // Nothing to tax.
  [
    'lines that cost nothing have the rate of the lines, not of the market',
    { lines: '3x0@1900 0@1900:food', taxBps: 700 },
    '0 - 0 + 0 + 0 = 0, 0 inside, 0 of shipping, 1900 bps',
    '0/0 0/0',
    '',
  ],
  [
    'lines of several rates that cost nothing have the rate of the market',
    { lines: '0@1900 0@700:food', taxBps: 550 },
    '0 - 0 + 0 + 0 = 0, 0 inside, 0 of shipping, 550 bps',
    '0/0 0/0',
    '',
  ],
  [
    'lines of several rates that cost nothing have the rate of the market, inside too',
    { lines: '0@1900 0@700:food', inside: true, taxBps: 550, promo: percent(2_000) },
    '0 - 0 + 0 + 0 = 0, 0 inside, 0 of shipping, 550 bps',
    '0/0 0/0',
    '',
  ],
  [
    'a discount never exceeds the subtotal, nor a share its line',
    { lines: '300@1900 700@700:food', promo: fixed(5_000), taxBps: 2_000 },
    '1000 - 1000 + 0 + 0 = 0, 0 inside, 0 of shipping, 2000 bps',
    '300/0 700/0',
    '',
  ],
  // 490 × 0.19 = 93.1 → 93
  [
    'everything off leaves the tax on shipping, at its own rate',
    { lines: '1000@700:food', promo: percent(10_000), shipping: 490, taxed: true, taxBps: 700 },
    '1000 - 1000 + 490 + 93 = 583, 0 inside, 93 of shipping, 1900 bps',
    '1000/0',
    '1900 standard: 490 + 93',
  ],
  // 119 / 1.19 = 100
  [
    'a free article and shipping with its tax inside',
    { lines: '0@700:food', shipping: 119, taxed: true, inside: true },
    '0 - 0 + 119 + 0 = 119, 19 inside, 19 of shipping, 1900 bps',
    '0/0',
    '1900 standard: 100 with 19',
  ],
  [
    'a free article with free shipping',
    { lines: '0@700:food', shipping: 490, freeFrom: 0, taxed: true },
    '0 - 0 + 0 + 0 = 0, 0 inside, 0 of shipping, 700 bps',
    '0/0',
    '',
  ],
  [
    'everything off with shipping that is not taxed',
    { lines: '200@1900 200@700:food', promo: percent(10_000), shipping: 490, inside: true, taxBps: 1_600 },
    '400 - 400 + 490 + 0 = 490, 0 inside, 0 of shipping, 1600 bps',
    '200/0 200/0',
    '',
  ],

  // Several rates, on top.
  // 0 + 70 + 190 = 260; 260 / 3000 = 8.667 %
  [
    'three classes of three rates, the highest rate first',
    { lines: '1000@0:books 1000@700:food 1000@1900' },
    '3000 - 0 + 0 + 260 = 3260, 0 inside, 0 of shipping, 867 bps',
    '0/0 0/70 0/190',
    '1900 standard: 1000 + 190 | 700 food: 1000 + 70 | 0 books: 1000 + 0',
  ],
  // Apart 0.5 → 1 and 0.5 → 1; together 1
  [
    'two classes of one rate are rounded once',
    { lines: '5@1000:food 5@1000:books' },
    '10 - 0 + 0 + 1 = 11, 0 inside, 0 of shipping, 1000 bps',
    '0/1 0/0',
    '1000 food books: 10 + 1',
  ],
  // 600 × 0.19 = 114: 19, 38, 57
  [
    'classes are told once, in the order in which they come up',
    { lines: '100@1900:books 200@1900 300@1900:books' },
    '600 - 0 + 0 + 114 = 714, 0 inside, 0 of shipping, 1900 bps',
    '0/19 0/38 0/57',
    '1900 books standard: 600 + 114',
  ],
  [
    'a free article of another rate adds no group and does not mix the rate',
    { lines: '0@700:food 1000@1900' },
    '1000 - 0 + 0 + 190 = 1190, 0 inside, 0 of shipping, 1900 bps',
    '0/0 0/190',
    '1900 standard: 1000 + 190',
  ],
  [
    'a free article of the same rate adds its class',
    { lines: '0@700:books 100@700:food' },
    '100 - 0 + 0 + 7 = 107, 0 inside, 0 of shipping, 700 bps',
    '0/0 0/7',
    '700 books food: 100 + 7',
  ],
  // 1833 × 0.1 = 183.3 → 183: 99.84, 49.92, 33.25 → 100, 50, 33. 900 × 0.19 = 171, 450 × 0.07 = 31.5 → 32, 300 × 0 = 0.
  // 203 / 1650 = 12.303 %
  [
    'a percentage off three rates',
    { lines: '1000@1900 500@700:food 333@0:books', promo: percent(1_000) },
    '1833 - 183 + 0 + 203 = 1853, 0 inside, 0 of shipping, 1230 bps',
    '100/171 50/32 33/0',
    '1900 standard: 900 + 171 | 700 food: 450 + 32 | 0 books: 300 + 0',
  ],
  // 50 / 3 = 16.67 → 17, 17, 16. 83 × 0.19 = 15.77 → 16, 83 × 0.07 = 5.81 → 6, 84 × 0 = 0. 22 / 250 = 8.8 %
  [
    'a fixed amount off three equal lines of three rates',
    { lines: '100@1900 100@700:food 100@0:books', promo: fixed(50) },
    '300 - 50 + 0 + 22 = 272, 0 inside, 0 of shipping, 880 bps',
    '17/16 17/6 16/0',
    '1900 standard: 83 + 16 | 700 food: 83 + 6 | 0 books: 84 + 0',
  ],
  // 0.5 each → 1, 0. 1 × 0.19 = 0.19 → 0
  [
    'a group of which the discount leaves nothing is left out',
    { lines: '1@700:food 1@1900', promo: fixed(1) },
    '2 - 1 + 0 + 0 = 1, 0 inside, 0 of shipping, 1900 bps',
    '1/0 0/0',
    '1900 standard: 1 + 0',
  ],
  // 1000 × 0.07 = 70, 500 × 0.19 = 95; 165 / 1500 = 11 %
  [
    'shipping alone has the standard rate',
    { lines: '1000@700:food', shipping: 500, taxed: true },
    '1000 - 0 + 500 + 165 = 1665, 0 inside, 95 of shipping, 1100 bps',
    '0/70',
    '1900 standard: 500 + 95 | 700 food: 1000 + 70',
  ],
  // 70 / 1500 = 4.667 %
  [
    'shipping at a rate of nothing has a group',
    { lines: '1000@700:food', shipping: 500, taxed: true, shippingTaxBps: 0 },
    '1000 - 0 + 500 + 70 = 1570, 0 inside, 0 of shipping, 467 bps',
    '0/70',
    '700 food: 1000 + 70 | 0 standard: 500 + 0',
  ],
  // 1500 × 0.07 = 105: 70, 35
  [
    'shipping joins the lines of another class at its rate',
    { lines: '1000@700:food', shipping: 500, taxed: true, shippingTaxBps: 700 },
    '1000 - 0 + 500 + 105 = 1605, 0 inside, 35 of shipping, 700 bps',
    '0/70',
    '700 food standard: 1500 + 105',
  ],
  // 7 % of 100
  [
    'shipping that costs nothing anyway is in no group',
    { lines: '100@700:food', shipping: 0, taxed: true },
    '100 - 0 + 0 + 7 = 107, 0 inside, 0 of shipping, 700 bps',
    '0/7',
    '700 food: 100 + 7',
  ],
  // 190 + 70 = 260; 260 / 2000 = 13 %
  [
    'shipping without tax does not change the mixed rate',
    { lines: '1000@1900 1000@700:food', shipping: 490 },
    '2000 - 0 + 490 + 260 = 2750, 0 inside, 0 of shipping, 1300 bps',
    '0/190 0/70',
    '1900 standard: 1000 + 190 | 700 food: 1000 + 70',
  ],
  // 500 × 3/4 = 375, × 1/4 = 125. 1125 × 0.19 = 213.75 → 214, 375 × 0.07 = 26.25 → 26. 240 / 1500 = 16 %
  [
    'exactly enough for free shipping after the discount',
    { lines: '1500@1900 500@700:food', promo: fixed(500), shipping: 490, freeFrom: 1_500, taxed: true },
    '2000 - 500 + 0 + 240 = 1740, 0 inside, 0 of shipping, 1600 bps',
    '375/214 125/26',
    '1900 standard: 1125 + 214 | 700 food: 375 + 26',
  ],
  // 3000 × 0.125 = 375: 249.875 → 250, 125.125 → 125. (1749 + 600) × 0.0825 = 193.79 → 194:
  // × 1749 / 2349 = 144.45 → 144, × 600 / 2349 = 49.55 → 50. 194 / (2349 + 876) = 6.0155 %
  [
    'an eighth off, and the cent left goes to shipping',
    {
      lines: '1999@825 1001@0:food',
      currency: 'USD',
      promo: percent(1_250),
      shipping: 600,
      taxed: true,
      shippingTaxBps: 825,
    },
    '3000 - 375 + 600 + 194 = 3419, 0 inside, 50 of shipping, 602 bps',
    '250/144 125/0',
    '825 standard: 2349 + 194 | 0 food: 876 + 0',
  ],
  // 1 / 20000 = 0.5 of a basis point → 1
  [
    'a mixed rate of exactly a half is rounded up',
    { lines: '19900@0:food 100@100' },
    '20000 - 0 + 0 + 1 = 20001, 0 inside, 0 of shipping, 1 bps',
    '0/0 0/1',
    '100 standard: 100 + 1 | 0 food: 19900 + 0',
  ],
  // 30 × 0.1 = 3, whatever stands between: 10 / 30 × 3 = 1, 20 / 30 × 3 = 2. 100 × 0.05 = 5. 8 / 130 = 6.154 %
  [
    'the lines of a group need not be neighbours',
    { lines: '10@1000:food 100@500:books 20@1000:food' },
    '130 - 0 + 0 + 8 = 138, 0 inside, 0 of shipping, 615 bps',
    '0/1 0/5 0/2',
    '1000 food: 30 + 3 | 500 books: 100 + 5',
  ],

  // Inside the prices.
  [
    'one article with its tax inside',
    { lines: '1190@1900', inside: true },
    '1190 - 0 + 0 + 0 = 1190, 190 inside, 0 of shipping, 1900 bps',
    '0/190',
    '1900 standard: 1000 with 190',
  ],
  // 260 × 1070 / 2260 = 123.10 → 123, × 1190 / 2260 = 136.90 → 137.
  // 947 / 1.07 = 885.05 → 885, so 62; 1053 / 1.19 = 884.87 → 885, so 168. 230 / 1770 = 12.994 %
  [
    'a fixed amount off two rates inside',
    { lines: '1070@700:food 1190@1900', inside: true, promo: fixed(260) },
    '2260 - 260 + 0 + 0 = 2000, 230 inside, 0 of shipping, 1299 bps',
    '123/62 137/168',
    '1900 standard: 885 with 168 | 700 food: 885 with 62',
  ],
  // 4 / 1.6 = 2.5 → 3, so 1; the tax itself, 1.5, is not what is rounded
  [
    'half a cent inside goes to the base',
    { lines: '4@6000', inside: true },
    '4 - 0 + 0 + 0 = 4, 1 inside, 0 of shipping, 6000 bps',
    '0/1',
    '6000 standard: 3 with 1',
  ],
  // (2380 + 595) / 1.19 = 2500, so 475: 475 × 2380 / 2975 = 380, 475 × 595 / 2975 = 95
  [
    'shipping shares the tax inside',
    { lines: '2x1190@1900', shipping: 595, taxed: true, inside: true },
    '2380 - 0 + 595 + 0 = 2975, 475 inside, 95 of shipping, 1900 bps',
    '0/380',
    '1900 standard: 2500 with 475',
  ],
  // 2380 / 1.19 = 2000
  [
    'shipping without tax has none inside',
    { lines: '2x1190@1900', shipping: 595, inside: true },
    '2380 - 0 + 595 + 0 = 2975, 380 inside, 0 of shipping, 1900 bps',
    '0/380',
    '1900 standard: 2000 with 380',
  ],
  [
    'free shipping has no tax inside',
    { lines: '2x1190@1900', shipping: 595, freeFrom: 2_380, taxed: true, inside: true },
    '2380 - 0 + 0 + 0 = 2380, 380 inside, 0 of shipping, 1900 bps',
    '0/380',
    '1900 standard: 2000 with 380',
  ],
  // 120 / 1.19 = 100.84 → 101, so 19: 6.33 each
  [
    'of three equal lines the first gets the one cent left inside',
    { lines: '40@1900 40@1900 40@1900', inside: true },
    '120 - 0 + 0 + 0 = 120, 19 inside, 0 of shipping, 1900 bps',
    '0/7 0/6 0/6',
    '1900 standard: 101 with 19',
  ],
  // 6 / 2 = 3, so 3: 1.5 each
  [
    'a line comes before shipping when remainders are equal inside',
    { lines: '3@10000', shipping: 3, taxed: true, shippingTaxBps: 10_000, inside: true },
    '3 - 0 + 3 + 0 = 6, 3 inside, 1 of shipping, 10000 bps',
    '0/2',
    '10000 standard: 3 with 3',
  ],
  // 1 / 3 each → 1, 0, 0. 2 / 1.07 = 1.87 → 2, so 0
  [
    'one cent off three lines of one cent',
    { lines: '1@700:food 1@700:food 1@700:food', inside: true, promo: fixed(1) },
    '3 - 1 + 0 + 0 = 2, 0 inside, 0 of shipping, 700 bps',
    '1/0 0/0 0/0',
    '700 food: 2 with 0',
  ],
  [
    'a rate of nothing inside',
    { lines: '500@0', inside: true },
    '500 - 0 + 0 + 0 = 500, 0 inside, 0 of shipping, 0 bps',
    '0/0',
    '0 standard: 500 with 0',
  ],
  // 3950 × 0.2 = 790: 476, 214, 100. (1904 + 595) / 1.19 = 2100, so 399: × 1904 / 2499 = 304, × 595 / 2499 = 95.
  // 856 / 1.07 = 800. 455 / 3300 = 13.788 %
  [
    'a percentage off three rates inside, with shipping',
    { lines: '2x1190@1900 1070@700:food 500@0:books', inside: true, promo: percent(2_000), shipping: 595, taxed: true },
    '3950 - 790 + 595 + 0 = 3755, 455 inside, 95 of shipping, 1379 bps',
    '476/304 214/56 100/0',
    '1900 standard: 2100 with 399 | 700 food: 800 with 56 | 0 books: 400 with 0',
  ],
  // × 100 / 119 = 7569075003984026.05
  [
    'all the money there is, with its tax inside',
    { lines: `${MAX}@1900`, inside: true },
    `${MAX} - 0 + 0 + 0 = ${MAX}, 1438124250756965 inside, 0 of shipping, 1900 bps`,
    '0/1438124250756965',
    '1900 standard: 7569075003984026 with 1438124250756965',
  ],

  // Yen: no decimals.
  // 1100 / 1.1 = 1000, 1080 / 1.08 = 1000; 180 / 2000 = 9 %
  [
    'yen with two rates inside',
    { lines: '1100@1000 1080@800:food', currency: 'JPY', inside: true, taxBps: 1_000 },
    '2180 - 0 + 0 + 0 = 2180, 180 inside, 0 of shipping, 900 bps',
    '0/100 0/80',
    '1000 standard: 1000 with 100 | 800 food: 1000 with 80',
  ],
  // 444 / 1.08 = 411.11 → 411, so 33. (298 + 550) / 1.1 = 770.91 → 771, so 77: × 298 / 848 = 27.06 → 27,
  // × 550 / 848 = 49.94 → 50. 110 / 1182 = 9.306 %
  [
    'yen with two rates and shipping inside',
    {
      lines: '3x148@800:food 298@1000',
      currency: 'JPY',
      inside: true,
      shipping: 550,
      taxed: true,
      shippingTaxBps: 1_000,
    },
    '742 - 0 + 550 + 0 = 1292, 110 inside, 50 of shipping, 931 bps',
    '0/33 0/27',
    '1000 standard: 771 with 77 | 800 food: 411 with 33',
  ],
  // 4773 × 0.15 = 715.95 → 716: × 4440 / 4773 = 666.05 → 666, × 333 / 4773 = 49.95 → 50.
  // 3774 × 0.1 = 377.4 → 377, 283 × 0.08 = 22.64 → 23. 400 / 4057 = 9.8595 %
  [
    'yen with two rates on top and a percentage off',
    { lines: '3x1480@1000 333@800:food', currency: 'JPY', promo: percent(1_500), shipping: 550 },
    '4773 - 716 + 550 + 400 = 5007, 0 inside, 0 of shipping, 986 bps',
    '666/377 50/23',
    '1000 standard: 3774 + 377 | 800 food: 283 + 23',
  ],

  // Dinars: three decimals.
  [
    'dinars without tax',
    { lines: '12500@0', currency: 'KWD', taxBps: 0, shippingTaxBps: 0, shipping: 1_250 },
    '12500 - 0 + 1250 + 0 = 13750, 0 inside, 0 of shipping, 0 bps',
    '0/0',
    '0 standard: 12500 + 0',
  ],
  // (1060 + 530) / 1.05 = 1514.29 → 1510, so 80: × 1060 / 1590 = 53.3 → 50, × 530 / 1590 = 26.7 → 30. 80 / 2510 = 3.187 %
  [
    'dinars with two classes of one rate and a third class inside',
    { lines: '1060@500 530@500:food 1000@0:books', currency: 'KWD', inside: true, taxBps: 500 },
    '2590 - 0 + 0 + 0 = 2590, 80 inside, 0 of shipping, 319 bps',
    '0/50 0/30 0/0',
    '500 standard food: 1510 with 80 | 0 books: 1000 with 0',
  ],
  // (6950 + 1600) × 0.1 = 855 → 860: × 6950 / 8550 = 699.06 → 700, × 1600 / 8550 = 160.94 → 160. 860 / 9540 = 9.0147 %
  [
    'dinars with half a step to round, on top',
    { lines: '6950@1000 990@0:food', currency: 'BHD', shipping: 1_600, taxed: true, shippingTaxBps: 1_000 },
    '7940 - 0 + 1600 + 860 = 10400, 0 inside, 160 of shipping, 901 bps',
    '0/700 0/0',
    '1000 standard: 8550 + 860 | 0 food: 990 + 0',
  ],
  // 1000 × 0.3333 = 333.3 → 330: × 610 / 1000 = 201.3 → 200, × 390 / 1000 = 128.7 → 130. 670 × 0.19 = 127.3 → 130:
  // × 410 / 670 = 79.55 → 80, × 260 / 670 = 50.45 → 50. 130 / 670 = 19.403 %
  [
    'dinars with a third off, on top',
    { lines: '610@1900 390@1900', currency: 'KWD', promo: percent(3_333) },
    '1000 - 330 + 0 + 130 = 800, 0 inside, 0 of shipping, 1900 bps',
    '200/80 130/50',
    '1900 standard: 670 + 130',
  ],
  // 16500 × 0.25 = 4125 → 4130: × 11000 / 16500 = 2753.3 → 2750, × 5500 / 16500 = 1376.7 → 1380. 8250 / 1.1 = 7500.
  // 750 / (7500 + 4120) = 6.4544 %
  [
    'dinars with a quarter off, inside',
    { lines: '11000@1000 5500@0:food', currency: 'BHD', inside: true, promo: percent(2_500) },
    '16500 - 4130 + 0 + 0 = 12370, 750 inside, 0 of shipping, 645 bps',
    '2750/750 1380/0',
    '1000 standard: 7500 with 750 | 0 food: 4120 with 0',
  ],
]

for (const [name, given, ...expected] of cases) {
  test(name, () => {
    const cart = input(given)
    const pricing = price(cart)
    assert.deepEqual(written(pricing), expected)
    assert.equal(pricing.currency, cart.currency)
    const again = oracle(cart)?.pricing ?? assert.fail('refused')
    assert.deepEqual(written(again), expected, 'worked out another way')
  })
}

const isRefusal = (error: unknown) =>
  error instanceof AppError && error.status === 422 && error.details[0]?.error === 'AMOUNT_OUT_OF_RANGE'

test('a sum that no number holds exactly is refused, but only where there is one', () => {
  // 1.19 × 7569075003984026 = MAX - 0.06, but 1.19 × 7569075003984027 = MAX + 1.13.
  const onTop = (unitPrice: number) => input({ lines: `${unitPrice}@1900` })
  assert.equal(price(onTop(7_569_075_003_984_026)).total, MAX)
  assert.throws(() => price(onTop(7_569_075_003_984_027)), isRefusal)
  // Inside, nothing is added but shipping.
  assert.equal(price(input({ lines: `${MAX - 1}@1900`, inside: true, shipping: 1, taxed: true })).total, MAX)
  assert.throws(() => price(input({ lines: `${MAX}@1900`, inside: true, shipping: 1, taxed: true })), isRefusal)
  assert.throws(() => price(input({ lines: `${MAX}@0 1@700:food`, promo: percent(10_000) })), isRefusal)
  assert.throws(() => price(input({ lines: `${MAX}@700:food 0@0`, promo: fixed(1) })), isRefusal)
})

/** The same rules in exact whole numbers (BigInt); undefined when a figure is too large. */
function oracle(cart: PricingInput) {
  const seen = { ties: 0, halves: 0 }
  const step = BigInt(STEPS[cart.currency] ?? 1)
  const whole = BigInt(10_000)
  const total = (amounts: bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)

  const rounded = (numerator: bigint, denominator: bigint) => {
    const twice = (numerator % denominator) * 2n
    if (twice === denominator) seen.halves++
    return numerator / denominator + (twice < denominator ? 0n : 1n)
  }
  const toStep = (numerator: bigint, denominator: bigint) => rounded(numerator, denominator * step) * step

  /** Everyone gets the whole steps of their share; what is left goes, one by one, to who is owed most. */
  const largestRemainder = (amount: bigint, weights: bigint[]) => {
    const sum = total(weights)
    if (sum === 0n) return weights.map(() => 0n)
    const shares = weights.map((weight) => ((amount * weight) / sum / step) * step)
    const owed = weights.map((weight, index) => amount * weight - (shares[index] as bigint) * sum)
    for (let left = amount - total(shares); left > 0n; left -= step) {
      let most = 0
      for (const [index, rest] of owed.entries()) if (rest > (owed[most] as bigint)) most = index
      if (left === step && owed.some((rest, index) => index !== most && rest === owed[most])) seen.ties++
      shares[most] = (shares[most] as bigint) + step
      owed[most] = -1n
    }
    return shares
  }

  const prices = cart.lines.map(({ unitPrice, quantity }) => BigInt(unitPrice) * BigInt(quantity))
  const subtotal = total(prices)
  let discount = 0n
  if (cart.promo?.type === 'PERCENT') discount = toStep(subtotal * BigInt(cart.promo.value), whole)
  if (cart.promo?.type === 'FIXED') discount = BigInt(cart.promo.value)
  if (discount > subtotal) discount = subtotal
  let shipping = BigInt(cart.shipping?.price ?? 0)
  if (cart.shipping?.freeFrom !== undefined && subtotal - discount >= BigInt(cart.shipping.freeFrom)) shipping = 0n
  const discounts = largestRemainder(discount, prices)

  const parts = cart.lines.map(({ taxBps, taxClass }, index) => ({
    taxBps,
    taxClass,
    amount: (prices[index] as bigint) - (discounts[index] as bigint),
    tax: 0n,
  }))
  const taxedLines = [...parts]
  if (cart.taxShipping && shipping > 0n)
    parts.push({ taxBps: cart.shippingTaxBps, taxClass: 'standard', amount: shipping, tax: 0n })

  const taxes: Pricing['taxes'] = []
  let taxSum = 0n
  let baseSum = 0n
  const rates = [...new Set(parts.map((part) => part.taxBps))].toSorted((a, b) => b - a)
  for (const taxBps of rates) {
    const group = parts.filter((part) => part.taxBps === taxBps)
    const amount = total(group.map((part) => part.amount))
    if (amount === 0n) continue
    const rate = BigInt(taxBps)
    const base = cart.pricesIncludeTax ? toStep(amount * whole, whole + rate) : amount
    const tax = cart.pricesIncludeTax ? amount - base : toStep(amount * rate, whole)
    const shares = largestRemainder(
      tax,
      group.map((part) => part.amount),
    )
    for (const [index, part] of group.entries()) part.tax = shares[index] as bigint
    const taxClasses = [...new Set(group.map((part) => part.taxClass))]
    taxes.push({ taxBps, taxClasses, base: Number(base), amount: Number(tax), included: cart.pricesIncludeTax })
    taxSum += tax
    baseSum += base
  }

  const lineRates = new Set(cart.lines.map((line) => line.taxBps))
  let taxBps = cart.taxBps
  if (taxes.length === 1) taxBps = taxes[0]?.taxBps as number
  else if (taxes.length === 0 && lineRates.size === 1) taxBps = [...lineRates][0] as number
  else if (baseSum > 0n) taxBps = Number(rounded(taxSum * whole, baseSum))

  const tax = cart.pricesIncludeTax ? 0n : taxSum
  const sum = subtotal + tax + shipping - discount
  if (subtotal > BigInt(MAX) || sum > BigInt(MAX)) return undefined
  const pricing: Omit<Pricing, 'steps'> = {
    lines: cart.lines.map((line, index) => ({
      ...line,
      totalPrice: Number(prices[index]),
      discount: Number(discounts[index]),
      tax: Number(taxedLines[index]?.tax),
    })),
    subtotal: Number(subtotal),
    discount: Number(discount),
    shipping: Number(shipping),
    tax: Number(tax),
    taxIncluded: Number(taxSum - tax),
    shippingTax: Number(parts[cart.lines.length]?.tax ?? 0n),
    taxes,
    taxBps,
    total: Number(sum),
    currency: cart.currency,
  }
  return { pricing, seen }
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

/** Carts of one to 20 lines of up to five classes; some of small amounts only, so that remainders are often equal. */
function createCarts(seed: number) {
  const { upTo, pick } = createRandom(seed)
  const bps = () =>
    pick(0, 0, 1, 50, 500, 700, 700, 825, 1_000, 1_900, 1_900, 3_333, 6_000, 9_999, 10_000, upTo(10_000))
  const small = () => pick(0, 1, 5, 10, 100, upTo(9), upTo(99), upTo(999))
  const any = () =>
    pick(small(), upTo(9_999), upTo(99_999_999), upTo(2 ** 45), pick(upTo(2 ** 50), 0, MAX, upTo(MAX), MAX - upTo(9)))
  return (): PricingInput => {
    const currency = pick('JPY', 'EUR', 'USD', 'KWD', 'BHD', 'MGA')
    const step = STEPS[currency] ?? 1
    const units = pick(small, small, any)
    const amount = () => {
      const most = units()
      return most <= MAX / step ? most * step : most - (most % step)
    }
    const price = pick(amount, amount, amount, () => 0)
    const classes = ['standard', 'reduced', 'food', 'books', 'zero'].slice(0, 1 + upTo(4))
    const rates = new Map(classes.map((name) => [name, bps()]))
    const lines = Array.from({ length: pick(1, 2, 3, 4, 1 + upTo(19)) }, (_, index) => {
      const taxClass = pick(...classes)
      const quantity = pick(1, 1, 2, 3, 1 + upTo(40))
      const taxBps = rates.get(taxClass) as number
      return { productId: `p${index}`, variantId: 'one', quantity, unitPrice: price(), taxClass, taxBps }
    })
    return {
      lines,
      currency,
      step,
      taxBps: bps(),
      taxShipping: pick(true, false),
      shippingTaxBps: rates.get('standard') as number,
      pricesIncludeTax: pick(true, false),
      shipping: pick(
        null,
        { id: 'a', price: amount() },
        { id: 'b', price: amount(), freeFrom: units() },
        { id: 'c', price: amount(), freeFrom: 10 * small() },
      ),
      promo: pick(null, percent(1 + upTo(9_999)), percent(pick(1_000, 5_000, 10_000)), fixed(step + amount())),
    }
  }
}

test('20,000 carts are taxed as the rules say, worked out another way', () => {
  const nextCart = createCarts(20_261_118)
  const seen = {
    refused: 0,
    inside: 0,
    onTop: 0,
    severalRates: 0,
    fourRates: 0,
    classesOfOneRate: 0,
    rateOfNothing: 0,
    rateOfTheMarket: 0,
    ties: 0,
    halves: 0,
    freeShipping: 0,
    taxedShipping: 0,
    nothingOfALineLeft: 0,
    nothingToPay: 0,
    large: 0,
  }
  for (let round = 0; round < 20_000; round++) {
    const cart = nextCart()
    const expected = oracle(cart)
    if (!expected) {
      assert.throws(() => price(cart), isRefusal, JSON.stringify(cart))
      seen.refused++
      continue
    }
    const { steps: _, ...pricing } = price(cart)
    assert.deepEqual(pricing, expected.pricing, JSON.stringify(cart))
    const { lines, taxes } = pricing
    if (pricing.taxIncluded > 0) seen.inside++
    if (pricing.tax > 0) seen.onTop++
    if (taxes.length > 1) seen.severalRates++
    if (taxes.length > 3) seen.fourRates++
    if (taxes.some((group) => group.taxClasses.length > 1)) seen.classesOfOneRate++
    if (taxes.length > 1 && taxes.at(-1)?.taxBps === 0) seen.rateOfNothing++
    if (taxes.length === 0 && lines.some((line) => line.taxBps !== pricing.taxBps)) seen.rateOfTheMarket++
    if (expected.seen.ties > 0) seen.ties++
    if (expected.seen.halves > 0) seen.halves++
    if (cart.shipping?.price && pricing.shipping === 0) seen.freeShipping++
    if (pricing.shippingTax > 0) seen.taxedShipping++
    const isGone = lines.map((line) => line.totalPrice > 0 && line.discount === line.totalPrice)
    if (isGone.includes(true) && pricing.discount < pricing.subtotal) seen.nothingOfALineLeft++
    if (pricing.total === 0) seen.nothingToPay++
    if (pricing.total > 2 ** 52) seen.large++
  }
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 100, `${what}: ${count}`)
})

test('the shares of 5,000 carts add up, and none is more than rounding could give', () => {
  const nextCart = createCarts(20_261_119)
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + BigInt(amount), 0n)
  const far = (a: bigint, b: bigint) => (a > b ? a - b : b - a)
  const seen = { refused: 0, inside: 0, onTop: 0, taxedShipping: 0 }
  for (let round = 0; round < 5_000; round++) {
    const cart = nextCart()
    const told = JSON.stringify(cart)
    let pricing: Pricing
    try {
      pricing = price(cart)
    } catch (error) {
      assert.ok(isRefusal(error), told)
      seen.refused++
      continue
    }
    const { lines, taxes, subtotal, discount, shipping, tax, taxIncluded, shippingTax, total } = pricing
    const shares = lines.flatMap((line) => [line.totalPrice, line.discount, line.tax])
    const figures = [...shares, subtotal, discount, shipping, tax, taxIncluded, shippingTax, total, pricing.taxBps]
    const groupFigures = taxes.flatMap((group) => [group.base, group.amount])
    const isFigure = (figure: number) => Number.isSafeInteger(figure) && figure >= 0 && !Object.is(figure, -0)
    assert.ok([...figures, ...groupFigures].every(isFigure), told)
    const step = STEPS[cart.currency] ?? 1
    const charged = [...figures.slice(0, -1), ...groupFigures]
    assert.ok(
      charged.every((figure) => figure % step === 0),
      told,
    )

    assert.equal(BigInt(total), sum([subtotal, tax, shipping]) - BigInt(discount), told)
    assert.equal(cart.pricesIncludeTax ? tax : taxIncluded, 0, told)
    assert.equal(sum(lines.map((line) => line.totalPrice)), BigInt(subtotal), told)
    assert.equal(sum(lines.map((line) => line.discount)), BigInt(discount), told)
    assert.equal(sum([...lines.map((line) => line.tax), shippingTax]), sum([tax, taxIncluded]), told)
    assert.equal(sum(taxes.map((group) => group.amount)), sum([tax, taxIncluded]), told)
    assert.ok(
      taxes.every((group, index) => index === 0 || group.taxBps < (taxes[index - 1]?.taxBps as number)),
      told,
    )

    for (const line of lines) {
      assert.ok(line.discount <= line.totalPrice, told)
      // Less than one step away from the exact share.
      const away = far(BigInt(line.discount) * BigInt(subtotal), BigInt(discount) * BigInt(line.totalPrice))
      assert.ok(away < BigInt(step) * BigInt(subtotal) || away === 0n, told)
    }

    const isTaxed = cart.taxShipping && shipping > 0
    if (!isTaxed) assert.equal(shippingTax, 0, told)
    const parts = lines.map((line) => ({ taxBps: line.taxBps, amount: line.totalPrice - line.discount, tax: line.tax }))
    if (isTaxed) parts.push({ taxBps: cart.shippingTaxBps, amount: shipping, tax: shippingTax })
    for (const rate of new Set(parts.map((part) => part.taxBps))) {
      const members = parts.filter((part) => part.taxBps === rate)
      const whole = sum(members.map((part) => part.amount))
      const group = taxes.find(({ taxBps }) => taxBps === rate)
      assert.equal(group === undefined, whole === 0n, told)
      assert.equal(sum(members.map((part) => part.tax)), BigInt(group?.amount ?? 0), told)
      assert.equal(sum(group ? [group.base, group.included ? group.amount : 0] : []), whole, told)
      assert.equal(group?.included ?? cart.pricesIncludeTax, cart.pricesIncludeTax, told)
      // The group is at most half a step away from its exact tax, of which a part has its share; and a part is less than one
      // step away from its share of the group.
      const per = 10_000n + (cart.pricesIncludeTax ? BigInt(rate) : 0n)
      for (const part of members) {
        const amount = BigInt(part.amount)
        assert.ok(part.tax <= part.amount, told)
        const away = 2n * whole * far(BigInt(part.tax) * per, amount * BigInt(rate))
        assert.ok(away < BigInt(step) * per * (2n * whole + amount) || away === 0n, told)
      }
    }
    if (taxIncluded > 0) seen.inside++
    if (tax > 0) seen.onTop++
    if (shippingTax > 0) seen.taxedShipping++
  }
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 100, `${what}: ${count}`)
})
