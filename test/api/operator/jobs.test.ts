import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import type { Make } from '../../support/make.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

let operator: Awaited<ReturnType<Make['operator']>>
// Reads the queues of all cells.
const used = useWorld({ own: true }, async ({ make }) => {
  operator = await make.operator()
})
const PATH = '/v1/operator/jobs'
const cell = (name: string) => used.api.services.databases.cells.get(name) as Db

type Added = { cell?: string; businessId?: string; error?: string | null; isDead?: boolean }

/** A job as the queue holds it; dead unless said otherwise. Returns the id that operators see. */
async function addJob(name: string, { cell: where = 'main', businessId, error = 'Boom', isDead = true }: Added = {}) {
  const payload = JSON.stringify({ ...(businessId && { businessId }), email: 'ada@example.com' })
  const { rows } = await sql<{ id: string }>`
    select id from graphile_worker.add_job(${name}, payload => ${payload}::json, max_attempts => 3)`.execute(
    cell(where),
  )
  const id = String(rows[0]?.id)
  if (isDead)
    await sql`update graphile_worker._private_jobs set attempts = 3, last_error = ${error}, updated_at = now() where id = ${id}::bigint`.execute(
      cell(where),
    )
  return `${where}:${id}`
}

const listDead = async (query: string) => {
  const { status, body, text } = await operator.get(`${PATH}?${query}`)
  assert.equal(status, 200, text)
  return body
}
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id)

test('queues of all cells are counted, and dead jobs listed with their business and error, not with what they carry', async () => {
  const name = 'test.listed'
  const { id: businessId, name: businessName } = await used.make.business({ cell: 'second' })
  const first = await addJob(name, { error: 'smtp://ada:geheim@mail.example refused\n    at Socket.connect' })
  await addJob(name, { isDead: false })
  const last = await addJob(name, { cell: 'second', businessId })
  const body = await listDead(`name=${name}`)
  assert.deepEqual(idsOf(body), [last, first])
  const [theirs, ours] = body.items
  assert.deepEqual([theirs.businessId, theirs.businessName, theirs.cell], [businessId, businessName, 'second'])
  assert.deepEqual([ours.businessId, ours.error, ours.attempts], [null, 'smtp://…@mail.example refused', 3])
  assert.doesNotMatch(JSON.stringify(body), /geheim|ada@example\.com/)
  const counts = body.queues.map(
    (queue: { cell: string; ready: number; dead: number; oldestReadyAt: number | null }) => [
      queue.cell,
      queue.ready,
      queue.dead,
      queue.oldestReadyAt !== null,
    ],
  )
  assert.deepEqual(counts, [
    ['main', 1, 1, true],
    ['second', 0, 1, false],
  ])
  assert.deepEqual(body.cells, [
    { cell: 'main', isAnswering: true, problem: null },
    { cell: 'second', isAnswering: true, problem: null },
  ])
  assert.deepEqual(idsOf(await listDead(`businessId=${businessId}`)), [last])
  assert.deepEqual(idsOf(await listDead(`name=${name}&cell=main`)), [first])
  assert.equal(refusal(await operator.get(`${PATH}?cell=none`)), '422 VALIDATION_FAILED cell NOT_FOUND')
})

test('pages hold each dead job once, also those that died in the same moment in different cells', async () => {
  const name = 'test.paged'
  const all: string[] = []
  for (let count = 0; count < 6; count++) all.push(await addJob(name, { cell: count % 2 ? 'second' : 'main' }))
  for (const where of ['main', 'second'])
    await sql`
      update graphile_worker._private_jobs as job set updated_at = '2026-01-01T00:00:00.1234Z'
        from graphile_worker._private_tasks as task
       where task.id = job.task_id and identifier = ${name} and job.id % 3 <> 0`.execute(cell(where))
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const body = await listDead(`name=${name}&limit=1&cursor=${cursor}`)
    seen.push(...idsOf(body))
    if (body.cursor === null) break
    cursor = body.cursor
  }
  assert.deepEqual(seen.toSorted(), all.toSorted())
  assert.deepEqual(seen, idsOf(await listDead(`name=${name}`)))
})

test('a dead job is retried with all its attempts, or discarded for good; each is written down, in its business as well', async () => {
  const { id: businessId, admin, path } = await used.make.business({ cell: 'second' })
  const retried = await addJob('test.one', { cell: 'second', businessId })
  const discarded = await addJob('test.one', { cell: 'second', businessId })
  const changed = { changed: 1, isComplete: true, cells: [{ cell: 'second', isAnswering: true, problem: null }] }
  assert.deepEqual((await operator.post(`${PATH}/${retried}/retry`, undefined)).body, changed)
  assert.deepEqual((await operator.post(`${PATH}/${discarded}/discard`, undefined)).body, changed)
  const { rows } = await sql<{ id: string; attempts: number }>`
    select id, attempts from graphile_worker.jobs where task_identifier = 'test.one'`.execute(cell('second'))
  assert.deepEqual(
    rows.map(({ id, attempts }) => [`second:${id}`, attempts]),
    [[retried, 0]],
  )
  assert.equal(refusal(await operator.post(`${PATH}/${retried}/retry`, undefined)), '409 CONFLICT id WRONG_STATE')
  assert.equal(refusal(await operator.post(`${PATH}/${retried}/discard`, undefined)), '409 CONFLICT id WRONG_STATE')
  for (const id of [discarded, 'none:1', 'main:999999999'])
    assert.equal(refusal(await operator.post(`${PATH}/${id}/retry`, undefined)), '404 NOT_FOUND', id)
  for (const id of ['main', 'main:', 'main:x', 'main:1%20or%201'])
    assert.equal(refusal(await operator.post(`${PATH}/${id}/retry`, undefined)), '422 VALIDATION_FAILED id INVALID', id)

  const entriesOf = (items: { action: string; actorId: string; data: { name: string } }[]) =>
    items.map(({ action, actorId, data }) => [action, actorId, data.name])
  const expected = [
    ['job.discarded', operator.id, 'test.one'],
    ['job.retried', operator.id, 'test.one'],
  ]
  const ofOperator = await operator.get(`/v1/operator/audit?businessId=${businessId}`)
  assert.deepEqual(entriesOf(ofOperator.body.items), expected)
  const ofBusiness = await admin.get(`${path}/audit?action=job.discarded&action=job.retried`)
  assert.deepEqual(entriesOf(ofBusiness.body.items), expected)
})

test('of two who take up the same dead job, one does', async () => {
  const id = await addJob('test.twice')
  const answers = await Promise.all(
    ['retry', 'discard', 'retry', 'discard'].map((verb) => operator.post(`${PATH}/${id}/${verb}`, undefined)),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const { status } of answers) assert.ok([200, 404, 409].includes(status), String(status))
})

test('all dead jobs of a kind, a cell or a business are retried or discarded, and no others', async () => {
  const name = 'test.bulk'
  const { id: businessId } = await used.make.business({ cell: 'second' })
  const mine = await addJob(name, { cell: 'second', businessId })
  const others = [await addJob(name), await addJob(name, { cell: 'second' })]
  const other = await addJob('test.bulk-other')
  await addJob(name, { isDead: false })

  const retried = await operator.post(`${PATH}/retry`, { businessId })
  assert.deepEqual([retried.status, retried.body.changed, retried.body.isComplete], [200, 1, true], retried.text)
  assert.deepEqual(idsOf(await listDead(`name=${name}`)).toSorted(), others.toSorted())
  const discarded = await operator.post(`${PATH}/discard`, { name })
  assert.equal(discarded.body.changed, 2)
  const left = await listDead(`name=${name}`)
  assert.deepEqual(idsOf(left), [], mine)
  assert.equal(
    left.queues.reduce((sum: number, { ready }: { ready: number }) => sum + ready, 0),
    2,
    'the living stay',
  )
  assert.deepEqual(idsOf(await listDead('name=test.bulk-other')), [other])

  const { body } = await operator.get('/v1/operator/audit?action=jobs.discarded&limit=1')
  assert.deepEqual([body.items[0].subject, body.items[0].data], [name, { name, changed: 2 }])
  assert.equal(refusal(await operator.post(`${PATH}/discard`, {})), '422 VALIDATION_FAILED  INVALID')
  assert.equal(refusal(await operator.post(`${PATH}/retry`, { cell: 'none' })), '422 VALIDATION_FAILED cell NOT_FOUND')
})
