import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { runCli } from '../../support/cli.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const control = () => used.api.services.databases.control

async function remove(...args: string[]): Promise<void> {
  const { code, err } = await runCli(['business', 'delete', ...args], used.api.databases.env)
  assert.equal(code, 0, err)
}

async function readLog(id: string): Promise<object[]> {
  const { rows } = await sql<object>`
    select action, data from access.operator_log where business_id = ${id} and action <> 'business.deletion-asked' order by id`.execute(
    control(),
  )
  return rows
}

test('that somebody did not wait for the end of the 30 days is in the log of the operators', async () => {
  const { id } = await used.make.business()
  await remove(id)
  assert.deepEqual(await readLog(id), [])
  await remove(id, '--now')
  assert.deepEqual(await readLog(id), [{ action: 'business.deletion-hurried', data: { isUnfinishedImport: false } }])
})

test('so is that an unfinished import was removed, which nobody has asked for before', async () => {
  const { id } = await used.make.business()
  await sql`
    update access.businesses set import_of = 'print', delete_at = now() + interval '30 days', delete_asked_at = now()
     where id = ${id}`.execute(control())
  await remove(id, '--now')
  assert.deepEqual(await readLog(id), [{ action: 'business.deletion-hurried', data: { isUnfinishedImport: true } }])
})
