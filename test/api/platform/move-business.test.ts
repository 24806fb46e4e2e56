import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Cell } from '#platform/database/database.ts'
import { findMove } from '#platform/moves/moves.ts'
import { startChild } from '../../support/child.ts'
import { runCli } from '../../support/cli.ts'
import { assertSold, homeOf, keepSelling, leftBehind, openFreeShop } from '../../support/moving-shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const cells = () => used.api.services.databases.cells
const control = () => used.api.services.databases.control
const cell = (name: string) => cells().get(name) as Cell
const other = (name: string) => (name === 'main' ? 'second' : 'main')
const cli = (...args: string[]) => runCli([...args, '--json'], used.api.databases.env)

test('a business moves while it sells: nothing is lost or doubled, reads never fail, and the old rows go', async (t) => {
  const { shop, product } = await openFreeShop(used.make)
  const from = await homeOf(control(), shop.id)
  const worker = await startChild('worker', used.api.databases.env)
  t.after(() => worker.stop())
  const selling = keepSelling(used.make, shop, product)
  t.after(() => selling.stop())
  await sleep(1_500)

  const asked = await cli('business', 'move', shop.id, '--to', other(from), '--keep-seconds', '1')
  assert.equal(asked.code, 0, asked.err)
  await until('it has moved', async () => (await findMove(control(), shop.id))?.finishedAt != null, {
    withinMs: 120_000,
  })
  const moved = await cli('business', 'move', shop.id, '--wait')
  assert.equal(moved.json.step, 'DONE', worker.output())
  await sleep(500)
  const sold = await selling.stop()
  t.diagnostic(
    `${sold.orders.size} orders, ${sold.refused} refused, slowest ${Math.round(sold.slowestMs)} ms, pause ${moved.json.pauseMs} ms, ${sold.reads} reads`,
  )

  assert.equal(await homeOf(control(), shop.id), other(from))
  assert.deepEqual(sold.failedReads, [])
  assert.ok(sold.orders.size > 20)
  await assertSold(cell(other(from)), shop.id, sold)
  assert.deepEqual(await leftBehind(cell(from), shop.id), [])
  const { rows } = await sql`select from pg_trigger where tgname like 'kontor_move%'`.execute(cell(from))
  assert.equal(rows.length, 0)
  await until('all is followed', async () => {
    const { rows } = await sql`
      select from cell.followed where business_id = ${shop.id} union all
      select from cell.event_outbox where business_id = ${shop.id}`.execute(cell(other(from)))
    return rows.length === 0
  })
  const verified = await cli('verify')
  assert.equal(verified.code, 0, verified.out + verified.err)
})

test('somebody takes it back before it has moved: everything is as it was', async (t) => {
  const { shop, product } = await openFreeShop(used.make)
  const from = await homeOf(control(), shop.id)
  const worker = await startChild('worker', used.api.databases.env, { faults: { 'move.copied': 'hold' } })
  t.after(() => worker.stop())
  const selling = keepSelling(used.make, shop, product, { buyers: 1 })
  t.after(() => selling.stop())
  await cli('business', 'move', shop.id, '--to', other(from))
  await worker.untilHeld('move.copied')
  const asked = await cli('business', 'move', shop.id, '--take-back')
  assert.equal(asked.code, 0, asked.err)
  worker.release()
  await until('it stays', async () => (await findMove(control(), shop.id))?.step === 'TAKEN_BACK')
  const sold = await selling.stop()

  assert.equal(await homeOf(control(), shop.id), from)
  await assertSold(cell(from), shop.id, sold)
  assert.deepEqual(await leftBehind(cell(other(from)), shop.id), [])
  assert.equal((await cli('business', 'move', shop.id, '--take-back')).code, 1)
})

test('refused: where it lives, an unknown or draining cell, a business on its way', async (t) => {
  const { shop } = await openFreeShop(used.make)
  const from = await homeOf(control(), shop.id)
  const move = (to: string) => cli('business', 'move', shop.id, '--to', to, '--keep-seconds', '0')
  assert.match((await move(from)).err, /lives in .* already/)
  assert.match((await move('nowhere')).err, /Cell nowhere not found/)
  if (other(from) !== 'main') {
    await cli('cells', 'drain', other(from))
    assert.match((await move(other(from))).err, /is being emptied/)
    await cli('cells', 'open', other(from))
  }
  assert.equal((await move(other(from))).code, 0)
  assert.match((await move(other(from))).err, /on its way already/)
  const worker = await startChild('worker', used.api.databases.env)
  t.after(() => worker.stop())
  await cli('business', 'move', shop.id, '--take-back')
  await until('it is over', async () => (await findMove(control(), shop.id))?.finishedAt != null)
})
