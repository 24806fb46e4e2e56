import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

test('a business says in which time zone its days begin; it is UTC unless told, and only members see it', async () => {
  const { admin, path } = await used.make.business()
  assert.equal((await admin.get(path)).body.timeZone, 'UTC')
  const set = await admin.put(path, { timeZone: 'Europe/Berlin' })
  assert.deepEqual([set.status, set.body.timeZone], [200, 'Europe/Berlin'], set.text)
  assert.equal((await admin.put(path, { name: 'Another' })).body.timeZone, 'Europe/Berlin')
  assert.equal((await admin.get('/v1/businesses')).body.items[0].timeZone, 'Europe/Berlin')
  assert.equal('timeZone' in (await (await used.make.guest()).get(path)).body, false)

  const ada = await used.make.user()
  const made = await ada.post('/v1/businesses', { name: 'Far away', timeZone: 'Pacific/Auckland' })
  assert.deepEqual([made.status, made.body.timeZone], [201, 'Pacific/Auckland'], made.text)
})

test('a change of it is in the feed as a change of the business', async () => {
  const { admin, path, id } = await used.make.business()
  await admin.put(path, { timeZone: 'Europe/Lisbon' })
  const told = await used.api.services.databases.control
    .selectFrom('access.eventOutbox')
    .select(['type', 'data'])
    .where('businessId', '=', id)
    .execute()
  const changes = told.filter(({ type }) => type === 'business.updated')
  assert.deepEqual(changes, [{ type: 'business.updated', data: { fields: ['timeZone'] } }])
})

test('what is no time zone is refused', async () => {
  const { admin, path } = await used.make.business()
  const REFUSED = '422 VALIDATION_FAILED timeZone INVALID'
  for (const timeZone of ['Berlin', '+02:00', 'Europe/Nowhere'])
    assert.equal(refusal(await admin.put(path, { timeZone })), REFUSED, timeZone)
  assert.equal(refusal(await admin.post('/v1/businesses', { name: 'No', timeZone: 'Mars/Olympus' })), REFUSED)
  assert.equal((await admin.put(path, { timeZone: null })).status, 422)
  assert.equal((await admin.get(path)).body.timeZone, 'UTC')
})
