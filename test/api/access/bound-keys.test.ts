import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

test('a key bound to one business knows of no other', async () => {
  const here = await used.make.business()
  const there = await used.make.business({ owner: here.admin })
  const stranger = await used.make.business()
  const listed = async (key: { get: typeof here.admin.get }) =>
    (await key.get('/v1/businesses')).body.items.map(({ id }: { id: string }) => id).sort()

  assert.deepEqual(await listed(await used.make.apiKey(here.admin.id)), [here.id, there.id].sort())
  assert.deepEqual(await listed(await used.make.apiKey(here.admin.id, here.id)), [here.id])
  assert.deepEqual(await listed(await used.make.apiKey(here.admin.id, stranger.id)), [])
})

test('elsewhere a bound key is a stranger, whatever its user may do there', async () => {
  const here = await used.make.business()
  const there = await used.make.business({ owner: here.admin })
  const key = await used.make.apiKey(here.admin.id, here.id)

  assert.ok('contactEmail' in (await key.get(here.path)).body)
  assert.ok(!('contactEmail' in (await key.get(there.path)).body))
  assert.equal((await key.put(here.path, { name: 'Renamed' })).status, 200)
  assert.equal(refusal(await key.put(there.path, { name: 'Renamed' })), '403 FORBIDDEN')
  assert.equal(refusal(await key.get(`${there.path}/audit`)), '403 FORBIDDEN')
  assert.equal(refusal(await key.get(`${there.path}/events`)), '403 FORBIDDEN')
})

test('one’s own record shows to a bound key only what belongs to its business', async () => {
  const here = await used.make.business()
  const { admin } = here
  const there = await used.make.business({ owner: admin })
  const key = await used.make.apiKey(admin.id, here.id)
  for (const businessId of [there.id, undefined]) await used.make.apiKey(admin.id, businessId)
  await admin.put(`/v1/users/me/businesses/${there.id}`, { settings: { note: 'private' } })
  const mine = await key.put(`/v1/users/me/businesses/${here.id}`, { settings: { note: 'here' } })
  assert.equal(mine.status, 200, mine.text)

  for (const { body, text } of [mine, await key.get('/v1/users/me')]) {
    assert.equal(text.includes(there.id), false)
    assert.deepEqual(body.businessUserConfigs, [{ businessId: here.id, settings: { note: 'here' } }])
    assert.equal(body.roles.length, 1)
    assert.deepEqual(
      body.apiTokens.map((shown: { businessId: string }) => shown.businessId),
      [here.id],
    )
  }
  assert.equal((await admin.get('/v1/users/me')).body.apiTokens.length, 3)
})

test('elsewhere a bound key writes nothing, not even what any guest may', async () => {
  const here = await used.make.business()
  const there = await used.make.shop()
  const product = await used.make.product(there)
  const letters = { name: 'Letters', type: 'NEWSLETTER', statuses: [{ status: 'PUBLISHED' }] }
  const { body: collection } = await there.admin.post(`${there.path}/collections`, {
    ...letters,
    blocks: [{ id: 'title', type: 'TEXT' }],
  })
  const key = await used.make.apiKey(here.admin.id, here.id)
  const items = [{ productId: product.id, variantId: 'one', quantity: 1 }]
  const subscribe = `${there.path}/collections/${collection.id}/subscribe`
  for (const refused of [
    await key.post(subscribe, { email: 'reader@example.com' }),
    await key.post(`${there.path}/orders/checkout`, { market: 'us', items }),
  ])
    assert.equal(refusal(refused), '403 FORBIDDEN')
  const quote = { businessId: there.id, market: 'us', items }
  assert.equal(refusal(await key.post('/v1/payments/quote', quote)), '403 FORBIDDEN')
  const { control } = used.api.services.databases
  const customers = await control
    .selectFrom('access.customers')
    .select('userId')
    .where('businessId', '=', there.id)
    .execute()
  assert.deepEqual(customers, [])
  assert.equal((await key.get(there.path)).status, 200, 'it reads what any guest may')
})
