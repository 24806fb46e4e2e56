import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

const rename = (id: string, name: string) =>
  used.api.services.databases.control.updateTable('accounts.users').set({ name }).where('id', '=', id).execute()

test('whoever has a role in a business sees the names of those who have one, and nothing else of them', async () => {
  const { id, path, admin } = await used.make.business()
  const clerk = await used.make.member(id, 'ORDERS_READ')
  const editor = await used.make.member(id, 'CONTENT_WRITE')
  for (const [person, name] of [
    [admin, 'Ada'],
    [clerk, 'Bo'],
    [editor, 'Cleo'],
  ] as const)
    await rename(person.id, name)
  const wanted = [
    { userId: admin.id, name: 'Ada' },
    { userId: clerk.id, name: 'Bo' },
    { userId: editor.id, name: 'Cleo' },
  ].toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
  for (const reader of [admin, clerk, editor]) {
    const answer = await reader.get(`${path}/colleagues`)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(answer.body, { items: wanted })
  }
})

test('customers, people who were only offered a role, and those of another business are not among them', async () => {
  const { id, path, admin } = await used.make.business()
  await used.make.customer(id)
  const clerk = await used.make.member(id, 'ORDERS_READ')
  const stranger = await used.make.user()
  const offered = await admin.put('/v1/users/set-role', { businessId: id, userId: stranger.id, roleId: clerk.roleId })
  assert.equal(offered.status, 200, offered.text)
  const { body } = await clerk.get(`${path}/colleagues`)
  const ids = (body.items as { userId: string }[]).map(({ userId }) => userId)
  assert.deepEqual(ids.toSorted(), [admin.id, clerk.id].toSorted())

  assert.equal((await stranger.get(`${path}/colleagues`)).status, 403)
  assert.equal((await (await used.make.guest()).get(`${path}/colleagues`)).status, 403)
  assert.equal((await (await used.make.business()).admin.get(`${path}/colleagues`)).status, 403)
})
