import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { type Databases, openDatabases } from '#platform/database/database.ts'
import { describeTables, findUnlisted } from '#platform/portable/rows.ts'
import { businessTables, cellTables, controlTables } from '../../../src/apps/portable/tables.ts'
import { createTestDatabases, type TestDatabases } from '../../support/start-api.ts'

let made: TestDatabases
let databases: Databases
before(async () => {
  made = await createTestDatabases()
  const second = { url: made.second.url, directUrl: made.second.url }
  databases = openDatabases(
    { control: { url: made.main.url, directUrl: made.main.url }, cells: { second } },
    { max: 2 },
  )
})
after(async () => {
  await databases.close()
  await made.drop()
})

const second = () => databases.cells.get('second') as NonNullable<ReturnType<Databases['cells']['get']>>

test('every table with a business in it is in the list of its module', async () => {
  const unlisted = [
    ...(await findUnlisted(databases.control, businessTables, 'control')),
    ...(await findUnlisted(second(), cellTables, 'cell')),
  ]
  const names = unlisted.map(({ table }) => table)
  assert.deepEqual(names, [], 'add them to tables.ts of their module: copied, left out, and in which order')
})

test('a table that was forgotten is found', async () => {
  await sql`create table public.forgotten (business_id text, id text, primary key (business_id, id))`.execute(second())
  const found = await findUnlisted(second(), cellTables, 'cell')
  assert.deepEqual(
    found.map(({ table, key }) => [table, key]),
    [['public.forgotten', ['business_id', 'id']]],
  )
})

test('the list says of each table by what its rows are told apart, and no table is in it twice', async () => {
  const names = businessTables.map(({ table }) => table)
  assert.equal(new Set(names).size, names.length)
  const known = [
    ...(await describeTables(databases.control, controlTables)),
    ...(await describeTables(second(), cellTables)),
  ]
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select indrelid::regclass::text as name, array_agg(attname::text order by attname::text) as columns
      from pg_index join pg_attribute on attrelid = indrelid and attnum = any (indkey[0:indnkeyatts - 1])
     where indisunique and indpred is null
     group by indexrelid, indrelid`.execute(databases.control)
  const unique = new Set(rows.map(({ name, columns }) => `${name} ${columns.join()}`))
  const wrong = known.filter(({ table, of, key }) => {
    const ways = [key, [...new Set([of, ...key])]]
    return !ways.some((columns) => unique.has(`${table} ${[...columns].sort().join()}`))
  })
  assert.deepEqual(
    wrong.map(({ table, key }) => `${table} (${key.join()})`),
    [],
  )
})

test('rows can be written in the order of the list: whatever a table refers to comes before it', async () => {
  const order = new Map(businessTables.map(({ table }, at) => [table, at]))
  const { rows } = await sql<{ from: string; to: string }>`
    select conrelid::regclass::text as from, confrelid::regclass::text as to
      from pg_constraint where contype = 'f' and conparentid = 0`.execute(databases.control)
  const linked = new Set(businessTables.filter(({ isLinked }) => isLinked).map(({ table }) => table))
  const wrong = rows.filter(({ from, to }) => {
    const [first, then] = [order.get(to), order.get(from)]
    if (first === undefined || then === undefined) return false
    return from === to ? !linked.has(from) : first > then
  })
  assert.ok(rows.length > 20)
  assert.deepEqual(wrong, [])
})
