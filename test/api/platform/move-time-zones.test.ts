import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Cell } from '#platform/database/database.ts'
import { findMove } from '#platform/moves/moves.ts'
import { startMove } from '../../../src/apps/moves/start-move.ts'
import { startChild } from '../../support/child.ts'
import { onServer } from '../../support/database.ts'
import { homeOf, openFreeShop } from '../../support/moving-shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true }, async ({ api }) => {
  const { name } = api.databases.second
  for (const setting of [`timezone = 'Europe/Berlin'`, `datestyle = 'SQL, DMY'`])
    await onServer((client) => client.query(`alter database ${name} set ${setting}`))
})

test('a business moves between servers with other time zones, and somebody with a third one corrects a row meanwhile', async (t) => {
  const { shop } = await openFreeShop(used.make)
  const { control, cells } = used.api.services.databases
  const from = await homeOf(control, shop.id)
  const to = from === 'main' ? 'second' : 'main'
  const worker = await startChild('worker', used.api.databases.env, { faults: { 'move.switched': 'hold' } })
  t.after(() => worker.stop())
  await until('the feed has an event', async () => {
    const { rows } = await sql`select from cell.events where business_id = ${shop.id} limit 1`.execute(
      cells.get(from) as Cell,
    )
    return rows.length > 0
  })
  await startMove(used.api.services.databases, { businessId: shop.id, to, keepSeconds: 0 })
  await worker.untilHeld('move.switched')
  // The key of an event has a time.
  const { rowCount } = await onServer(async (client) => {
    await client.query(`set timezone = 'America/New_York'`)
    return client.query(`update cell.events set actor_id = 'by hand' where business_id = $1`, [shop.id])
  }, used.api.databases[to].url)
  assert.ok(rowCount)
  worker.release()
  const move = await until(
    'it is over',
    async () => {
      const found = await findMove(control, shop.id)
      return found?.finishedAt || found?.step === 'STOPPED' ? found : undefined
    },
    { withinMs: 90_000 },
  )
  assert.deepEqual([move.step, move.error], ['DONE', null])
})
