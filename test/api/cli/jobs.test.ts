import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { runCli } from '../../support/cli.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true }) // lists the jobs of all cells
const jobs = (...args: string[]) => runCli(['jobs', ...args], used.api.databases.env)

async function add(db: Db, name: string, change = sql`attempts = attempts`): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select id::text as id from graphile_worker.add_job(identifier => ${name}, max_attempts => 3)`.execute(db)
  const id = rows[0]?.id ?? ''
  await sql`update graphile_worker._private_jobs set ${change} where id = ${id}`.execute(db)
  return id
}

test('jobs of all databases are listed by their state, and dead ones run again', async () => {
  const { cells } = used.api.services.databases
  const [main, second] = [cells.get('main') as Db, cells.get('second') as Db]
  const dead = sql`attempts = 3, last_error = ${'no luck\n  at somewhere'}`
  const inMain = `main/${await add(main, 'test.dead', dead)}`
  const inSecond = `second/${await add(second, 'test.dead', dead)}`
  const running = `main/${await add(main, 'test.running', sql`locked_at = now(), locked_by = 'w', attempts = 1`)}`
  const waiting = `second/${await add(second, 'test.waiting')}`

  const idsOf = async (...args: string[]) => (await jobs('list', '--json', ...args)).lines.map(({ id }) => id)
  assert.deepEqual(await idsOf(), [inMain, running, inSecond, waiting])
  assert.deepEqual(await idsOf('--dead'), [inMain, inSecond])
  assert.deepEqual(await idsOf('--running', '--waiting'), [running, waiting])
  const limited = await jobs('list', '--limit', '1')
  assert.match(limited.out, new RegExp(`^${inMain} +test\\.dead +dead +3/3 +\\S+ +no luck$`, 'm'))
  assert.match(limited.err, /^There are more/)
  assert.equal(limited.out.trimEnd().split('\n').length, 3)

  const [one, busy, both, none, much] = await Promise.all([
    jobs('retry', inSecond, '--json'),
    jobs('retry', running, 'main/nonsense'),
    jobs('retry', inMain, '--dead'),
    jobs('retry'),
    jobs('list', '--limit', 'all'),
  ])
  assert.deepEqual(one.json, { retried: [inSecond], missed: [] })
  assert.deepEqual([busy.code, both.code, none.code, much.code], [1, 2, 2, 2])
  assert.match(busy.err, new RegExp(`running at the moment: ${running} main/nonsense`))
  assert.deepEqual((await jobs('retry', '--dead', '--json')).json, { retried: [inMain], missed: [] })
  assert.equal((await jobs('list', '--dead')).out, 'None is dead.\n')
  assert.deepEqual(new Set(await idsOf('--waiting')), new Set([inMain, inSecond, waiting]))
})
