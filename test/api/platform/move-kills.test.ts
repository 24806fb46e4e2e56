import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Cell } from '#platform/database/database.ts'
import { findMove } from '#platform/moves/moves.ts'
import { startMove } from '../../../src/apps/moves/start-move.ts'
import { type Child, startChild } from '../../support/child.ts'
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

/** The worker that finished the last move; it is killed in the next one. */
let survivor: Child | undefined
after(() => survivor?.stop())

for (const point of POINTS) {
  test(`a business move whose worker is killed at ${point} is finished by another worker, with nothing lost or doubled`, async () => {
    const { shop, product } = await openFreeShop(used.make)
    const { control } = databases()
    const from = await homeOf(control, shop.id)
    const selling = keepSelling(used.make, shop, product, { buyers: 1, pauseMs: 250 })
    const first = survivor ?? (await startChild('worker', used.api.databases.env))
    await first.arm({ [point]: 'kill' })
    await startMove(databases(), { businessId: shop.id, to: other(from), keepSeconds: 0 })
    assert.equal((await first.exited).signal, 'SIGKILL')
    survivor = await startChild('worker', used.api.databases.env)
    await until('the move is done', async () => (await findMove(control, shop.id))?.step === 'DONE', {
      withinMs: 120_000,
    })
    const sold = await selling.stop()

    assert.equal(await homeOf(control, shop.id), other(from))
    assert.deepEqual(sold.failedReads, [])
    await assertSold(cell(other(from)), shop.id, sold)
    assert.deepEqual(await leftBehind(cell(from), shop.id), [])
  })
}
