import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { migrate } from '#platform/database/migrate.ts'
import { withScratchDatabase } from '../../support/database.ts'

/** The indexes of a database with what they are made of, and whether each can be used. */
const INDEXES = `
  select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition, indisvalid as valid
    from pg_index where indrelid::regclass::text ~ '^(access|payments)[.]' order by 1`

test('a migration that was cut off after it had built or dropped an index can be repeated', () =>
  withScratchDatabase(async (url) => {
    await migrate(url, ['control', 'cell'])
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      const before = (await client.query(INDEXES)).rows
      // Done, but not noted: the process ended in between. One of the builds did not even come to its end.
      await client.query("delete from control.migrations where name ~ '^0006[cd]'")
      await client.query("delete from cell.migrations where name ~ '^0011[cd]'")
      await client.query(
        `update pg_index set indisvalid = false where indexrelid = 'payments.refunds_pending'::regclass`,
      )
      await migrate(url, ['control', 'cell'])
      assert.deepEqual((await client.query(INDEXES)).rows, before)
      assert.ok(before.every(({ valid }) => valid))
    } finally {
      await client.end()
    }
  }))

test('an index of a table in partitions is built for each of them, and gone on with where it was cut off', () =>
  withScratchDatabase(async (url) => {
    await migrate(url, ['control', 'cell'])
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      const indexes = `
        select indrelid::regclass::text as name, indisvalid as valid
          from pg_index where pg_get_indexdef(indexrelid) ~ '[(]business_id, subject, number[)]' order by 1`
      const before = (await client.query<{ name: string; valid: boolean }>(indexes)).rows
      assert.ok(before.length > 3 && before.every(({ valid }) => valid))
      // As an upgrade finds it: partitions full of events, none of them with the index, and one build cut off.
      await client.query('drop index cell.events_by_subject')
      await client.query(
        'create index events_default_events_by_subject on cell.events_default (business_id, subject, number)',
      )
      await client.query(`
        update pg_index set indisvalid = false where indexrelid = 'cell.events_default_events_by_subject'::regclass`)
      await client.query("delete from cell.migrations where name ~ '^0018a'")
      await migrate(url, ['control', 'cell'])
      assert.deepEqual((await client.query(indexes)).rows, before)
    } finally {
      await client.end()
    }
  }))
