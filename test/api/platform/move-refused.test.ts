import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { findMove } from '#platform/moves/moves.ts'
import { startMove } from '../../../src/apps/moves/start-move.ts'
import { startChild } from '../../support/child.ts'
import { runCli } from '../../support/cli.ts'
import { onServer } from '../../support/database.ts'
import { homeOf, leftBehind, openFreeShop } from '../../support/moving-shop.ts'
import { item } from '../../support/shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const databases = () => used.api.services.databases
const cli = (...args: string[]) => runCli([...args, '--json'], used.api.databases.env)
/** Longer than requests that write are held. */
const WRITING_MS = 7_000

/** Nobody gets a connection to this database, and those that there are end. */
const close = (name: string) =>
  onServer(async (client) => {
    await client.query(`alter database ${name} with allow_connections false`)
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  })
const open = (name: string) => onServer((client) => client.query(`alter database ${name} with allow_connections true`))

test('the other cell goes away while the business is being closed: people write on, and it can be taken back', async (t) => {
  const { shop, product } = await openFreeShop(used.make, { cell: 'main' })
  const { control, cells } = databases()
  const [main, second] = [cells.get('main'), cells.get('second')]
  assert.ok(main && second)
  const guest = await used.make.guest()
  const worker = await startChild('worker', used.api.databases.env, { faults: { 'move.held': 'hold' } })
  t.after(() => worker.stop())
  const { name } = used.api.databases.second
  t.after(() => open(name))
  await startMove(databases(), { businessId: shop.id, to: 'second' })
  await worker.untilHeld('move.held')
  await close(name)
  worker.release()

  await until('the command says why', async () => (await cli('business', 'move', shop.id)).json.error !== null)
  for (const since = performance.now(); performance.now() - since < WRITING_MS; await sleep(100)) {
    const { status, text } = await shop.checkout(guest, { items: [item(product)] }, { 'idempotency-key': randomUUID() })
    assert.equal(status, 200, text)
  }
  const { json: shown } = await cli('business', 'move', shop.id)
  assert.match(shown.error, /not currently accepting connections|terminat/)

  assert.equal((await cli('business', 'move', shop.id, '--take-back')).code, 0)
  await until(
    'nothing watches over it any more',
    async () => {
      const { rows } = await sql`select from pg_trigger where tgname like 'kontor_move%'`.execute(main)
      return rows.length === 0
    },
    { withinMs: 60_000 },
  )
  await open(name)
  await until(
    'it stays',
    async () => {
      await cli('business', 'move', shop.id, '--resume')
      return (await findMove(control, shop.id))?.step === 'TAKEN_BACK'
    },
    { withinMs: 60_000, everyMs: 1_000 },
  )
  assert.equal(await homeOf(control, shop.id), 'main')
  assert.deepEqual(await leftBehind(second, shop.id), [])
})
