import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Cell, Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { applyChanges } from '#platform/moves/catch-up.ts'
import type { KnownTable } from '#platform/portable/rows.ts'
import { compareCells, Different } from '../../../src/apps/moves/compare-cells.ts'
import type { Work } from '../../../src/apps/moves/move-business.ts'
import { movedTables } from '../../../src/apps/moves/tables.ts'
import { recordStatements } from '../../support/explain.ts'
import { useWorld } from '../../support/world.ts'

const NAME = 'public.letters'
const [ROWS, ROW_BYTES] = [500, 40_000]
const MOST_BYTES = 5 * 1024 * 1024

const used = useWorld({ own: true }, async ({ api }) => {
  for (const each of api.services.databases.cells.values())
    await sql`create table ${sql.table(NAME)} (business_id text, id text, body text, primary key (business_id, id))`.execute(
      each,
    )
})
const cell = (name: string) => used.api.services.databases.cells.get(name) as Cell

const write = (db: Db, businessId: string) =>
  sql`
  insert into ${sql.table(NAME)} (business_id, id, body)
  select ${businessId}, to_char(n, 'FM000'), repeat('x', ${ROW_BYTES}) from generate_series(1, ${ROWS}) as n`.execute(
    db,
  )

async function workFor(businessId: string) {
  const [source, target] = [cell('main'), cell('second')]
  const tables = (await movedTables(source)).filter(({ table }) => table === NAME)
  const { control } = used.api.services.databases
  const signal = new AbortController().signal
  return { control, source, target, tables, signal, move: { id: 'mov_none', businessId } } as unknown as Work
}

const keysOf = async (db: Db, { table }: KnownTable, businessId: string) =>
  (
    await sql<{ id: string }>`select id from ${sql.table(table)} where business_id = ${businessId}`.execute(db)
  ).rows.map(({ id }) => [businessId, id])

test('large rows that changed are followed a few megabytes at a time', async () => {
  const { id } = await used.make.business()
  const { source, target, tables } = await workFor(id)
  await write(source, id)
  const keys = new Map([[NAME, await keysOf(source, tables[0] as KnownTable, id)]])
  const statements = await recordStatements(() =>
    transaction(target, (tx) => applyChanges(source, tx, tables, id, { keys, positions: [] })),
  )
  const sizes = statements.map(({ values }) => JSON.stringify(values).length)
  assert.ok(Math.max(...sizes) < MOST_BYTES, `${Math.max(...sizes)} bytes in one statement`)
  assert.equal((await keysOf(target, tables[0] as KnownTable, id)).length, ROWS)
})

test('large rows are compared a few megabytes at a time, and of many differences five are named', async () => {
  const { id } = await used.make.business()
  const work = await workFor(id)
  for (const each of [work.source, work.target]) await write(each, id)
  const statements = await recordStatements(() => compareCells(work))
  const limits = statements
    .filter(({ text }) => text.includes(`from ${NAME} as one`))
    .map(({ values }) => Number(values[1]))
  assert.ok(limits.length > 8)
  assert.ok(Math.max(...limits) * ROW_BYTES < MOST_BYTES, `${Math.max(...limits)} rows in one statement`)

  const changeTarget = (change: ReturnType<typeof sql>) => sql`${change}`.execute(work.target)
  await changeTarget(
    sql`update ${sql.table(NAME)} set body = 'other' where business_id = ${id} and id between '050' and '300'`,
  )
  await changeTarget(sql`delete from ${sql.table(NAME)} where business_id = ${id} and id = '400'`)
  await changeTarget(sql`insert into ${sql.table(NAME)} (business_id, id, body) values (${id}, '999', 'late')`)
  await changeTarget(sql`
    insert into cell.changed_rows (business_id, table_name, key) values (${id}, ${NAME}, array[${id}::text, '050'])`)
  await assert.rejects(compareCells(work), (error: Error) => {
    assert.ok(error instanceof Different)
    assert.match(error.message, /^252 rows are not the same/)
    assert.equal(error.message.split(NAME).length - 1, 5)
    return true
  })
})
