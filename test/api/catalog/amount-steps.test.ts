import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { itemsOf, steer, tryEdit } from '../../support/bulk-edits.ts'
import {
  CSV,
  countsOf,
  dryRun,
  faultsIn,
  importErrors,
  importFile,
  importLines,
  toLines,
} from '../../support/imports.ts'
import { refusal } from '../../support/refusal.ts'
import { market } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ worker: 'catalog' })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

/** Sells in dinars (`kw`), ariary (`mg`), and dollars (`us`). */
async function open() {
  const shop = await used.make.shop()
  const markets = [market(), market({ id: 'kw', currency: 'KWD' }), market({ id: 'mg', currency: 'MGA' })]
  assert.equal((await shop.admin.put(shop.path, { markets })).status, 200)
  return shop
}
const inKuwait = (price: number, more: object = {}) => ({ pricing: { markets: [{ marketId: 'kw', price, ...more }] } })
const priceOf = async ({ admin }: Awaited<ReturnType<typeof open>>, product: { path: string }) =>
  (await admin.get(product.path)).body.variants[0].pricing.markets[0].price

test('a price that is not a multiple of its currency’s step is rejected, with the next valid ones', async () => {
  const { admin, products } = await open()
  const create = (pricing: object[]) =>
    admin.post(products, { name: 'Dates', variants: [{ id: 'one', pricing: { markets: pricing } }] })
  const at = 'variants.0.pricing.markets'
  const rejected = await create([
    { marketId: 'us', price: 1_002 },
    { marketId: 'kw', price: 1_002, compareAtPrice: 5 },
    { marketId: 'mg', price: 150_050 },
    { marketId: 'kw', price: 995, validFrom: 1_900_000_000 },
  ])
  assert.equal(rejected.status, 422, rejected.text)
  assert.deepEqual(rejected.body.details, [
    { field: `${at}.1.price`, error: 'STEP', message: '1002 is not a multiple of 10. Use 1000 or 1010.' },
    { field: `${at}.1.compareAtPrice`, error: 'STEP', message: '5 is not a multiple of 10. Use 10.' },
    { field: `${at}.2.price`, error: 'STEP', message: '150050 is not a multiple of 100. Use 150000 or 150100.' },
    { field: `${at}.3.price`, error: 'STEP', message: '995 is not a multiple of 10. Use 990 or 1000.' },
  ])
  const most = await create([{ marketId: 'kw', price: Number.MAX_SAFE_INTEGER }])
  assert.match(most.body.details[0].message, /Use 9007199254740990\.$/)
  assert.equal(refusal(await create([{ marketId: 'kw', price: 0 }])), '201')
  assert.equal(refusal(await create([{ marketId: 'kw', price: 1_010, compareAtPrice: 1_200 }])), '201')
})

test('every way to change a price checks it, and a stored one that is sent back unchanged stays', async () => {
  const shop = await open()
  const { admin, id, db } = shop
  const dates = await used.make.product(shop, { variants: [{ id: 'one', ...inKuwait(1_000) }] })
  const variant = `${dates.path}/variants/one`
  assert.equal(
    refusal(await admin.put(dates.path, { variants: [{ id: 'one', ...inKuwait(1_001) }] })),
    '422 VALIDATION_FAILED variants.0.pricing.markets.0.price STEP',
  )
  assert.equal(refusal(await admin.put(variant, inKuwait(1_001))), '422 VALIDATION_FAILED pricing.markets.0.price STEP')
  assert.equal(refusal(await admin.put(`${variant}/prices/kw`, { price: 1_001 })), '422 VALIDATION_FAILED price STEP')
  assert.equal(await priceOf(shop, dates), 1_000)

  await sql`
    update catalog.variants set prices = jsonb_set(prices::jsonb, '{0,price}', '1002')
     where business_id = ${id} and product_id = ${dates.id}`.execute(db)
  const variants = [{ id: 'one', ...inKuwait(1_002, { currency: 'KWD' }) }]
  const kept = await admin.put(dates.path, { name: 'Old dates', variants })
  assert.equal(kept.status, 200, kept.text)
  assert.equal(refusal(await admin.put(`${variant}/prices/kw`, { price: 1_004 })), '422 VALIDATION_FAILED price STEP')
})

test('a fixed promo code is checked in its currency, a percentage and a minimum are not', async () => {
  const { admin, path, db } = await open()
  const codes = `${path}/promo-codes`
  const fixed = { code: 'FIX', type: 'FIXED', value: 105, currency: 'KWD' }
  const rejected = await admin.post(codes, fixed)
  assert.equal(refusal(rejected), '422 VALIDATION_FAILED value STEP')
  assert.equal(rejected.body.message, '105 is not a multiple of 10. Use 100 or 110.')
  const made = await admin.post(codes, { ...fixed, value: 110, minSubtotal: 1_005 })
  assert.equal(made.status, 201, made.text)
  const one = `${codes}/${made.body.id}`
  assert.equal(refusal(await admin.put(one, { value: 111 })), '422 VALIDATION_FAILED value STEP')
  assert.equal(refusal(await admin.put(one, { currency: 'MGA' })), '422 VALIDATION_FAILED value STEP')
  await sql`update catalog.promo_codes set value = 105 where id = ${made.body.id}`.execute(db)
  const ended = await admin.put(one, { endsAt: 1_700_000_000 })
  assert.equal(ended.status, 200, 'a stored value does not block other changes')
  assert.equal(refusal(await admin.put(one, { value: 106 })), '422 VALIDATION_FAILED value STEP')
  assert.equal(refusal(await admin.put(one, { value: 111, currency: 'USD' })), '200')
  assert.equal(refusal(await admin.post(codes, { code: 'PER', type: 'PERCENT', value: 1_111 })), '201')
})

test('an import reports each row with a price off the step, in a dry run and when it is applied', async () => {
  const shop = await open()
  const file = [
    'slug,name,price:kw,compareAtPrice:kw',
    'good,Good,1000,1200',
    'bad,Bad,1002,',
    'worse,Worse,1000,1203',
  ].join('\n')
  const at = 'variants.0.pricing.markets.0'
  const tried = await dryRun(shop, file, CSV)
  const failed = (await importLines(shop, tried.id)).filter(({ status }) => status === 'FAILED')
  const expected = [
    [{ field: `${at}.price`, error: 'STEP', message: '1002 is not a multiple of 10. Use 1000 or 1010.' }],
    [{ field: `${at}.compareAtPrice`, error: 'STEP', message: '1203 is not a multiple of 10. Use 1200 or 1210.' }],
  ]
  assert.deepEqual(
    failed.map(({ details }) => details),
    expected,
  )
  const done = await importFile(shop, file, CSV)
  assert.equal(countsOf(done), '1/0/2 of 3')
  const errors = await importErrors(shop, done.id)
  assert.deepEqual(
    errors.map(({ details }) => details),
    expected,
  )
  const again = await importFile(shop, toLines([{ slug: 'good', variants: [inKuwait(1_005)] }]))
  assert.equal(countsOf(again), '0/0/1 of 1')
})

test('a bulk edit rounds percentages to the step, and reports each product that it would take off it', async () => {
  const shop = await open()
  const dates = await used.make.product(shop, { variants: [{ id: 'one', ...inKuwait(1_050) }] })
  const change = { field: 'price', marketId: 'kw' }
  const raised = await tryEdit(shop, { ids: [dates.id] }, [{ ...change, op: 'percent', bps: 500 }])
  await steer(shop, raised.id, 'apply')
  assert.equal(await priceOf(shop, dates), 1_100) // 1102.5

  const ending = await tryEdit(shop, { ids: [dates.id] }, [{ ...change, op: 'round', to: 100, ending: 99 }])
  const [item] = await itemsOf(shop, ending.id)
  assert.equal(item?.status, 'REFUSED')
  assert.deepEqual(item?.details, [
    {
      field: 'variants.0.pricing.markets.0.price',
      error: 'STEP',
      message: '1099 is not a multiple of 10. Use 1090 or 1100.',
    },
  ])

  // The market changes its currency between the dry run and the apply.
  const set = await tryEdit(shop, { ids: [dates.id] }, [{ field: 'price', marketId: 'us', op: 'set', value: 1_111 }])
  const markets = [market({ currency: 'BHD' }), market({ id: 'kw', currency: 'KWD' })]
  assert.equal((await shop.admin.put(shop.path, { markets })).status, 200)
  const applied = await steer(shop, set.id, 'apply')
  assert.deepEqual([applied.applied, applied.refused], [0, 1])
  const [refused] = await itemsOf(shop, set.id)
  assert.deepEqual(
    refused?.details.map(({ error }) => error),
    ['STEP'],
  )
})
