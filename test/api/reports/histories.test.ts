import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveHistory } from '../../scenarios/report-histories.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

test('after any history every report is the sum over its orders, in any time zone, however often the worker fell over', async () => {
  const db = used.api.services.databases.cells.get('main')
  assert.ok(db)
  let [rows, lost] = [0, 0]
  for (let seed = 1; seed <= 40; seed++) {
    const lived = await liveHistory(db, seed)
    rows += lived.rows
    lost += lived.lost
  }
  assert.ok(rows > 1_000 && lost > 20, `${rows} rows were compared, the connection was lost ${lost} times`)
})
