import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { followSubjects, Outage, type Project, type Subject } from '#platform/events/follow-subjects.ts'
import { addFollowed } from '#platform/events/sequencer.ts'
import { useHeldClock } from '../../support/clock.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const clock = useHeldClock()
let db: Db
/** One of its own for each test. */
let topic: string
beforeEach(() => {
  db = used.api.services.databases.cells.get('main') ?? assert.fail()
  topic = randomUUID()
})

const silent = pino({ level: 'silent' })
const subjects = (count: number, businessId = 'biz_a') =>
  Array.from({ length: count }, (_, index) => ({ businessId, id: `subject-${String(index).padStart(4, '0')}` }))
const idsOf = (given: readonly Subject[]) => given.map(({ id }) => id)
const enqueue = (given: readonly Subject[]) => transaction(db, (tx) => addFollowed(tx, topic, given))
const follow = (project: Project) => followSubjects(db, { lock: topic, followers: [{ topic, project }] }, silent)

const skipped = async () => {
  const { rows } = await sql<{ subject: string; attempts: number; retryAt: Date }>`
    select subject, attempts, retry_at from cell.skipped_subjects where topic = ${topic} order by subject`.execute(db)
  return rows
}
const queued = async () => {
  const { rows } = await sql<{ subject: string }>`
    select subject from cell.followed where topic = ${topic} order by position`.execute(db)
  return rows.map(({ subject }) => subject)
}
const raise = (tx: Tx, code: string) =>
  sql`do ${sql.lit(`begin raise exception 'no' using errcode = '${code}'; end`)}`.execute(tx)

/** Fails with these subjects, and notes what it was called with. */
function failingWith(bad: readonly string[]) {
  const calls: string[][] = []
  const done: string[] = []
  const project = async (tx: Tx, given: readonly Subject[]) => {
    calls.push(idsOf(given))
    if (given.some(({ id }) => bad.includes(id))) await raise(tx, '22003')
    done.push(...idsOf(given))
  }
  return { calls, done, project }
}

test('all but the failing subjects of a batch are processed, each once', async () => {
  const all = subjects(490)
  const bad = ['subject-0000', 'subject-0123', 'subject-0124', 'subject-0489']
  await enqueue([...all, ...all.slice(0, 10)])
  const { calls, done, project } = failingWith(bad)
  await follow(project)
  assert.deepEqual(
    done.toSorted(),
    idsOf(all).filter((id) => !bad.includes(id)),
  )
  assert.deepEqual(
    (await skipped()).map(({ subject, attempts }) => [subject, attempts]),
    bad.map((id) => [id, 1]),
  )
  assert.deepEqual(await queued(), [])
  assert.ok(calls.length < 80, `${calls.length} transactions`)
})

test('a skipped subject is retried alone, after a time that doubles up to an hour, and no more once it succeeds', async () => {
  await enqueue(subjects(3))
  const { calls, project } = failingWith(['subject-0001'])
  await follow(project)
  for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
    calls.length = 0
    clock.advance(minutes * 60 - 1)
    await follow(project)
    assert.deepEqual(calls, [], `not before ${minutes} minutes`)
    clock.advance(1)
    await follow(project)
    assert.deepEqual(calls, [['subject-0001']])
  }
  clock.advance(3_600)
  await follow(failingWith([]).project)
  assert.deepEqual(await skipped(), [])
})

test('an event of a skipped subject brings its retry forward, and fails no batch', async () => {
  await enqueue(subjects(4))
  const { calls, project } = failingWith(['subject-0001'])
  await follow(project)
  calls.length = 0
  await enqueue(subjects(4))
  await follow(project)
  assert.deepEqual(calls, [['subject-0000', 'subject-0002', 'subject-0003'], ['subject-0001']])
  assert.deepEqual(
    (await skipped()).map(({ attempts }) => attempts),
    [2],
  )
  assert.deepEqual(await queued(), [])
})

test('a batch that times out is halved until it fits', async () => {
  const all = subjects(20)
  await enqueue(all)
  const done: string[] = []
  await follow(async (tx, given) => {
    await sql`select set_config('statement_timeout', '400ms', true)`.execute(tx)
    await sql`select pg_sleep(${given.length * 0.05})`.execute(tx)
    done.push(...idsOf(given))
  })
  assert.deepEqual(done, idsOf(all))
  assert.deepEqual(await skipped(), [])
})

test('a subject that times out alone is skipped', async () => {
  await enqueue(subjects(3))
  await follow(async (tx, given) => {
    await sql`select set_config('statement_timeout', '50ms', true)`.execute(tx)
    if (given.some(({ id }) => id === 'subject-0002')) await sql`select pg_sleep(1)`.execute(tx)
  })
  assert.deepEqual(
    (await skipped()).map(({ subject }) => subject),
    ['subject-0002'],
  )
})

for (const [what, fail] of [
  ['the connection is lost', (tx: Tx) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)],
  ['transactions cannot be serialized', (tx: Tx) => raise(tx, '40001')],
  ['there is a deadlock', (tx: Tx) => raise(tx, '40P01')],
  ['the disk is full', (tx: Tx) => raise(tx, '53100')],
  ['the database is read-only', (tx: Tx) => raise(tx, '25006')],
  ['a lock is held for too long', (tx: Tx) => raise(tx, '55P03')],
  ['a business moves to another cell', (tx: Tx) => raise(tx, 'KM001')],
  ['another service is down', () => Promise.reject(new Outage(new Error('control is away')))],
] as const)
  test(`nothing is skipped when ${what}`, async () => {
    const [first, ...others] = subjects(3)
    assert.ok(first)
    await enqueue([first])
    await follow(failingWith([first.id]).project)
    await enqueue(others)
    clock.advance(60)
    const failFor = (bad: readonly Subject[]) =>
      follow(async (tx, given) => {
        if (idsOf(given).some((id) => idsOf(bad).includes(id))) await fail(tx)
      })
    await assert.rejects(failFor(others), (error) => !(error instanceof Outage))
    assert.deepEqual(await queued(), idsOf(others))
    await assert.rejects(failFor([first]), 'its retry')
    assert.deepEqual(
      (await skipped()).map(({ subject, attempts }) => [subject, attempts]),
      [[first.id, 1]],
    )
  })

test('retries leave time for new subjects, however many are due', async () => {
  const bad = subjects(50)
  await enqueue(bad)
  const { project } = failingWith(idsOf(bad))
  await follow(project)
  clock.advance(60)
  const calls: string[] = []
  let isAdded = false
  await follow(async (tx, given) => {
    calls.push(...idsOf(given))
    if (!isAdded) await enqueue([{ businessId: 'biz_b', id: 'fresh' }])
    isAdded = true
    if (idsOf(given).includes('fresh')) return
    await sleep(50)
    await raise(tx, '22003')
  })
  assert.equal(calls.length, 51, 'each was retried once')
  assert.ok(calls.indexOf('fresh') < 20, `after ${calls.indexOf('fresh')} retries`)
})

test('a projection that has processed a part of a batch gets the rest', async () => {
  const all = subjects(100)
  await enqueue(all)
  const done: string[] = []
  await follow((_tx, given) => {
    done.push(...idsOf(given.slice(0, 7)))
    return Promise.resolve(Math.min(given.length, 7))
  })
  assert.deepEqual(done, idsOf(all))
  assert.deepEqual(await queued(), [])
})

test('one process works at a time', async () => {
  await enqueue(subjects(1))
  let calls = 0
  await follow(async () => {
    calls++
    await follow(() => assert.fail('the lock is held'))
  })
  assert.equal(calls, 1)
})
