import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import type { Cell } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { forgetMove, type MoveState, Overtaken, setMoveState } from '#platform/moves/fence.ts'
import { findMove, type Move } from '#platform/moves/moves.ts'
import { holdTarget } from '../../../src/apps/moves/close-and-switch.ts'
import { startMove } from '../../../src/apps/moves/start-move.ts'
import { startChild } from '../../support/child.ts'
import { runCli } from '../../support/cli.ts'
import { assertSold, homeOf, keepSelling, leftBehind, openFreeShop } from '../../support/moving-shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const databases = () => used.api.services.databases
const control = () => databases().control
const cell = (name: string) => databases().cells.get(name) as Cell
const other = (name: string) => (name === 'main' ? 'second' : 'main')
const cli = (...args: string[]) => runCli([...args, '--json'], used.api.databases.env)
const hasCome = async (businessId: string, step: Move['step']) => (await findMove(control(), businessId))?.step === step

async function openWorker(t: TestContext, faults?: Record<string, 'hold'>) {
  const worker = await startChild('worker', used.api.databases.env, faults ? { faults } : {})
  t.after(() => worker.stop())
  return worker
}

/** A change of a row that is not there any more, for each of these numbers: as much of it as an import leaves. */
const logChanges = (db: Cell, businessId: string, count: number) =>
  sql`
    insert into cell.changed_rows (business_id, table_name, key)
    select ${businessId}, 'catalog.products', array['prod_' || n] from generate_series(1, ${count}) as n`.execute(db)

test('a mover that was given up for dead, and goes on, changes nothing: neither in its move nor in the next', async (t) => {
  const { shop } = await openFreeShop(used.make)
  const from = await homeOf(control(), shop.id)
  const to = other(from)
  await openWorker(t)
  const first = await startMove(databases(), { businessId: shop.id, to, keepSeconds: 0 })
  await until('it has moved', () => hasCome(shop.id, 'DONE'), { withinMs: 90_000 })

  const states: MoveState[] = ['FOLLOWED', 'CLOSED', 'COPIED', 'OPENED']
  async function goOn(): Promise<void> {
    for (const each of [from, to]) {
      for (const state of states)
        await assert.rejects(setMoveState(cell(each), first, state), Overtaken, `${state} in ${each}`)
      await assert.rejects(
        transaction(cell(each), (tx) => holdTarget(tx, first)),
        Overtaken,
      )
    }
    await assert.rejects(forgetMove(cell(from), first, 'FOLLOWED'), Overtaken)
  }
  await goOn()
  // Nor is a business kept away by what a process had counted for it and wrote late.
  await sql`
    insert into cell.usage (business_id, since, requests) values (${shop.id}, now(), 1) on conflict do nothing`.execute(
    cell(from),
  )
  await startMove(databases(), { businessId: shop.id, to: from, keepSeconds: 0 })
  await until('it has moved back', () => hasCome(shop.id, 'DONE'), { withinMs: 90_000 })
  for (const each of [from, to])
    for (const state of states)
      await assert.rejects(setMoveState(cell(each), first, state), Overtaken, `${state} in ${each}, later`)
  assert.equal((await shop.admin.get(shop.products)).status, 200)
  assert.equal((await shop.admin.put(shop.path, { name: 'It can be written to' })).status, 200)
})

test('an import while it is copied leaves a log of many rounds: it moves all the same', async (t) => {
  const { shop, product } = await openFreeShop(used.make)
  const from = await homeOf(control(), shop.id)
  const worker = await openWorker(t, { 'move.copied': 'hold' })
  const selling = keepSelling(used.make, shop, product, { buyers: 1 })
  t.after(() => selling.stop())
  await startMove(databases(), { businessId: shop.id, to: other(from), keepSeconds: 0 })
  await worker.untilHeld('move.copied')
  await logChanges(cell(from), shop.id, 70_000)
  worker.release()
  await until('it has moved', () => hasCome(shop.id, 'DONE'), { withinMs: 90_000 })
  const sold = await selling.stop()
  await assertSold(cell(other(from)), shop.id, sold)
  assert.deepEqual(await leftBehind(cell(from), shop.id), [])
})

test('a long log can be taken back, too', async (t) => {
  const { shop } = await openFreeShop(used.make)
  const from = await homeOf(control(), shop.id)
  const worker = await openWorker(t, { 'move.copied': 'hold' })
  await startMove(databases(), { businessId: shop.id, to: other(from) })
  await worker.untilHeld('move.copied')
  await logChanges(cell(from), shop.id, 70_000)
  await cli('business', 'move', shop.id, '--take-back')
  worker.release()
  await until('it stays', () => hasCome(shop.id, 'TAKEN_BACK'), { withinMs: 90_000 })
  const { rows } = await sql`select from cell.changed_rows where business_id = ${shop.id}`.execute(cell(from))
  assert.equal(rows.length, 0)
})

test('a move that waits for somebody who writes can be taken back meanwhile', async (t) => {
  const { shop } = await openFreeShop(used.make)
  const from = await homeOf(control(), shop.id)
  const { url } = cell(from).address
  const writer = new pg.Client({ connectionString: url })
  await writer.connect()
  t.after(() => writer.end())
  await writer.query('begin')
  await writer.query("delete from catalog.products where business_id = 'nobody'")
  await openWorker(t)
  await startMove(databases(), { businessId: shop.id, to: other(from) })
  await until(
    'it says for whom it waits',
    async () => /catalog\.products/.test((await findMove(control(), shop.id))?.error ?? ''),
    { withinMs: 60_000 },
  )
  assert.equal((await cli('business', 'move', shop.id, '--take-back')).code, 0)
  await until('it stays', () => hasCome(shop.id, 'TAKEN_BACK'), { withinMs: 60_000 })
  assert.equal((await shop.admin.put(shop.path, { name: 'It can be written to' })).status, 200)
})

test('a business that is closed where it lived cannot be kept there any more', async (t) => {
  const { shop } = await openFreeShop(used.make)
  const from = await homeOf(control(), shop.id)
  const worker = await openWorker(t, { 'move.closed': 'hold' })
  await startMove(databases(), { businessId: shop.id, to: other(from), keepSeconds: 0 })
  await worker.untilHeld('move.closed')
  const refused = await cli('business', 'move', shop.id, '--take-back')
  assert.equal(refused.code, 1)
  assert.match(refused.err, /When it has arrived, it can move back/)
  worker.release()
  await until('it has moved', () => hasCome(shop.id, 'DONE'), { withinMs: 90_000 })
})

test('a move whose job somebody has discarded goes on when it is resumed, or is taken back', async (t) => {
  const [stays, goes] = [await openFreeShop(used.make), await openFreeShop(used.make)]
  const from = await homeOf(control(), goes.shop.id)
  for (const { shop } of [stays, goes]) {
    await startMove(databases(), { businessId: shop.id, to: other(await homeOf(control(), shop.id)), keepSeconds: 0 })
    await sql`
      select from graphile_worker.complete_jobs(array(
        select id from graphile_worker._private_jobs where key like 'business.move:%'))`.execute(control())
  }
  assert.equal((await cli('business', 'move', stays.shop.id, '--take-back')).code, 0)
  assert.equal((await cli('business', 'move', goes.shop.id, '--resume')).code, 0)
  for (const [{ shop }, action] of [
    [stays, 'business.move-taken-back'],
    [goes, 'business.move-resumed'],
  ] as const) {
    const { rows } = await sql<{ action: string }>`
      select action from access.operator_log where subject = ${shop.id} order by id`.execute(control())
    assert.deepEqual(
      rows.map((row) => row.action),
      ['business.move-started', action],
    )
  }
  await openWorker(t)
  await until('the one stays', () => hasCome(stays.shop.id, 'TAKEN_BACK'), { withinMs: 90_000 })
  await until('the other has moved', () => hasCome(goes.shop.id, 'DONE'), { withinMs: 90_000 })
  assert.equal(await homeOf(control(), goes.shop.id), other(from))
  assert.equal((await cli('business', 'move', goes.shop.id, '--resume')).code, 1)
})

test('a move that waits for its next attempt goes on at once when it is resumed, and there is never a second job', async (t) => {
  const { shop } = await openFreeShop(used.make)
  const from = await homeOf(control(), shop.id)
  const { id } = await startMove(databases(), { businessId: shop.id, to: other(from), keepSeconds: 0 })
  const key = `business.move:${id}`
  await sql`
    update graphile_worker._private_jobs set run_at = now() + interval '1 hour', attempts = 7 where key = ${key}`.execute(
    control(),
  )
  for (let times = 0; times < 2; times++) assert.equal((await cli('business', 'move', shop.id, '--resume')).code, 0)
  const { rows } = await sql`select from graphile_worker._private_jobs where key = ${key}`.execute(control())
  assert.equal(rows.length, 1)
  await openWorker(t)
  await until('it has moved', () => hasCome(shop.id, 'DONE'), { withinMs: 90_000 })
})
