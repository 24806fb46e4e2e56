import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Cell } from '#platform/database/database.ts'
import { handOn, type LateJob } from '#platform/jobs/graphile-internals.ts'
import { findMove } from '#platform/moves/moves.ts'
import { newId } from '#vocabulary/ids.ts'
import { startMove } from '../../../src/apps/moves/start-move.ts'
import { startChild } from '../../support/child.ts'
import { homeOf } from '../../support/moving-shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const databases = () => used.api.services.databases
const cell = (name: string) => databases().cells.get(name) as Cell

type Waiting = { name: string; key: string | null; flags: Record<string, true> | null; runAt: Date; number: number }

/** The jobs whose payload names the business, as they wait in the queue of a cell. */
async function jobsIn(name: string, businessId: string): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select identifier as name, key, flags, run_at, (payload ->> 'number')::integer as number
      from graphile_worker._private_jobs as jobs
      join graphile_worker._private_tasks as tasks on tasks.id = task_id
     where payload ->> 'businessId' = ${businessId}
     order by identifier, number`.execute(cell(name))
  return rows
}

type Wanted = { inSeconds?: number; key?: string; payload?: object }

/** Not due for an hour, if nothing else is said. */
const add = (to: string, name: string, businessId: string, { inSeconds = 3_600, key, payload = {} }: Wanted = {}) =>
  sql`
    select graphile_worker.add_job(${name}, ${JSON.stringify({ businessId, ...payload })}::json, job_key => ${key ?? null},
                                   run_at => now() + ${`${inSeconds} seconds`}::interval)`.execute(cell(to))

const isThere = (businessId: string) =>
  until('it has moved', async () => (await findMove(databases().control, businessId))?.step === 'DONE', {
    withinMs: 60_000,
  })

const takenOut = async (name: string, businessId: string) =>
  (await sql`select from cell.moving_jobs where business_id = ${businessId}`.execute(cell(name))).rows.length

const CONTROLS = ['access.carry-events', 'accounts.send-invitation', 'operator.pause-letters']

test('jobs of control stay in its queue when a business leaves that cell, and those of the cell go along', async (t) => {
  const { id } = await used.make.business({ cell: 'main' })
  for (const name of CONTROLS) await add('main', name, id)
  await add('main', 'checkout.send-confirmation', id, { payload: { orderId: newId('ord') } })
  await add('main', 'payments.apply-event', id, { key: `event ${id}` })
  await add('main', 'unknown.job', id)
  const worker = await startChild('worker', used.api.databases.env)
  t.after(() => worker.stop())
  await startMove(databases(), { businessId: id, to: 'second', keepSeconds: 0 })
  await isThere(id)

  assert.deepEqual(
    (await jobsIn('main', id)).map(({ name }) => name),
    [...CONTROLS, 'unknown.job'],
  )
  const flags = { [`business:${id}`]: true }
  assert.deepEqual(
    (await jobsIn('second', id)).map(({ name, key, flags }) => ({ name, key, flags })),
    [
      { name: 'checkout.send-confirmation', key: null, flags },
      { name: 'payments.apply-event', key: `event ${id}`, flags },
    ],
  )
})

test('a job that waits is in one queue only, also while nobody has heard yet that the business has moved', async (t) => {
  const { id } = await used.make.business({ cell: 'main' })
  for (const number of [1, 2]) await add('main', 'checkout.send-new-order', id, { payload: { number } })
  const worker = await startChild('worker', used.api.databases.env, { faults: { 'move.opened': 'hold' } })
  t.after(() => worker.stop())
  await startMove(databases(), { businessId: id, to: 'second', keepSeconds: 0 })
  await worker.untilHeld('move.opened')
  const numbers = async (name: string) => (await jobsIn(name, id)).map(({ number }) => number)
  assert.deepEqual([await numbers('main'), await numbers('second')], [[], [1, 2]])

  // This one comes too late, and is tried in the old cell.
  const payload = { orderId: newId('ord') }
  await add('main', 'checkout.send-confirmation', id, { inSeconds: 0, payload })
  worker.release()
  await isThere(id)
  await until('the late one has gone after it', async () => (await jobsIn('main', id)).length === 0)
  assert.deepEqual(await numbers('second'), [1, 2])
  assert.equal(await takenOut('main', id), 0)
})

for (const point of ['move.caught-up', 'move.closed', 'move.opened', 'move.switched'])
  test(`whoever moves a business is killed at ${point}: each job waits once, in the other cell`, async (t) => {
    const { id } = await used.make.business({ cell: 'second' })
    for (const number of [1, 2, 3]) await add('second', 'checkout.send-new-order', id, { payload: { number } })
    await add('second', 'content.check-entries', id, { key: `content.check:${id}`, payload: { number: 4 } })
    const first = await startChild('worker', used.api.databases.env, { faults: { [point]: 'kill' } })
    await startMove(databases(), { businessId: id, to: 'main', keepSeconds: 0 })
    await first.exited
    const second = await startChild('worker', used.api.databases.env)
    t.after(() => second.stop())
    await isThere(id)

    assert.equal(await homeOf(databases().control, id), 'main')
    assert.deepEqual(
      (await jobsIn('main', id)).map(({ number }) => number),
      [1, 2, 3, 4],
    )
    assert.deepEqual(await jobsIn('second', id), [])
    assert.equal(await takenOut('second', id), 0)
  })

test('a job that is handed on takes the place of no newer one, carries its business, and is there once', async () => {
  const { id } = await used.make.business({ cell: 'main' })
  const key = `content.check:${id}`
  const late = (number: number, changes: Partial<LateJob> = {}): LateJob => ({
    from: 'second',
    id: String(number),
    task_identifier: 'content.check-entries',
    payload: { businessId: id, number },
    max_attempts: 12,
    key: null,
    priority: 0,
    ...changes,
  })
  await add('main', 'content.check-entries', id, { key, payload: { number: 1 } })
  const [newer] = await jobsIn('main', id)
  await handOn(cell('main'), id, late(2, { key }))
  assert.deepEqual(await jobsIn('main', id), [newer], 'the newer one does for both')

  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'test' where key = ${key}`.execute(
    cell('main'),
  )
  const again = late(3, { key })
  await handOn(cell('main'), id, again)
  await handOn(cell('main'), id, again)
  await handOn(cell('main'), id, late(4))
  await handOn(cell('main'), id, late(4))
  const flags = { [`business:${id}`]: true }
  assert.deepEqual(
    (await jobsIn('main', id)).map(({ number, key, flags }) => ({ number, key, flags })),
    [
      { number: 1, key, flags: null },
      { number: 3, key: 'moved from second 3', flags },
      { number: 4, key: 'moved from second 4', flags },
    ],
    'one that has begun may not have seen what the late one is for',
  )
})
