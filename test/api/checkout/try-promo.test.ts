import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { item, market, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })
const TEN = { code: 'try-me', type: 'PERCENT', value: 1_000 }

async function open() {
  const shop = await openShop(used.make)
  const mug = await shop.product()
  const attempt = (promo: object, body: object = {}) =>
    shop.admin.post(`${shop.path}/promo-codes/try`, { promo, market: 'us', lines: [item(mug, 2)], ...body })
  return { ...shop, mug, attempt }
}

test('a code that is not saved is tried: what it gives, with its steps, and the cart without it', async () => {
  const { attempt, admin, path } = await open()
  const { status, body, text } = await attempt(TEN)
  assert.equal(status, 200, text)
  assert.deepEqual(body.refusals, [])
  assert.deepEqual([body.quote.subtotal, body.quote.discount, body.quote.total], [2_000, 200, 1_980])
  assert.deepEqual([body.without.discount, body.without.total], [0, 2_200])
  assert.deepEqual(
    body.quote.steps.find(({ rule }: { rule: string }) => rule.startsWith('promo')),
    { rule: 'promo TRY-ME, basis points', base: 2_000, rate: 1_000, result: 200 },
  )
  assert.deepEqual((await admin.get(`${path}/promo-codes`)).body.items, [])
})

test('it gives what the quote of the saved code gives', async () => {
  const { attempt, promo, quote, mug } = await open()
  const { code } = await promo(TEN)
  const saved = await quote(await used.make.guest(), { items: [item(mug, 2)], promoCode: code, explain: true })
  assert.deepEqual((await attempt(TEN)).body.quote, saved.body)
})

test('every reason why it would be refused is said, and what it would give all the same', async () => {
  const { attempt, configure } = await open()
  await configure({ markets: [market(), market({ id: 'de', currency: 'EUR' })] })
  const refused = { ...TEN, startsAt: 4_000_000_000, markets: ['de'], minSubtotal: 2_001 }
  const { body } = await attempt(refused)
  assert.deepEqual(body.refusals, ['NOT_STARTED', 'MARKET', 'MINIMUM'])
  assert.equal(body.quote.discount, 200)
  assert.deepEqual((await attempt({ ...TEN, endsAt: 1_000 })).body.refusals, ['ENDED'])
})

test('an amount gives nothing in another currency, and not more than the goods cost', async () => {
  const { attempt } = await open()
  const fixed = (currency: string, value: number) => ({ code: 'F', type: 'FIXED', value, currency })
  const euros = await attempt(fixed('EUR', 500))
  assert.deepEqual([euros.body.refusals, euros.body.quote.discount], [['CURRENCY'], 0])
  const dollars = await attempt(fixed('USD', 999_999))
  assert.deepEqual([dollars.body.refusals, dollars.body.quote.discount, dollars.body.quote.total], [[], 2_000, 0])
})

test('terms that do not fit together, an unknown market and unknown goods are refused', async () => {
  const { attempt } = await open()
  assert.equal(refusal(await attempt({ ...TEN, currency: 'USD' })), '422 VALIDATION_FAILED currency INVALID')
  assert.equal(refusal(await attempt(TEN, { market: 'mars' })), '422 VALIDATION_FAILED market NOT_FOUND')
  const lines = [{ productId: 'prod_none', variantId: 'one', quantity: 1 }]
  assert.equal(refusal(await attempt(TEN, { lines })), '422 VALIDATION_FAILED lines.0.variantId NOT_FOUND')
})
