import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

test('the storefront’s view and the members’ have ETags of their own', async () => {
  const { admin, path } = await used.make.business()
  const guest = await used.make.guest()
  const etagOf = async (caller: { get: typeof guest.get }) => (await caller.get(path)).headers.get('etag') ?? ''
  const [seenByGuest, seenByAdmin] = [await etagOf(guest), await etagOf(admin)]

  assert.equal((await guest.get(path, { 'if-none-match': seenByGuest })).status, 304)
  assert.equal((await admin.get(path, { 'if-none-match': seenByAdmin })).status, 304)
  const loggedIn = await admin.get(path, { 'if-none-match': seenByGuest })
  assert.equal(loggedIn.status, 200)
  assert.ok('contactEmail' in loggedIn.body)
  assert.equal((await guest.get(path, { 'if-none-match': seenByAdmin })).status, 200)

  assert.equal((await admin.put(path, { name: 'Renamed' }, { 'if-match': seenByAdmin })).status, 200)
  assert.equal((await guest.get(path, { 'if-none-match': seenByGuest })).status, 200)
})
