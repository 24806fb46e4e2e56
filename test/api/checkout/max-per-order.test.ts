import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { item, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })

async function open(maxPerOrder: number | null = 3) {
  const shop = await openShop(used.make)
  const guest = await used.make.guest()
  const mug = await shop.priced(1_000, { tracked: true, quantity: 100, maxPerOrder })
  return { ...shop, guest, mug }
}

test('quote and checkout refuse more of a variant than one order may have, and name the maximum', async () => {
  const { guest, mug, quote, checkout } = await open()
  for (const ask of [quote, checkout]) {
    const refused = await ask(guest, { items: [item(mug, 4)] })
    assert.equal(refusal(refused), '422 VALIDATION_FAILED items.0.quantity TOO_LARGE')
    assert.match(refused.body.message, /^The maximum quantity of Product \d+ per order is 3\.$/)
    assert.equal((await ask(guest, { items: [item(mug, 3)] })).status, 200)
  }
  assert.equal(await mug.stock(), 97, 'what was refused took nothing')
})

test('equal lines count together', async () => {
  const { guest, mug, quote, checkout } = await open()
  for (const ask of [quote, checkout]) {
    const refused = await ask(guest, { items: [item(mug, 2), item(mug, 2)] })
    assert.equal(refusal(refused), '422 VALIDATION_FAILED items.0.quantity TOO_LARGE')
  }
})

test('an order by hand may have more', async () => {
  const { admin, orders, mug } = await open()
  const { id: customerId } = await used.make.user()
  const line = { productId: mug.id, variantId: 'one', quantity: 10, unitPrice: 1_000, totalPrice: 10_000 }
  const figures = { market: 'us', lines: [line], subtotal: 10_000, tax: 0, shipping: 0, total: 10_000 }
  const made = await admin.post(orders, { ...figures, customerId })
  assert.equal(made.status, 201, made.text)
})

test('the maximum is kept until it is changed or taken away, and is 1 to 10,000', async () => {
  const { admin, guest, mug, quote } = await open()
  const set = (inventory: object) => admin.put(mug.path, { variants: [{ id: 'one', inventory }] })
  const shown = async () => (await admin.get(mug.path)).body.variants[0].inventory.maxPerOrder
  assert.equal(await shown(), 3)
  assert.equal((await set({ quantity: 50 })).status, 200)
  assert.equal(await shown(), 3, 'not sent, not changed')
  assert.equal((await set({ maxPerOrder: 5 })).status, 200)
  assert.equal(await shown(), 5)
  assert.equal((await quote(guest, { items: [item(mug, 5)] })).status, 200)
  assert.equal((await set({ maxPerOrder: null })).status, 200)
  assert.equal(await shown(), undefined)
  assert.equal((await quote(guest, { items: [item(mug, 50)] })).status, 200)
  for (const wrong of [0, 10_001, 1.5])
    assert.equal(
      refusal(await set({ maxPerOrder: wrong })),
      '422 VALIDATION_FAILED variants.0.inventory.maxPerOrder INVALID',
    )
})
