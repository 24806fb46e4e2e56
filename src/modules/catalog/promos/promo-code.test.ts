import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fromSeconds } from '#vocabulary/time.ts'
import {
  codeProblem,
  foldCode,
  mergePromo,
  PROMO_REFUSALS,
  type Promo,
  type Purchase,
  promoNotApplicable,
  promoRefusal,
} from './promo-code.ts'

const business = { id: 'biz_1', markets: [] }
const make = (terms: Partial<Promo> = {}): Promo => ({
  ...mergePromo(undefined, { code: 'X', type: 'PERCENT', value: 1 }, { business, at: fromSeconds(0) }),
  ...terms,
})
const purchase: Purchase = { marketId: 'us', currency: 'USD', subtotal: 1_000, atSeconds: 500 }

test('however a code is typed, it is the same code', () => {
  for (const typed of ['SPRING-25', 'spring-25', ' Spring-25\n', 'ｓｐｒｉｎｇ－２５', 'ſpring-25']) {
    assert.equal(foldCode(typed), 'SPRING-25')
  }
  assert.equal(foldCode('straße'), foldCode('STRASSE'))
  assert.equal(foldCode('STRAẞE'), foldCode('strasse'))
  assert.equal(foldCode('e\u0301te\u0301'), 'ÉTÉ')
})

test('a folded code stays as it is, in upper and in lower case', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (typed) => {
      const folded = foldCode(typed)
      if (codeProblem(folded)) return
      assert.equal(foldCode(folded), folded)
      assert.equal(foldCode(folded.toLowerCase()), folded)
    }),
    { numRuns: 20_000 },
  )
  for (let point = 0; point <= 0x10_ff_ff; point++) {
    const folded = foldCode(String.fromCodePoint(point))
    if (!codeProblem(folded)) assert.equal(foldCode(folded), folded, `U+${point.toString(16)}`)
  }
})

test('a code has 1 to 64 letters, digits, _ and -', () => {
  for (const code of ['A', '1', '_-', 'ÄÖÜ', '日本', 'X'.repeat(64)]) assert.equal(codeProblem(code), undefined, code)
  assert.equal(codeProblem('X'.repeat(65))?.error, 'TOO_LONG')
  for (const code of ['', 'A B', 'A.B', '50%', '💥', 'A\0', '\ud800']) assert.equal(codeProblem(code)?.error, 'INVALID')
})

test('a code without terms can be used anywhere, any time, for anything', () => {
  assert.equal(promoRefusal(make(), purchase), undefined)
  assert.equal(promoRefusal(make(), { ...purchase, subtotal: 0, atSeconds: 0 }), undefined)
})

test('a code is good from startsAt until just before endsAt', () => {
  const promo = make({ startsAt: fromSeconds(100), endsAt: fromSeconds(200) })
  const at = (atSeconds: number) => promoRefusal(promo, { ...purchase, atSeconds })
  assert.deepEqual([99, 100, 199, 200].map(at), ['NOT_STARTED', undefined, undefined, 'ENDED'])
})

test('a code is good in its markets only', () => {
  const promo = make({ markets: ['us', 'ca'] })
  assert.equal(promoRefusal(promo, purchase), undefined)
  assert.equal(promoRefusal(promo, { ...purchase, marketId: 'de' }), 'MARKET')
})

test('a FIXED code is good in its currency only', () => {
  const promo = make({ type: 'FIXED', currency: 'USD' })
  assert.equal(promoRefusal(promo, purchase), undefined)
  assert.equal(promoRefusal(promo, { ...purchase, currency: 'EUR' }), 'CURRENCY')
})

test('a code is good from its minimum on', () => {
  const of = (minSubtotal: number) => promoRefusal(make({ minSubtotal }), purchase)
  assert.deepEqual([0, 999, 1_000, 1_001].map(of), [undefined, undefined, undefined, 'MINIMUM'])
})

test('every reason is told as PROMO_NOT_APPLICABLE', () => {
  const messages = PROMO_REFUSALS.map((reason) => {
    const { status, details } = promoNotApplicable(reason)
    assert.deepEqual([status, details.length], [422, 1])
    assert.deepEqual([details[0]?.field, details[0]?.error], ['promoCode', 'PROMO_NOT_APPLICABLE'])
    return details[0]?.message
  })
  assert.equal(new Set(messages).size, PROMO_REFUSALS.length)
})
