import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Stripe } from 'stripe'
import { item, market, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })

const shippingMethods = [{ id: 'post', name: 'Post', price: 500 }]

/** A shop with tax (10 %) and shipping (5.00), and a code that takes 10 % off. */
async function open() {
  const shop = await openShop(used.make, { name: 'Harbour & Sons' })
  const guest = await used.make.guest()
  const [mug, lamp] = [await shop.product({ name: 'Mug' }), await shop.product({ name: 'Lamp' })]
  await shop.configure({ markets: [market({ shippingMethods }), market({ id: 'de', currency: 'EUR' })] })
  await shop.promo()
  const buy = (body: object = {}, key?: string) =>
    shop.checkout(
      guest,
      { items: [item(mug, 2), item(lamp)], shippingMethodId: 'post', ...body },
      key === undefined ? {} : { 'idempotency-key': key },
    )
  return { ...shop, buy }
}

async function pageOf(orderId: string) {
  const sessions = used.twin.sessions().filter(({ client_reference_id }) => client_reference_id === `order:${orderId}`)
  assert.equal(sessions.length, 1)
  const stripe = new Stripe('sk_test_twin', { ...used.twin.clientOptions, maxNetworkRetries: 0 })
  const session = await stripe.checkout.sessions.retrieve(sessions[0]?.id ?? '', { expand: ['line_items'] })
  const html = await (await fetch(sessions[0]?.url ?? '')).text()
  const lines = session.line_items?.data.map(({ description, quantity, price }) => [
    description,
    quantity,
    price?.unit_amount,
  ])
  return { lines, off: session.total_details?.amount_discount, total: session.amount_total, html }
}

describe('the payment page', () => {
  test('lists each line with its own price, shipping, tax and discount, under the name of the business', async () => {
    const { buy, order } = await open()
    const { body } = await buy({ promoCode: 'TEN' })
    const { total } = await order(body.orderId)
    const page = await pageOf(body.orderId)

    assert.deepEqual(page.lines, [
      ['Mug, One size', 2, 1_000],
      ['Lamp, One size', 1, 1_000],
      ['Shipping', 1, 500],
      ['Tax', 1, 270],
    ])
    assert.deepEqual([page.off, page.total, total], [300, 3_470, 3_470])
    for (const text of ['Harbour &amp; Sons', 'Mug, One size', '2 × $10.00', 'Shipping', 'Tax', '-$3.00', '$34.70']) {
      assert.ok(page.html.includes(text), text)
    }
  })

  test('takes nothing off without a code', async () => {
    const { buy } = await open()
    const { body } = await buy()
    const page = await pageOf(body.orderId)
    assert.deepEqual([page.off, page.total], [0, 3_800])
    assert.equal(page.html.includes('Discount'), false)
  })

  test('is the same when it is asked for again, whatever the business is called by then', async () => {
    const { buy, admin, path, listAll } = await open()
    // The coupon is made, the page as well, and only its address is lost.
    const better = used.twin.behave({ next: 'reset', afterEffect: true, path: /sessions$/, times: 2 })
    assert.equal((await buy({ promoCode: 'TEN' }, 'again')).status, 503)
    better()
    assert.equal((await admin.put(path, { name: 'Another name' })).status, 200)
    const found = await buy({ promoCode: 'TEN' }, 'again')

    assert.equal(found.status, 200, found.text)
    const [{ id } = { id: '' }] = await listAll()
    const page = await pageOf(id)
    assert.ok(page.html.includes('Harbour &amp; Sons'))
    assert.equal(page.total, 3_470)
  })

  test('opens although its coupon was made by a request whose answer was lost, and whose key is forgotten', async () => {
    const { buy } = await open()
    const better = used.twin.behave({ next: 'reset', afterEffect: true, path: /coupons$/, times: 2 })
    assert.equal((await buy({ promoCode: 'TEN' }, 'coupon')).status, 503)
    better()
    const { status, body } = await buy({ promoCode: 'TEN' }, 'coupon')
    assert.equal(status, 200)
    assert.equal((await pageOf(body.orderId)).off, 300)
  })

  test('of an order of a hundred lines lists most of them, and the rest as one', async () => {
    const { buy, product } = await open()
    const variants = Array.from({ length: 100 }, (_, index) => ({
      id: `v${index}`,
      name: `No. ${index}`,
      pricing: { markets: [{ marketId: 'us', price: 100 + index }] },
      inventory: { tracked: false },
    }))
    const many = await product({ name: 'Bead', variants })
    const items = variants.map(({ id }) => item(many, 1, id))
    const { status, body, text } = await buy({ items })
    assert.equal(status, 200, text)
    const page = await pageOf(body.orderId)
    assert.equal(page.lines?.length, 92)
    assert.equal(page.lines?.[89]?.[0], '11 more products')
  })
})
