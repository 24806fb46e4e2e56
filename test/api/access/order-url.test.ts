import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const allowedOrigins = ['https://shop.example.com']
const orderUrl = 'https://shop.example.com/orders/{orderId}'

test('a business says where it shows an order, and only its members see it', async () => {
  const { admin, path } = await used.make.business()
  const set = await admin.put(path, { allowedOrigins, orderUrl })
  assert.deepEqual([set.status, set.body.orderUrl], [200, orderUrl], set.text)
  assert.equal((await admin.get(path)).body.orderUrl, orderUrl)
  assert.equal('orderUrl' in (await (await used.make.guest()).get(path)).body, false)
  const taken = await admin.put(path, { orderUrl: null })
  assert.equal(taken.body.orderUrl, null)
})

test('it must be on one of the allowed origins, also when these change', async () => {
  const { admin, path } = await used.make.business()
  const REFUSED = '422 VALIDATION_FAILED orderUrl INVALID'
  assert.equal(refusal(await admin.put(path, { orderUrl })), REFUSED)
  const wrong = await admin.put(path, { allowedOrigins, orderUrl: 'https://shop.example.com/orders' })
  assert.equal(refusal(wrong), REFUSED)
  assert.match(wrong.body.details[0].message, /contain \{orderId\}, such as https:/)
  assert.equal((await admin.put(path, { allowedOrigins, orderUrl })).status, 200)
  assert.equal(refusal(await admin.put(path, { allowedOrigins: ['https://new.example.com'] })), REFUSED)
  assert.equal((await admin.get(path)).body.orderUrl, orderUrl)
  const moved = { allowedOrigins: ['https://new.example.com'], orderUrl: 'https://new.example.com/{orderId}' }
  assert.equal((await admin.put(path, moved)).status, 200)
})
