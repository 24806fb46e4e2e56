import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { useApi } from '../../support/setup.ts'

const used = useApi()

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
