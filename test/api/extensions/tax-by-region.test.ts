import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newSigningSecret, signedHeaders } from '#platform/outgoing/signing.ts'
import { exampleOf, startExtendedApi } from '../../support/extended-api.ts'

const ADDRESS = '/v1/extensions/tax-by-region/webhooks/tax'
const RATES = [
  { country: 'DE', region: '', taxClass: 'reduced', taxBps: 700 },
  { country: 'DE', region: '', taxClass: 'standard', taxBps: 1_900 },
  { country: 'US', region: '', taxClass: 'standard', taxBps: 0 },
  { country: 'US', region: 'CA', taxClass: 'standard', taxBps: 725 },
]

let used: Awaited<ReturnType<typeof startExtendedApi>>
before(async () => {
  used = await startExtendedApi([exampleOf('tax-by-region')])
})
after(() => used.close())

/** A business whose tax callout is answered by the extension. */
async function openTaxed() {
  const { admin, id, path } = await used.make.business()
  const own = `${path}/extensions/tax-by-region`
  const secret = newSigningSecret()
  assert.equal((await admin.put(`${own}/secret`, { secret })).status, 200)
  const kept = await admin.put(`${own}/rates`, { rates: RATES })
  assert.deepEqual(kept.body, { rates: RATES })
  const question = (country: string, state: string | null, more: object = {}) => ({
    point: 'tax.calculate',
    businessId: id,
    requestId: 'req_1',
    market: 'us',
    currency: 'USD',
    pricesIncludeTax: false,
    customerId: null,
    shippingAddress: { country, state, name: 'Ada' },
    billingAddress: null,
    shippingMethodId: null,
    shipping: 500,
    discount: 0,
    lines: [
      {
        id: '1',
        productId: 'prod_1',
        variantId: 'one',
        sku: 'A',
        quantity: 2,
        unitPrice: 1_000,
        totalPrice: 2_000,
        discount: 0,
        taxClass: 'standard',
      },
    ],
    ...more,
  })
  const ask = (body: object, { signedBy = secret, at = new Date(), sent = body } = {}) => {
    const headers = signedHeaders({ id: 'msg_1', at, body: JSON.stringify(body), secrets: [signedBy] })
    return used.make.anonymous().post(ADDRESS, sent, headers)
  }
  return { admin, own, ask, question }
}

test('the callout is answered by the rate of the region', async () => {
  const { ask, question } = await openTaxed()
  const california = await ask(question('US', 'CA'))
  assert.equal(california.status, 200, california.text)
  assert.deepEqual(california.body, {
    lines: [{ id: '1', taxBps: 725, tax: 145 }],
    shippingTax: 36,
    taxes: [{ taxBps: 725, taxClasses: ['standard'], base: 2_500, amount: 181, included: false }],
  })
  const oregon = await ask(question('US', 'OR'))
  assert.deepEqual(oregon.body.lines, [{ id: '1', taxBps: 0, tax: 0 }])
})

test('tax inside of the prices is taken out of them, class by class', async () => {
  const { ask, question } = await openTaxed()
  const lines = [
    { id: '1', totalPrice: 1_070, discount: 0, taxClass: 'reduced' },
    { id: '2', totalPrice: 1_390, discount: 200, taxClass: 'standard' },
  ]
  const { body } = await ask(question('DE', null, { pricesIncludeTax: true, shipping: 0, lines }))
  assert.deepEqual(body, {
    lines: [
      { id: '1', taxBps: 700, tax: 70 },
      { id: '2', taxBps: 1_900, tax: 190 },
    ],
    shippingTax: 0,
    taxes: [
      { taxBps: 1_900, taxClasses: ['standard'], base: 1_000, amount: 190, included: true },
      { taxBps: 700, taxClasses: ['reduced'], base: 1_000, amount: 70, included: true },
    ],
  })
})

test('an unknown region is refused, never taxed at zero', async () => {
  const { ask, question } = await openTaxed()
  const { status, body } = await ask(question('FR', null))
  assert.equal(status, 422)
  assert.equal(body.message, 'There is no rate for FR. Add one.')
  assert.equal((await ask({ ...question('US', 'CA'), shippingAddress: null })).status, 422)
})

test('only what is signed with the secret of this business is answered', async () => {
  const [mine, theirs] = [await openTaxed(), await openTaxed()]
  const question = mine.question('US', 'CA')
  const statuses = await Promise.all([
    mine.ask(question, { signedBy: newSigningSecret() }),
    mine.ask(question, { at: new Date(Date.now() - 6 * 60_000) }),
    mine.ask(question, { sent: { ...question, shipping: 0 } }),
    theirs.ask(question),
    used.make.anonymous().post(ADDRESS, question),
    mine.ask({ ...question, businessId: 'biz_unknown' }),
  ])
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [401, 401, 401, 401, 401, 401],
  )
  assert.equal((await mine.ask(question)).status, 200)
})

test('only those who may change settings see or change the rates', async () => {
  const { own } = await openTaxed()
  const stranger = await used.make.user()
  assert.equal((await stranger.get(`${own}/rates`)).status, 403)
  assert.equal((await stranger.put(`${own}/secret`, { secret: newSigningSecret() })).status, 403)
})
