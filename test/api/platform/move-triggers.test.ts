import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Cell } from '#platform/database/database.ts'
import { addTriggers, dropTriggers } from '#platform/moves/triggers.ts'
import { movedTables } from '../../../src/apps/moves/tables.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true }) // adds triggers to tables
const cell = () => used.api.services.databases.cells.get('main') as Cell

/** A transaction that has said this, and stays open. */
async function openTransaction(t: TestContext, text: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: used.api.databases.main.url })
  await client.connect()
  t.after(() => client.end())
  await client.query('begin')
  await client.query(text)
  return client
}

/** Does this all the time, and adds up for how long it waits for the table. */
function keepOn(table: string, work: () => Promise<unknown>) {
  let [isOver, heldMs] = [false, 0]
  const working = (async () => {
    while (!isOver) await work()
  })()
  const watching = (async () => {
    for (let since = performance.now(); !isOver; ) {
      const { rows } = await sql`
        select from pg_locks where not granted and relation = ${table}::regclass
           and mode in ('AccessShareLock', 'RowExclusiveLock')`.execute(cell())
      const now = performance.now()
      if (rows.length > 0) heldMs += now - since
      since = now
      await sleep(10)
    }
  })()
  return async () => {
    isOver = true
    await Promise.all([working, watching])
    return heldMs
  }
}

async function countTriggers(businessId: string): Promise<number> {
  const { rows } = await sql`
    select from pg_trigger where tgparentid = 0 and tgname like ${`kontor_move%${businessId}`}`.execute(cell())
  return rows.length
}

for (const table of ['catalog.products', 'cell.events']) {
  test(`whoever has ${table} open for seconds makes nobody else wait for triggers that go; they go when it ends`, async (t) => {
    const { id } = await used.make.business({ cell: 'main' })
    const tables = (await movedTables(cell())).filter((each) => each.table === table)
    // Readers are not in the way of making one.
    const reader = await openTransaction(t, `select from ${table} limit 1`)
    await addTriggers(cell(), tables, id)
    assert.equal(await countTriggers(id), 2)

    const stop = keepOn(table, () => sql`select from ${sql.table(table)} limit 1`.execute(cell()))
    let isGone = false
    const dropping = dropTriggers(cell(), tables, id).then(() => (isGone = true))
    await sleep(3_000)
    assert.equal(isGone, false)
    await reader.query('commit')
    await dropping
    const heldMs = await stop()
    assert.ok(heldMs < 300, `others waited for ${Math.round(heldMs)} ms`)
    assert.equal(await countTriggers(id), 0)
  })
}

test('whoever writes for seconds makes nobody else wait for triggers that come, and it is said what they wait for', async (t) => {
  const { id } = await used.make.business({ cell: 'main' })
  const tables = (await movedTables(cell())).filter(({ table }) => table === 'catalog.products')
  const writer = await openTransaction(t, `delete from catalog.products where business_id = 'nobody'`)
  const said: (string | null)[] = []
  const stop = keepOn('catalog.products', () =>
    sql`delete from catalog.products where business_id = 'nobody'`.execute(cell()),
  )
  const adding = addTriggers(cell(), tables, id, { say: async (message) => void said.push(message) })
  await sleep(11_000)
  await writer.query('commit')
  await adding
  const heldMs = await stop()
  assert.ok(heldMs < 300, `others waited for ${Math.round(heldMs)} ms`)
  assert.match(said[0] ?? '', /catalog\.products/)
  assert.equal(said.at(-1), null)
  assert.equal(await countTriggers(id), 2)
  await dropTriggers(cell(), tables, id)
})
