import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { createRandom, item, market, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })
const STANDARD = { id: 'standard', name: 'Standard', price: 500 }

async function open() {
  const shop = await openShop(used.make)
  const attempt = (changes: object, carts: object[]) =>
    shop.admin.post(`${shop.path}/markets/try`, { market: market(changes), carts })
  return { ...shop, attempt }
}
const cart = (unitPrice: number, rest: object = {}) => ({ lines: [{ unitPrice, quantity: 1, ...rest }] })

test('a market that is not saved says what a shopper would pay, with tax on top or inside, and with shipping', async () => {
  const { attempt, admin, path } = await open()
  const taxed = { taxBps: 1_900, taxRates: [{ taxClass: 'reduced', taxBps: 700 }], shippingMethods: [STANDARD] }
  const carts = [cart(1_000), { ...cart(1_000), shippingMethodId: 'standard' }, cart(1_000, { taxClass: 'reduced' })]
  const onTop = await attempt({ ...taxed, taxShipping: true }, carts)
  assert.equal(onTop.status, 200, onTop.text)
  const totals = ({ body }: typeof onTop) => body.items.map(({ total }: { total: number }) => total)
  assert.deepEqual(totals(onTop), [1_190, 1_785, 1_070])
  assert.equal(onTop.body.items[1].shippingTax, 95)
  const inside = await attempt({ ...taxed, pricesIncludeTax: true }, carts)
  assert.deepEqual(totals(inside), [1_000, 1_500, 1_000])
  assert.deepEqual(
    inside.body.items.map(({ taxIncluded }: { taxIncluded: number }) => taxIncluded),
    [160, 160, 65],
  )
  assert.equal((await admin.get(path)).body.markets[0].taxBps, 1_000)
})

test('it gives what the quote of the saved market gives, for random markets and carts', async () => {
  const { attempt, configure, quote, admin, products } = await open()
  const random = createRandom(11)
  const guest = await used.make.guest()
  const classes = ['standard', 'reduced', 'books']
  for (let round = 0; round < 40; round++) {
    const currency = random.pick('USD', 'JPY', 'KWD')
    const amountUpTo = (max: number) => (currency === 'KWD' ? 10 * random.upTo(max / 10) : random.upTo(max))
    const settings = market({
      currency,
      taxBps: random.pick(0, 700, 1_900, random.upTo(10_000)),
      taxShipping: random.pick(true, false),
      pricesIncludeTax: random.pick(true, false),
      taxRates: classes
        .filter(() => random.pick(true, false))
        .map((taxClass) => ({ taxClass, taxBps: random.upTo(3_000) })),
      shippingMethods: [
        { ...STANDARD, price: amountUpTo(2_000), ...(random.pick(true, false) && { freeFrom: random.upTo(20_000) }) },
      ],
    })
    const lines = Array.from({ length: 1 + random.upTo(2) }, () => ({
      unitPrice: amountUpTo(9_999),
      quantity: 1 + random.upTo(4),
      taxClass: random.pick(...classes),
    }))
    await configure({ markets: [settings] })
    const goods = []
    for (const { unitPrice, taxClass } of lines) {
      const variants = [
        {
          id: 'one',
          sku: 'S',
          pricing: { markets: [{ marketId: 'us', price: unitPrice }] },
          inventory: { tracked: false, quantity: 0 },
        },
      ]
      const made = await admin.post(products, { name: 'Tried', taxClass, statuses: [{ status: 'ACTIVE' }], variants })
      assert.equal(made.status, 201, made.text)
      goods.push(made.body)
    }
    const items = goods.map((one, index) => item(one, lines[index]?.quantity))
    const real = await quote(guest, { items, shippingMethodId: 'standard' })
    assert.equal(real.status, 200, real.text)
    const tried = await attempt(settings, [{ lines, shippingMethodId: 'standard' }])
    assert.equal(tried.status, 200, tried.text)
    const plain = ({ type: _type, productId: _product, variantId: _variant, ...line }: Record<string, unknown>) => line
    assert.deepEqual(tried.body.items[0], { ...real.body, lines: real.body.lines.map(plain) })
  }
})

test('what could not be saved cannot be tried, nor by whoever may not set up the business', async () => {
  const { attempt, id, path } = await open()
  assert.equal(refusal(await attempt({ currency: 'XXQ' }, [cart(1)])), '422 VALIDATION_FAILED market.currency INVALID')
  const twice = [STANDARD, STANDARD]
  assert.equal(
    refusal(await attempt({ shippingMethods: twice }, [cart(1)])),
    '422 VALIDATION_FAILED market.shippingMethods.1.id DUPLICATE',
  )
  assert.equal(
    refusal(await attempt({ currency: 'KWD' }, [cart(1_000), cart(1_002)])),
    '422 VALIDATION_FAILED carts.1.lines.0.unitPrice STEP',
  )
  const elsewhere = [{ ...cart(1), shippingMethodId: 'pigeon' }]
  assert.equal(refusal(await attempt({}, elsewhere)), '422 VALIDATION_FAILED shippingMethodId NOT_FOUND')
  const clerk = await used.make.member(id, 'ORDERS_READ')
  assert.equal(
    refusal(await clerk.post(`${path}/markets/try`, { market: market(), carts: [cart(1)] })),
    '403 FORBIDDEN',
  )
})
