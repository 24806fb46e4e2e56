import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cell } from '#platform/database/database.ts'
import { findMove } from '#platform/moves/moves.ts'
import { startMove } from '../../../src/apps/moves/start-move.ts'
import { startChild } from '../../support/child.ts'
import { assertSold, homeOf, keepSelling, leftBehind, openFreeShop } from '../../support/moving-shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const databases = () => used.api.services.databases
const cell = (name: string) => databases().cells.get(name) as Cell
const other = (name: string) => (name === 'main' ? 'second' : 'main')

const POINTS = [
  'move.triggers',
  'move.batch',
  'move.copied',
  'move.round',
  'move.held',
  'move.caught-up',
  'move.closed',
  'move.opened',
  'move.switched',
  'move.compared',
  'move.clearing',
]

for (const point of POINTS) {
  test(`whoever moves a business is killed at ${point}: another one goes on, and nothing is lost or doubled`, async (t) => {
    const { shop, product } = await openFreeShop(used.make)
    const { control } = databases()
    const from = await homeOf(control, shop.id)
    const selling = keepSelling(used.make, shop, product, { buyers: 1 })
    const first = await startChild('worker', used.api.databases.env, { faults: { [point]: 'kill' } })
    await startMove(databases(), { businessId: shop.id, to: other(from), keepSeconds: 0 })
    await first.exited
    const second = await startChild('worker', used.api.databases.env)
    t.after(() => second.stop())
    await until('it has moved', async () => (await findMove(control, shop.id))?.step === 'DONE', { withinMs: 120_000 })
    const sold = await selling.stop()

    assert.equal(await homeOf(control, shop.id), other(from))
    assert.deepEqual(sold.failedReads, [])
    await assertSold(cell(other(from)), shop.id, sold)
    assert.deepEqual(await leftBehind(cell(from), shop.id), [])
  })
}
