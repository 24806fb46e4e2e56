import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { allowSeconds, openPool } from '#platform/database/connection.ts'
import { openPgBouncer, placeOf } from '../../scenarios/pgbouncer.ts'
import { onServer, withScratchDatabase } from '../../support/database.ts'

/** A pool of up to 8 connections, of which the server gives `limit` at most. */
async function withCrowdedPool(limit: number, work: (pool: ReturnType<typeof openPool>) => Promise<void>) {
  const role = `kontor_test_${randomBytes(5).toString('hex')}`
  await withScratchDatabase(async (address) => {
    await onServer((client) => client.query(`create role ${role} login password '${role}' connection limit ${limit}`))
    const url = new URL(address)
    url.username = role
    url.password = role
    const pool = openPool(url.href, { max: 8 })
    try {
      await work(pool)
    } finally {
      await pool.end()
      await onServer((client) => client.query(`drop role ${role}`))
    }
  })
}

test('when the server has no more connections to give, those there are serve everybody', () =>
  withCrowdedPool(2, async (pool) => {
    await pool.query('select 1')
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => pool.query('select $1::integer as number, pg_sleep(0.01)', [index])),
    )
    assert.deepEqual(
      answers.map(({ rows }) => rows[0].number),
      answers.map((_, index) => index),
    )
    assert.ok(pool.totalCount <= 2)
  }))

test('a server that gives no connection at all is told of after some seconds', () =>
  withCrowdedPool(0, async (pool) => {
    const since = performance.now()
    await assert.rejects(pool.query('select 1'), { code: '53300' })
    assert.ok(performance.now() - since < 7_000)
  }))

test('behind a pooler, each transaction sets its own limits and leaves nothing on the connection', () =>
  withScratchDatabase(async (url) => {
    const SETTINGS = `select name, setting from pg_settings
      where name in ('jit', 'random_page_cost', 'statement_timeout', 'lock_timeout') order by name`
    const pool = openPool(url, { behindPooler: true, max: 1 })
    const plain = await onServer(async (client) => (await client.query(SETTINGS)).rows, url)
    const client = await pool.connect()
    try {
      assert.deepEqual((await client.query(SETTINGS)).rows, plain)
      await client.query('begin')
      assert.deepEqual(
        (await client.query(SETTINGS)).rows.map(({ setting }) => setting),
        ['off', '3000', '1.1', '5000'],
      )
      await client.query('commit')
      assert.deepEqual((await client.query(SETTINGS)).rows, plain)
    } finally {
      client.release()
      await pool.end()
    }
  }))

test('a transaction may be given more time than others, and the next one on its connection is not', () =>
  withScratchDatabase(async (url) => {
    const pool = openPool(url, { max: 1, statementTimeoutMs: 100 })
    const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
    try {
      // The client gives up two seconds after the server would.
      await db.transaction().execute(async (tx) => {
        await allowSeconds(tx, 10)
        await sql`select pg_sleep(2.5)`.execute(tx)
      })
      await assert.rejects(
        db.transaction().execute((tx) => sql`select pg_sleep(1)`.execute(tx)),
        { code: '57014' },
      )
    } finally {
      await db.destroy()
    }
  }))

test('a database is silent when an answer is owed for too long, not when nobody asks', () =>
  withScratchDatabase(async (url) => {
    const pool = openPool(url, { max: 2 })
    try {
      assert.equal(pool.isAnswering(100), true)
      await pool.query('select 1')
      await sleep(150)
      assert.equal(pool.isAnswering(100), true)
      const slow = pool.query('select pg_sleep(0.5)')
      assert.equal(pool.isAnswering(100), true)
      await sleep(150)
      assert.equal(pool.isAnswering(100), false)
      await pool.query('select 1')
      assert.equal(pool.isAnswering(100), true)
      await slow
      await sleep(150)
      assert.equal(pool.isAnswering(100), true)
      pool.isSilent = true
      assert.equal(pool.isAnswering(100), false)
    } finally {
      await pool.end()
    }
  }))

/** On a server that writes times, dates and bytes as nobody expects. */
const withOddServer = (work: (url: string) => Promise<void>) =>
  withScratchDatabase(async (url) => {
    const name = new URL(url).pathname.slice(1)
    for (const setting of [`timezone = 'Europe/Berlin'`, `datestyle = 'SQL, DMY'`, `bytea_output = 'escape'`])
      await onServer((client) => client.query(`alter database ${name} set ${setting}`))
    await work(url)
  })

const TEXTS = `select to_json(timestamptz '2026-01-02T03:04:05Z') #>> '{}' as json, timestamptz '2026-01-02T03:04:05Z'::text as key`

test('a time is the same text whatever time zone the server is set to', () =>
  withOddServer(async (url) => {
    const pool = openPool(url, { max: 1 })
    try {
      const { rows } = await pool.query(`${TEXTS}, to_json('\\x00ff'::bytea) #>> '{}' as bytes`)
      assert.deepEqual(rows, [{ json: '2026-01-02T03:04:05+00:00', key: '2026-01-02 03:04:05+00', bytes: '\\x00ff' }])
    } finally {
      await pool.end()
    }
  }))

test('it is behind PgBouncer, too, in transactions and between them', () =>
  withOddServer(async (url) => {
    const bouncer = await openPgBouncer({ databases: { odd: placeOf(url) } })
    const pool = openPool(bouncer.urlOf('odd'), { behindPooler: true, max: 1 })
    const client = await pool.connect()
    try {
      for (const statement of [TEXTS, 'begin', TEXTS, 'commit', TEXTS]) {
        const { rows } = await client.query(statement)
        if (statement !== TEXTS) continue
        assert.deepEqual(rows, [{ json: '2026-01-02T03:04:05+00:00', key: '2026-01-02 03:04:05+00' }])
      }
    } finally {
      client.release()
      await pool.end()
      await bouncer.close()
    }
  }))
