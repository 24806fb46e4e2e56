import assert from 'node:assert/strict'
import fc from 'fast-check'
import { refusal } from '../../support/refusal.ts'
import { ask, command, index, withOrder } from './command.ts'
import { judge, place } from './model.ts'
import { nameOf, troubleAt } from './troubles.ts'

export const checkout = fc
  .record({
    product: fc.nat({ max: 1 }),
    quantity: fc.integer({ min: 1, max: 3 }),
    promo: fc.constantFrom(undefined, undefined, undefined, undefined, 0, 1),
    buyer: fc.nat({ max: 1 }),
    trouble: troubleAt('checkout'),
  })
  .map(({ trouble, ...wish }) =>
    command(`checkout ${JSON.stringify(wish)}${nameOf(trouble)}`, async (model, real) => {
      const product = model.products[wish.product] ?? assert.fail()
      const promo = wish.promo === undefined ? undefined : model.promos[wish.promo]
      const cart = { product, quantity: wish.quantity, promo }
      const expected = judge(cart)
      const { key, body, send } = real.newCheckout(wish.product, wish.quantity, promo?.code, wish.buyer)
      const answer = await ask(real, trouble, send)
      assert.equal(refusal(answer), expected)
      if (answer.status === 200) {
        const { orderId: id, checkoutUrl } = answer.body
        const pageId = checkoutUrl?.split('/').at(-1)
        const order = place(model, cart, { id, pageId, key, body, answer: answer.body, buyer: wish.buyer })
        assert.equal(answer.body.status, order.total === 0 ? 'COMPLETED' : undefined)
        await real.compareOrder(order)
      }
      await real.compareStock(model, product)
    }),
  )

export const repeat = index.map((wanted) =>
  withOrder(wanted, 'repeat the checkout of', async (_model, real, order) => {
    const answer = await real.repeatCheckout(order)
    assert.equal(refusal(answer), '200')
    assert.deepEqual(answer.body, order.answer)
  }),
)

export const changeStock = fc
  .tuple(fc.nat({ max: 1 }), fc.constantFrom(-5, -1, 1, 2, 5), troubleAt('stock'))
  .map(([which, delta, trouble]) =>
    command(`change stock of product ${which} by ${delta}${nameOf(trouble)}`, async (model, real) => {
      const product = model.products[which] ?? assert.fail()
      const isEnough = product.stock + delta >= 0
      const answer = await ask(real, trouble, real.newStockChange(which, delta))
      assert.equal(refusal(answer), isEnough ? '201' : '409 CONFLICT delta OUT_OF_STOCK')
      if (isEnough) product.stock += delta
      await real.compareStock(model, product)
    }),
  )

export const editProduct = fc
  .tuple(
    fc.nat({ max: 1 }),
    fc.oneof(
      fc.record({ price: fc.constantFrom(1_000, 1_500, 3_000) }),
      fc.record({ isActive: fc.constantFrom(true, true, true, false) }),
      fc.record({ isTracked: fc.constantFrom(true, true, false) }),
      fc.record({ stock: fc.nat({ max: 8 }) }),
    ),
  )
  .map(([which, change]) =>
    command(`edit product ${which} ${JSON.stringify(change)}`, async (model, real) => {
      const product = model.products[which] ?? assert.fail()
      Object.assign(product, change)
      assert.equal(refusal(await real.editProduct(which, change)), '200')
      await real.compareStock(model, product)
    }),
  )

export const editPromo = fc.tuple(fc.nat({ max: 1 }), fc.integer({ min: 1, max: 5 })).map(([which, max]) =>
  command(`limit promo code ${which} to ${max}`, async (model, real) => {
    const promo = model.promos[which] ?? assert.fail()
    promo.max = max
    assert.equal(refusal(await real.limitPromo(which, max)), '200')
  }),
)
