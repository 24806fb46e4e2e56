import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const CLOSED = { isPublic: false, showQuantity: false }

test('a shop is closed to those without a credential until it is told to be open, and only members see that', async () => {
  const { admin, path } = await used.make.business()
  assert.deepEqual((await admin.get(path)).body.storefront, CLOSED)
  const opened = await admin.put(path, { storefront: { isPublic: true } })
  assert.deepEqual([opened.status, opened.body.storefront], [200, { isPublic: true, showQuantity: false }], opened.text)
  const counted = await admin.put(path, { storefront: { showQuantity: true } })
  assert.deepEqual(counted.body.storefront, { isPublic: true, showQuantity: true }, 'what is not sent stays')
  assert.deepEqual((await admin.put(path, { name: 'Another' })).body.storefront, counted.body.storefront)
  assert.equal('storefront' in (await (await used.make.guest()).get(path)).body, false)

  const ada = await used.make.user()
  const made = await ada.post('/v1/businesses', { name: 'Open', storefront: { isPublic: true } })
  assert.deepEqual([made.status, made.body.storefront], [201, { isPublic: true, showQuantity: false }], made.text)
  assert.deepEqual((await ada.post('/v1/businesses', { name: 'Closed' })).body.storefront, CLOSED)
})

test('what is neither yes nor no is refused', async () => {
  const { admin, path } = await used.make.business()
  for (const storefront of [null, true, { isPublic: 'yes' }, { isPublic: null }, { showQuantity: 1 }])
    assert.equal((await admin.put(path, { storefront })).status, 422, JSON.stringify(storefront))
  assert.deepEqual((await admin.get(path)).body.storefront, CLOSED)
})
