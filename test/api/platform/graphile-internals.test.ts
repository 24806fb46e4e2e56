import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sql } from 'kysely'
import { GRAPHILE_VERSION } from '#platform/jobs/graphile-internals.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

test('graphile-worker is the version whose inner parts were looked at', () => {
  const file = 'node_modules/graphile-worker/package.json'
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  assert.equal(version, GRAPHILE_VERSION, 'read graphile-internals.ts beside its changes, then change the number there')
})

test('the table behind the view of jobs has the columns that are read', async () => {
  const { rows } = await sql<{ column: string; type: string }>`
    select column_name as column, data_type as type from information_schema.columns
     where table_schema = 'graphile_worker' and table_name = '_private_jobs'
       and column_name in ('id', 'locked_by', 'locked_at', 'attempts', 'max_attempts', 'run_at')
     order by column_name`.execute(used.api.services.databases.control)
  assert.deepEqual(
    rows.map(({ column, type }) => `${column} ${type}`),
    [
      'attempts smallint',
      'id bigint',
      'locked_at timestamp with time zone',
      'locked_by text',
      'max_attempts smallint',
      'run_at timestamp with time zone',
    ],
  )
})

test('workers listen for new jobs on the channel on which they are woken', async () => {
  const { rows } = await sql<{ body: string }>`
    select prosrc as body from pg_proc
     where pronamespace = 'graphile_worker'::regnamespace and prosrc like '%pg_notify%'`.execute(
    used.api.services.databases.control,
  )
  assert.ok(rows.length > 0)
  for (const { body } of rows) assert.match(body, /pg_notify\('jobs:insert', '\{"r":'/)
})

test('a worker’s jobs are unlocked by a function that takes a list of pools', async () => {
  const { rows } = await sql<{ arguments: string }>`
    select pg_get_function_identity_arguments(oid) as arguments from pg_proc
     where pronamespace = 'graphile_worker'::regnamespace and proname = 'force_unlock_workers'`.execute(
    used.api.services.databases.control,
  )
  assert.deepEqual(rows, [{ arguments: 'worker_ids text[]' }])
})
