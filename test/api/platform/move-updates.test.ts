import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import type { Cell, Db } from '#platform/database/database.ts'
import { findMove, type Move } from '#platform/moves/moves.ts'
import { startMove } from '../../../src/apps/moves/start-move.ts'
import { type FaultAction, startChild } from '../../support/child.ts'
import { runCli } from '../../support/cli.ts'
import { homeOf, leftBehind } from '../../support/moving-shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const databases = () => used.api.services.databases
const cell = (name: string) => databases().cells.get(name) as Cell
const other = (name: string) => (name === 'main' ? 'second' : 'main')

async function openWorker(t: TestContext, faults: Record<string, FaultAction> = {}) {
  const worker = await startChild('worker', used.api.databases.env, { faults })
  t.after(() => worker.stop())
  return worker
}

/** What an update does in both cells. */
const inBoth = async (statement: string) => {
  for (const each of databases().cells.values()) await sql.raw(statement).execute(each)
}
const makeTable = (name: string) =>
  inBoth(`create table public.${name} (business_id text, id text, note text, primary key (business_id, id))`)
const add = (db: Db, name: string, businessId: string) =>
  sql`insert into ${sql.table(`public.${name}`)} (business_id, id, note) values (${businessId}, 'one', 'first')`.execute(
    db,
  )
const read = async (db: Db, name: string, businessId: string) =>
  (await sql<object>`select * from ${sql.table(`public.${name}`)} where business_id = ${businessId}`.execute(db)).rows

async function openMove(name: string) {
  const { id } = await used.make.shop()
  const from = await homeOf(databases().control, id)
  await makeTable(name)
  await add(cell(from), name, id)
  const find = async () => (await findMove(databases().control, id)) as Move
  return {
    id,
    from: cell(from),
    to: cell(other(from)),
    start: () => startMove(databases(), { businessId: id, to: other(from), keepSeconds: 0 }),
    find,
    until: (step: Move['step']) =>
      until(`it is ${step}`, async () => (await find()).step === step, { withinMs: 120_000 }),
  }
}

test('an update adds a column and a table while a business is followed: it is copied anew, and all of it arrives', async (t) => {
  const { id, from, to, ...move } = await openMove('notes')
  const worker = await openWorker(t, { 'move.copied': 'hold' })
  await move.start()
  await worker.untilHeld('move.copied')
  const { copiedAt } = await move.find()
  await inBoth('alter table public.notes add column colour text')
  await sql`update public.notes set colour = 'red' where business_id = ${id}`.execute(from)
  await makeTable('newer_notes')
  await add(from, 'newer_notes', id)
  worker.release()
  await move.until('DONE')

  assert.notEqual((await move.find()).copiedAt?.getTime(), copiedAt?.getTime())
  assert.deepEqual(await read(to, 'notes', id), [{ businessId: id, id: 'one', note: 'first', colour: 'red' }])
  assert.deepEqual(await read(to, 'newer_notes', id), [{ businessId: id, id: 'one', note: 'first' }])
  for (const name of ['notes', 'newer_notes']) assert.deepEqual(await read(from, name, id), [])
  assert.deepEqual(await leftBehind(from, id), [])
})

test('a worker that takes over after an update copies anew instead of going on', async (t) => {
  const { id, to, from, ...move } = await openMove('memos')
  const first = await openWorker(t, { 'move.copied': 'kill' })
  await move.start()
  await first.exited
  await inBoth('alter table public.memos add column colour text')
  await sql`update public.memos set colour = 'red' where business_id = ${id}`.execute(from)
  await openWorker(t)
  await move.until('DONE')
  assert.deepEqual(await read(to, 'memos', id), [{ businessId: id, id: 'one', note: 'first', colour: 'red' }])
})

for (const point of ['move.switched', 'move.clearing'])
  test(`rows in a table that is newer than the copy stay, and stop the move, when an update comes at ${point}`, async (t) => {
    const name = point.replace('.', '_')
    const { id, from, to, ...move } = await openMove(`${name}_before`)
    const worker = await openWorker(t, { [point]: point === 'move.switched' ? 'hold' : 'kill' })
    await move.start()
    if (point === 'move.switched') await worker.untilHeld(point)
    else await worker.exited
    await makeTable(name)
    await add(from, name, id)
    if (point === 'move.switched') worker.release()
    else await openWorker(t)
    await move.until('STOPPED')

    assert.match((await move.find()).error ?? '', new RegExp(`public\\.${name}\\b.* which came after it was copied`))
    const doctor = await runCli(['doctor', '--json'], used.api.databases.env)
    const moves = JSON.parse(doctor.out).checks.find(({ check }: { check: string }) => check === 'main: moves')
    assert.equal(moves.status, 'warning')
    assert.ok(moves.says.includes(id))
    assert.equal((await read(from, name, id)).length, 1)
    assert.equal((await read(to, `${name}_before`, id)).length, 1)
    await sql`delete from ${sql.table(`public.${name}`)} where business_id = ${id}`.execute(from)
    const resumed = await runCli(['business', 'move', id, '--resume'], used.api.databases.env)
    assert.equal(resumed.code, 0, resumed.err)
    await move.until('DONE')
    assert.deepEqual(await read(from, `${name}_before`, id), [])
    assert.deepEqual(await leftBehind(from, id), [])
  })
