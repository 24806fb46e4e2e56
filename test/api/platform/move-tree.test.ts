import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Cell, Db } from '#platform/database/database.ts'
import { findMove, type Move } from '#platform/moves/moves.ts'
import { startMove } from '../../../src/apps/moves/start-move.ts'
import { startChild } from '../../support/child.ts'
import { runCli } from '../../support/cli.ts'
import { homeOf, leftBehind } from '../../support/moving-shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const databases = () => used.api.services.databases
const cell = (name: string) => databases().cells.get(name) as Cell
const other = (name: string) => (name === 'main' ? 'second' : 'main')
const cli = (...args: string[]) => runCli([...args, '--json'], used.api.databases.env)
const hasCome = async (businessId: string, step: Move['step']) =>
  (await findMove(databases().control, businessId))?.step === step

/** More than are deleted at once, all below the first. */
const COUNT = 2_500

const growTree = (db: Db, businessId: string) =>
  sql`
  insert into catalog.categories (business_id, id, parent_id, name, slug, position, description, seo, translations, created_at, updated_at)
  select ${businessId}, 'cat_' || to_char(n, 'FM00000'), case when n > 1 then 'cat_00001' end, 'Shirts', 'shirts-' || n, n, '', '{}', '{}', now(), now()
    from generate_series(1, ${COUNT}) as n`.execute(db)

const countCategories = async (db: Db, businessId: string) =>
  (await sql`select from catalog.categories where business_id = ${businessId}`.execute(db)).rows.length

test('a business with more categories than are deleted at once is taken back, moves, and is deleted', async (t) => {
  const { id } = await used.make.shop()
  const from = await homeOf(databases().control, id)
  const to = other(from)
  await growTree(cell(from), id)
  const holding = await startChild('worker', used.api.databases.env, { faults: { 'move.copied': 'hold' } })
  t.after(() => holding.stop())
  await startMove(databases(), { businessId: id, to })
  await holding.untilHeld('move.copied')
  assert.equal(await countCategories(cell(to), id), COUNT)
  assert.equal((await cli('business', 'move', id, '--take-back')).code, 0)
  holding.release()
  await until('it stays', () => hasCome(id, 'TAKEN_BACK'), { withinMs: 120_000 })
  assert.deepEqual(await leftBehind(cell(to), id), [])
  await holding.stop()

  const worker = await startChild('worker', used.api.databases.env)
  t.after(() => worker.stop())
  await startMove(databases(), { businessId: id, to, keepSeconds: 0 })
  await until('it has moved', () => hasCome(id, 'DONE'), { withinMs: 120_000 })
  assert.equal(await countCategories(cell(to), id), COUNT)
  assert.deepEqual(await leftBehind(cell(from), id), [])

  assert.equal((await cli('business', 'delete', id)).code, 0)
  const gone = await cli('business', 'delete', id, '--now')
  assert.equal(gone.code, 0, gone.err)
  assert.deepEqual(await leftBehind(cell(to), id), [])
})
