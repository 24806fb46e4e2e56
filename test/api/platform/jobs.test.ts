import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type QueryExecutorProvider, sql } from 'kysely'
import pg from 'pg'
import { Type } from 'typebox'
import { loadConfig } from '#platform/config.ts'
import { type Databases, openDatabases } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type AnyJob, defineJob, enqueue, type JobContext } from '#platform/jobs/define.ts'
import { jobs as allJobs } from '../../../src/apps/jobs.ts'
import { onServer } from '../../support/database.ts'
import { startProxy } from '../../support/proxy.ts'
import { createTestDatabases, type TestDatabases } from '../../support/start-api.ts'
import { startTestWorker, type TestWorker, type WorkerOptions } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'

/** Databases of the test's own: a queue has counts, and other tests' jobs would be in them. */
async function setUp(t: TestContext) {
  const made = await createTestDatabases()
  const databases = openDatabases(loadConfig({ NODE_ENV: 'test', ...made.env }).databases, { max: 4 })
  const client = new pg.Client({ connectionString: made.main.url })
  await client.connect()
  const workers: TestWorker[] = []
  t.after(async () => {
    await client.end() // first, with the locks that it may hold
    await Promise.all(workers.map((worker) => worker.stop()))
    await databases.close()
    await made.drop()
  })
  return {
    made,
    databases,
    main: databases.cells.get('main')!, // oxlint-disable-line typescript/no-non-null-assertion
    second: databases.cells.get('second')!, // oxlint-disable-line typescript/no-non-null-assertion
    /** Straight to the main database, as an operator would look. */
    look: async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows,
    work: (jobs: readonly AnyJob[], options: WorkerOptions = {}, env: Record<string, string> = made.env) => {
      const worker = startTestWorker(env, jobs, options)
      workers.push(worker)
      return worker
    },
  }
}

const Note = Type.Object({ text: Type.String() })

/** A job that writes down what it was given. */
function noting(name: string, options: { maxAttempts?: number } = {}) {
  const noted: string[] = []
  const job = defineJob({ name, on: 'cell', payload: Note, ...options, run: async ({ text }) => void noted.push(text) })
  return { noted, job }
}

/** A job that stops in its middle until the test lets it go on. */
function halting(name: string, finish: (context: JobContext<Databases['control']>) => Promise<void> = async () => {}) {
  const started: number[] = []
  const finished: number[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const job = defineJob({
    name,
    on: 'control',
    payload: Type.Object({}),
    async run(_payload, context) {
      started.push(context.attempt)
      await released
      await finish(context)
      finished.push(context.attempt)
    },
  })
  return { started, finished, release, job }
}

const queued = 'select id, attempts, locked_by, last_error from graphile_worker._private_jobs order by id'

test('a job runs if, and only if, the transaction that enqueued it commits', async (t) => {
  const { main, work, look } = await setUp(t)
  const { noted, job } = noting('test.note')
  await assert.rejects(
    transaction(main, async (tx) => {
      await enqueue(tx, job, { text: 'rolled back' })
      throw new Error('the rest of it failed')
    }),
    /the rest of it failed/,
  )
  await transaction(main, (tx) => enqueue(tx, job, { text: 'committed' }))
  assert.equal((await look(queued)).length, 1)

  work([job])
  await until('the queue is empty', async () => (await look(queued)).length === 0)
  assert.deepEqual(noted, ['committed'])
})

test('a job enqueued while the worker waits starts at once, not at its next look', async (t) => {
  const { main, work, look } = await setUp(t)
  const { noted, job } = noting('test.note')
  work([job], { concurrency: 1 })
  await until('the worker can be seen', async () => (await look('select 1 from cell.workers')).length)
  const waits: number[] = []
  for (let turn = 1; turn <= 5; turn++) {
    const before = performance.now()
    await transaction(main, (tx) => enqueue(tx, job, { text: `turn ${turn}` }))
    await until('it has run', () => noted.length === turn, { everyMs: 2 })
    waits.push(performance.now() - before)
  }
  // By itself it would look again a second after the last job, every time.
  assert.ok(Math.min(...waits) < 500, `took ${waits.map(Math.round).join(', ')} ms`)
})

test('a job with a key is put off by the next one, unless it keeps its time', async (t) => {
  const { main, look } = await setUp(t)
  const { job } = noting('test.note')
  const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000)
  const times = [soon(10), soon(20)]
  for (const keepsTime of [false, true])
    for (const runAt of times)
      await transaction(main, (tx) =>
        enqueue(tx, job, { text: `${runAt.getTime()}` }, { key: `keeps its time: ${keepsTime}`, runAt, keepsTime }),
      )
  const rows = await look('select run_at, payload from graphile_worker._private_jobs order by id')
  assert.deepEqual(
    rows.map(({ run_at: runAt }) => runAt),
    [times[1], times[0]],
  )
  const last = { text: `${times[1]?.getTime()}` }
  assert.deepEqual(
    rows.map(({ payload }) => payload),
    [last, last],
  )
})

test('a job is not lost when a worker takes the one with its key in the same moment', async (t) => {
  const { main, look } = await setUp(t)
  const { job } = noting('test.note')
  for (const keepsTime of [false, true]) {
    const key = `keeps its time: ${keepsTime}`
    const options = { key, keepsTime }
    await transaction(main, (tx) => enqueue(tx, job, { text: 'first' }, options))
    // As a worker does it; the other transaction finds the row locked, and waits.
    await look('begin')
    await look(
      `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'a worker', attempts = 1 where key = $1`,
      [key],
    )
    const second = transaction(main, (tx) => enqueue(tx, job, { text: 'second' }, options))
    await until('it waits', async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(main)
      return rows.length > 0
    })
    await look('commit')
    await second
    const waiting = await look(
      'select payload from graphile_worker._private_jobs where locked_at is null and key = $1',
      [key],
    )
    assert.deepEqual(waiting, [{ payload: { text: 'second' } }])
  }
})

test('a payload that does not fit is refused where it is enqueued, and by the worker if it got in all the same', async (t) => {
  const { main, work, look } = await setUp(t)
  const { noted, job } = noting('test.note', { maxAttempts: 1 })
  const wrong = { text: 42 } as unknown as { text: string }
  await assert.rejects(
    transaction(main, (tx) => enqueue(tx, job, wrong)),
    (error: Error) => error instanceof TypeError && /test\.note.*\/text/.test(error.message),
  )
  assert.deepEqual(await look(queued), [])

  await look(`select graphile_worker.add_job('test.note', '{"text": 42}', max_attempts => 1)`)
  work([job])
  const [dead] = await until('it has failed', async () => {
    const rows = await look(queued)
    return rows[0]?.last_error && rows
  })
  assert.match(dead.last_error, /does not fit its schema/)
  assert.deepEqual(noted, [])
})

test('a failing job is tried again with growing waits, ends dead, and is shown to whoever looks', async (t) => {
  const { made, main, work, look } = await setUp(t)
  const attempts: number[] = []
  const job = defineJob({
    name: 'test.failing',
    on: 'cell',
    payload: Type.Object({}),
    maxAttempts: 3,
    async run(_payload, { attempt }) {
      attempts.push(attempt)
      throw new Error(`no luck with attempt ${attempt}\nand a second line`)
    },
  })
  await look(`
    create table waits (attempts integer, wait float8);
    create function note_wait() returns trigger language plpgsql as $$ begin
      insert into waits values (new.attempts, extract(epoch from new.run_at - now()));
      return new;
    end $$;
    create trigger note_wait after update on graphile_worker._private_jobs for each row
      when (old.locked_at is not null and new.locked_at is null) execute function note_wait()`)
  await transaction(main, (tx) => enqueue(tx, job, {}))
  const lines: string[] = []
  const worker = work([job], { lines })
  const gauge = async (state: string) => {
    const text = await worker.metrics.registry.getSingleMetricAsString('kontor_queue_jobs')
    return Number(new RegExp(`kontor_queue_jobs\\{database="main",state="${state}"\\} (\\d+)`).exec(text)?.[1])
  }

  await until('it is scheduled again', async () => (await gauge('scheduled')) === 1)
  await until('it is dead', async () => {
    // spares the test the waits
    await look('update graphile_worker._private_jobs set run_at = now() where locked_at is null and attempts < 3')
    return (await gauge('dead')) === 1
  })
  const waits = await look('select attempts, wait from waits order by attempts')
  assert.deepEqual(
    waits.map((row) => row.attempts),
    [1, 2, 3],
  )
  for (const { attempts: tries, wait } of waits)
    assert.ok(Math.abs(wait - Math.exp(tries)) < 0.1, `waited ${wait} s after ${tries}`)

  assert.deepEqual(attempts, [1, 2, 3])
  const counted = await worker.metrics.registry.getSingleMetricAsString('kontor_jobs_total')
  assert.match(counted, /kontor_jobs_total\{job="test.failing",outcome="failed"\} 3/)
  assert.match(counted, /kontor_jobs_total\{job="test.failing",outcome="dead"\} 1/)
  assert.ok(lines.some((line) => line.includes('out of attempts') && line.includes('test.failing')))

  const { stdout } = await promisify(execFile)(process.execPath, ['bin/kontor.js', 'cli', 'jobs', 'list', '--dead'], {
    env: { ...process.env, NODE_ENV: 'test', ...made.env },
  })
  assert.match(stdout, /^main\/\d+ {2}test\.failing {2}dead +3\/3 +\S+ {2}no luck with attempt 3$/m)
})

test('of jobs with one key, the last one enqueued waits and the others are gone', async (t) => {
  const { main, work, look } = await setUp(t)
  const { noted, job } = noting('test.note')
  const later = new Date(Date.now() + 3_600_000)
  await transaction(main, (tx) => enqueue(tx, job, { text: 'first' }, { key: 'one', runAt: later }))
  await transaction(main, (tx) => enqueue(tx, job, { text: 'other key' }, { key: 'two' }))
  await transaction(main, (tx) => enqueue(tx, job, { text: 'second' }, { key: 'one' }))
  assert.equal((await look(queued)).length, 2)

  work([job])
  await until('the queue is empty', async () => (await look(queued)).length === 0)
  assert.deepEqual(noted.sort(), ['other key', 'second'])
})

test('jobs run in the order of their priority, and not before their time', async (t) => {
  const { main, work, look } = await setUp(t)
  const { noted, job } = noting('test.note')
  await transaction(main, async (tx) => {
    await enqueue(tx, job, { text: 'late' }, { priority: 5 })
    await enqueue(tx, job, { text: 'early' }, { priority: -5 })
    await enqueue(tx, job, { text: 'normal' })
    await enqueue(tx, job, { text: 'tomorrow' }, { priority: -9, runAt: new Date(Date.now() + 86_400_000) })
  })
  work([job], { concurrency: 1 })
  await until('one is left', async () => (await look(queued)).length === 1)
  assert.deepEqual(noted, ['early', 'normal', 'late'])
})

test('one worker runs the jobs of the control database and of every cell', async (t) => {
  const { made, databases, main, second, work } = await setUp(t)
  const seen: string[] = []
  const whereAmI = async (db: QueryExecutorProvider) => {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
    return rows[0]?.name
  }
  const onCell = defineJob({
    name: 'test.on-cell',
    on: 'cell',
    payload: Note,
    async run({ text }, { db, control, cells }) {
      assert.deepEqual([...cells.keys()], ['main', 'second'])
      assert.equal(await whereAmI(control), made.main.name)
      seen.push(`${text}: ${await whereAmI(db)}`)
    },
  })
  const onControl = defineJob({
    name: 'test.on-control',
    on: 'control',
    payload: Note,
    async run({ text }, { db }) {
      seen.push(`${text}: ${await whereAmI(db)}`)
    },
  })
  await transaction(main, (tx) => enqueue(tx, onCell, { text: 'main' }))
  await transaction(second, (tx) => enqueue(tx, onCell, { text: 'second' }))
  await transaction(databases.control, (tx) => enqueue(tx, onControl, { text: 'control' }))
  work([onCell, onControl])
  await until('all three have run', () => seen.length === 3)
  assert.deepEqual(seen.sort(), [
    `control: ${made.main.name}`,
    `main: ${made.main.name}`,
    `second: ${made.second.name}`,
  ])
})

test('recurring jobs are registered with the databases to which they belong, and they run', async (t) => {
  const { made, databases, second, work } = await setUp(t)
  const recurring = allJobs.filter((job) => job.cron)
  assert.ok(recurring.some((job) => job.on === 'cell') && recurring.some((job) => job.on === 'control'))
  const lines: string[] = []
  work(allJobs, { lines })

  const known = 'select identifier from graphile_worker._private_known_crontabs order by 1'
  const names = (on: 'cell' | 'control') => recurring.filter((job) => job.on === on).map(({ name }) => name)
  const knownIn = (url: string) =>
    onServer(async (client) => (await client.query(known)).rows.map(({ identifier }) => identifier as string), url)
  await until('they are registered in main', async () => (await knownIn(made.main.url)).length >= recurring.length)
  await until(
    'they are registered in the second cell',
    async () => (await knownIn(made.second.url)).length >= names('cell').length,
  )
  assert.deepEqual(await knownIn(made.main.url), [...names('cell'), ...names('control')].sort())
  assert.deepEqual(await knownIn(made.second.url), names('cell').sort())

  for (const job of recurring) {
    if (job.on === 'cell') await transaction(second, (tx) => enqueue(tx, job, {}))
    else await transaction(databases.control, (tx) => enqueue(tx, job, {}))
  }
  // A job that is done is gone; one that failed waits for another try.
  const waiting = (url: string) =>
    onServer(async (client) => (await client.query('select id from graphile_worker._private_jobs')).rows.length, url)
  await until('each has run', async () => (await waiting(made.main.url)) + (await waiting(made.second.url)) === 0)
  assert.deepEqual(
    lines.filter((line) => line.includes('"level":50')),
    [],
  )
})

test('a worker that is stopped lets its running job finish, takes no other, and leaves nothing locked', async (t) => {
  const { databases, main, work, look } = await setUp(t)
  const halted = halting('test.halting')
  const { noted, job } = noting('test.note')
  const worker = work([halted.job, job], { concurrency: 1 })
  await transaction(databases.control, (tx) => enqueue(tx, halted.job, {}))
  await until('it has started', () => halted.started.length === 1)
  await transaction(main, (tx) => enqueue(tx, job, { text: 'for the next worker' }))

  const stopped = worker.stop()
  const early = await Promise.race([stopped.then(() => 'stopped'), sleep(300, 'still there')])
  assert.equal(early, 'still there')
  halted.release()
  await stopped

  assert.deepEqual(halted.finished, [1])
  assert.deepEqual(noted, [])
  assert.deepEqual(
    (await look(queued)).map(({ attempts, locked_by }) => ({ attempts, locked_by })),
    [{ attempts: 0, locked_by: null }],
  )
  assert.deepEqual(await look('select pool_id from cell.workers'), [])
})

test('a run that was given up for dead is refused at its fence, even when the same worker has the job again', async (t) => {
  const { databases, work, look } = await setUp(t)
  await look('create table effects (attempt integer not null)')
  const refused: string[] = []
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let [started, finished] = [0, 0]
  const job = defineJob({
    name: 'test.halting',
    on: 'control',
    payload: Type.Object({}),
    async run(_payload, { db, attempt, fence }) {
      started++
      await (started === 1 ? first : second).promise
      await transaction(db, async (tx) => {
        await fence(tx).catch((error: Error) => {
          refused.push(`attempt ${attempt}: ${error.message}`)
          throw error
        })
        await sql`insert into effects (attempt) values (${attempt})`.execute(tx)
      })
      finished++
    },
  })
  work([job])
  await transaction(databases.control, (tx) => enqueue(tx, job, {}))
  await until('it has started', () => started === 1)
  // What the sweeper does when it believes that a worker is dead.
  await look(`select graphile_worker.force_unlock_workers(array(select pool_id from cell.workers))`)
  await until('it has started again', () => started === 2)
  second.resolve()
  await until('the second run has finished', () => finished === 1)
  first.resolve()
  await until('the first was refused', () => refused.length === 1)
  assert.match(refused[0] ?? '', /attempt 1: Job \d+ was given up for dead/)
  assert.deepEqual(await look('select attempt from effects'), [{ attempt: 2 }])
})

test('a job whose key is enqueued anew while it runs passes its fence, and the newer one runs as well', async (t) => {
  const { databases, work, look } = await setUp(t)
  const halted = halting('test.halting', ({ db, fence }) => transaction(db, fence))
  work([halted.job])
  await transaction(databases.control, (tx) => enqueue(tx, halted.job, {}, { key: 'one' }))
  await until('it has started', () => halted.started.length === 1)
  await transaction(databases.control, (tx) => enqueue(tx, halted.job, {}, { key: 'one' }))
  halted.release()
  await until('the queue is empty', async () => (await look(queued)).length === 0)
  assert.equal(halted.finished.length, 2)
})

test('while a fenced transaction is open, its job is not handed to anybody else', async (t) => {
  const { databases, work, look } = await setUp(t)
  const inside = Promise.withResolvers<void>()
  const leave = Promise.withResolvers<void>()
  const job = defineJob({
    name: 'test.fenced',
    on: 'control',
    payload: Type.Object({}),
    run: (_payload, { db, fence }) =>
      transaction(db, async (tx) => {
        await fence(tx)
        inside.resolve()
        await leave.promise
      }),
  })
  work([job])
  await transaction(databases.control, (tx) => enqueue(tx, job, {}))
  await inside.promise
  await look("set lock_timeout = '200ms'")
  await assert.rejects(
    look('select graphile_worker.force_unlock_workers(array(select pool_id from cell.workers))'),
    /lock timeout/,
  )
  leave.resolve()
  await until('it is done', async () => (await look(queued)).length === 0)
})

/** As when a server is switched off: whoever is connected is thrown out, and nobody gets in. */
async function switchOff({ second }: TestDatabases) {
  await onServer(async (client) => {
    await client.query(`alter database ${second.name} allow_connections false`)
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [second.name])
  })
}
const switchOn = ({ second }: TestDatabases) =>
  onServer((client) => client.query(`alter database ${second.name} allow_connections true`))

test('a database that is switched off does not stop the others, and is served again when it is back', async (t) => {
  const { made, main, second, work } = await setUp(t)
  const { noted, job } = noting('test.note')
  const worker = work([job])
  await transaction(second, (tx) => enqueue(tx, job, { text: 'second, before' }))
  await until('the second cell is served', () => noted.includes('second, before'))

  await switchOff(made)
  await transaction(main, (tx) => enqueue(tx, job, { text: 'main, meanwhile' }))
  await until('main is served', () => noted.includes('main, meanwhile'))

  await switchOn(made)
  await transaction(second, (tx) => enqueue(tx, job, { text: 'second, again' }))
  await until('the second cell is served again', () => noted.includes('second, again'))
  assert.deepEqual(worker.abandoned, [], 'none of its jobs was running')
})

test('a worker starts while one of its databases is away, and serves it as soon as it is there', async (t) => {
  const { made, main, second, work } = await setUp(t)
  const { noted, job } = noting('test.note')
  await transaction(main, (tx) => enqueue(tx, job, { text: 'main' }))
  await transaction(second, (tx) => enqueue(tx, job, { text: 'second' }))
  await switchOff(made)
  work([job])
  await until('main is served', () => noted.includes('main'))
  await switchOn(made)
  await until('the second cell is served', () => noted.includes('second'))
})

test('a database that falls silent without closing a connection is left, and served again when it is back', async (t) => {
  const { made, main, second, work } = await setUp(t)
  const proxy = await startProxy(made.second.url)
  t.after(() => proxy.close())
  const { noted, job } = noting('test.note')
  const worker = work([job], {}, { ...made.env, CELLS: JSON.stringify({ second: { url: proxy.url } }) })
  await transaction(second, (tx) => enqueue(tx, job, { text: 'second, before' }))
  await until('the second cell is served', () => noted.includes('second, before'))

  proxy.freeze()
  await transaction(second, (tx) => enqueue(tx, job, { text: 'second, again' }))
  await transaction(main, (tx) => enqueue(tx, job, { text: 'main, meanwhile' }))
  await until('main is served', () => noted.includes('main, meanwhile'))
  proxy.restore()
  await until('the second cell is served again', () => noted.includes('second, again'), { withinMs: 20_000 })
  assert.deepEqual(worker.abandoned, [])
})

test('a job that was done but could not be marked as done is free again within seconds', async (t) => {
  const { main, work, look } = await setUp(t)
  const { noted, job } = noting('test.note')
  const lines: string[] = []
  work([job], { lines })
  await transaction(main, (tx) => enqueue(tx, job, { text: 'once more' }, { runAt: new Date(Date.now() + 3_600_000) }))
  // The worker may take the job, which only updates its row, but waits in front of this lock to delete it.
  await look(
    'create function wait_here() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(4711); return old; end $$',
  )
  await look(
    'create trigger wait before delete on graphile_worker._private_jobs for each row execute function wait_here()',
  )
  await look('select pg_advisory_lock(4711)')
  await look('update graphile_worker._private_jobs set run_at = now()')
  const [waiting] = await until('the worker waits to mark it as done', () =>
    look(
      "select pid from pg_stat_activity where wait_event = 'advisory' and query like 'delete from%' and datname = current_database()",
    ).then((rows) => rows[0] && rows),
  )
  assert.deepEqual(noted, ['once more'])
  await look('select pg_terminate_backend($1)', [waiting.pid])
  await look('select pg_advisory_unlock(4711)')
  await look('drop trigger wait on graphile_worker._private_jobs')

  await until('the queue is empty', async () => (await look(queued)).length === 0)
  assert.deepEqual(noted, ['once more', 'once more'])
})

test('a job that was given to this worker, but never arrived, is free again within seconds', async (t) => {
  const { made, main, work, look } = await setUp(t)
  const proxy = await startProxy(made.main.url)
  t.after(() => proxy.close())
  const { noted, job } = noting('test.note')
  work([job], { concurrency: 1 }, { DATABASE_URL: proxy.url })
  await transaction(main, (tx) => enqueue(tx, job, { text: 'first' }))
  await until('it is served', () => noted.length === 1)

  const lost = proxy.loseReplyWith('never arrived')
  await transaction(main, (tx) => enqueue(tx, job, { text: 'never arrived' }))
  await lost
  await until('the queue is empty', async () => (await look(queued)).length === 0)
  assert.deepEqual(noted, ['first', 'never arrived'])
})

test('no job is taken before the database can see that the worker lives', async (t) => {
  const { main, work, look } = await setUp(t)
  const { noted, job } = noting('test.note')
  await transaction(main, (tx) => enqueue(tx, job, { text: 'patience' }))
  await look('begin')
  await look('lock table cell.workers in share mode') // its row cannot be written now
  work([job])
  await until('the worker waits to be seen', () =>
    look("select 1 from pg_locks where relation = 'cell.workers'::regclass and not granted").then(
      (rows) => rows.length,
    ),
  )
  await sleep(300)
  assert.deepEqual(
    (await look(queued)).map((row) => row.locked_by),
    [null],
  )
  await look('commit')
  await until('it has run', () => noted.length === 1)
})

test('a job that is locked for a worker nobody knows is free again within seconds', async (t) => {
  const { main, work, look } = await setUp(t)
  const { noted, job } = noting('test.note')
  await transaction(main, (tx) => enqueue(tx, job, { text: 'stray' }))
  await look("update graphile_worker._private_jobs set locked_by = 'pool-unknown', locked_at = now(), attempts = 1")
  work([job])
  await until('it has run', () => noted.length === 1)
})

test('a transaction that holds on to a job of a dead worker holds up its recovery, but does no harm to the living', async (t) => {
  const { databases, main, work, look } = await setUp(t)
  const { noted, job } = noting('test.note')
  const halted = halting('test.halting')
  await transaction(main, (tx) => enqueue(tx, job, { text: 'of the dead' }))
  await look("insert into cell.workers (pool_id) values ('pool-of-the-dead')")
  await look("update graphile_worker._private_jobs set locked_by = 'pool-of-the-dead', locked_at = now(), attempts = 1")
  await look('begin')
  await look('select id from graphile_worker._private_jobs for share')

  const worker = work([job, halted.job])
  await transaction(databases.control, (tx) => enqueue(tx, halted.job, {}))
  await until('a job of the living runs', () => halted.started.length === 1)
  // Somebody waits for the dead one's job; longer than a worker's line may be silent before it counts as lost.
  await until('its job is wanted', () => look('select 1 from pg_locks where not granted').then((rows) => rows.length))
  await sleep(4_500)
  assert.deepEqual(worker.abandoned, [])
  await look('commit')
  await until('the job of the dead has run', () => noted.length === 1)
  halted.release()
})
