import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { loadMigrations, type Migration, migrate, toMigration } from '#platform/database/migrate.ts'
import { withScratchDatabase } from '../../support/database.ts'
import { loadWithLater } from '../../support/later-migrations.ts'

type Query = <Row extends pg.QueryResultRow>(text: string) => Promise<Row[]>

/** A database with the migrations of this version; `upgrade` applies `later` ones of a cell as well. */
const upgrading = (
  later: readonly Migration[],
  work: (query: Query, upgrade: () => Promise<string[]>) => Promise<void>,
) =>
  withScratchDatabase(async (url) => {
    await migrate(url, ['control', 'cell'])
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const load = async (kind: 'control' | 'cell') => [
      ...(await loadMigrations(kind)),
      ...(kind === 'cell' ? later : []),
    ]
    try {
      await work(
        async (text) => (await client.query(text)).rows,
        () => migrate(url, ['control', 'cell'], [], load),
      )
    } finally {
      await client.end()
    }
  })

const forget = (prefix: string) => `delete from cell.migrations where name ~ '^${prefix}'`

test('a migration that is cut off after it has built or dropped an index can be repeated', () => {
  const later = [
    toMigration(
      '20270101T0000_find_orders_by_phone.sql',
      '-- no transaction\ncreate index concurrently orders_by_phone on orders.orders (business_id, phone);',
    ),
    toMigration(
      '20270102T0000_drop_orders_by_customer.sql',
      '-- no transaction\ndrop index concurrently if exists orders.orders_by_customer;',
    ),
  ]
  return upgrading(later, async (query, upgrade) => {
    const indexes = () =>
      query<{ name: string; valid: boolean }>(`
        select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition, indisvalid as valid
          from pg_index where indrelid = 'orders.orders'::regclass order by 1`)
    assert.deepEqual(
      await upgrade(),
      later.map(({ name }) => `cell/${name}`),
    )
    const whole = await indexes()
    assert.ok(whole.some(({ name }) => name === 'orders.orders_by_phone'))
    assert.ok(whole.every(({ name }) => name !== 'orders.orders_by_customer'))
    // Done, but not noted: the process ended in between. One of the builds did not even come to its end.
    await query(forget('2027'))
    await query(`update pg_index set indisvalid = false where indexrelid = 'orders.orders_by_phone'::regclass`)
    assert.equal((await upgrade()).length, 2)
    assert.deepEqual(await indexes(), whole)
    assert.ok(whole.every(({ valid }) => valid))
  })
})

test('an index of a partitioned table is built on each partition, and resumed where it was cut off', () => {
  const later = toMigration(
    '20270101T0000_find_events_by_actor.sql',
    'create index events_by_actor on only cell.events (business_id, actor_id, number);',
  )
  return upgrading([later], async (query, upgrade) => {
    const indexes = () =>
      query<{ name: string; valid: boolean }>(`
        select indrelid::regclass::text as name, indisvalid as valid
          from pg_index where pg_get_indexdef(indexrelid) ~ '[(]business_id, actor_id, number[)]' order by 1`)
    await upgrade()
    const whole = await indexes()
    assert.ok(whole.length > 3 && whole.every(({ valid }) => valid))
    await query('drop index cell.events_by_actor')
    await query('create index events_default_events_by_actor on cell.events_default (business_id, actor_id, number)')
    await query(
      `update pg_index set indisvalid = false where indexrelid = 'cell.events_default_events_by_actor'::regclass`,
    )
    await query(forget('2027'))
    await upgrade()
    assert.deepEqual(await indexes(), whole)
  })
})

test('an expanded table takes the writes of the previous version, and a backfill fills every older row, also if it is run again', () =>
  withScratchDatabase(async (url) => {
    await migrate(url, ['control', 'cell'])
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      await client.query(`
        insert into orders.orders (business_id, id, number, customer_id, market, currency, lines, subtotal, tax, shipping, discount,
                                   total, blocks, statuses, status, payment_statuses, payment_status, shipping_tax, taxes, created_at,
                                   updated_at)
        select 'biz_' || n % 3, 'ord_' || n, n::text, 'usr_1', 'us', 'USD', '[]', 0, 0, 0, 0, 0, '[]', '[]', 'CONFIRMED', '[]',
               'PAID', 0, '{}', now(), now()
          from generate_series(1, 2500) as n`)
      const upgrade = (until = '9999') =>
        migrate(url, ['control', 'cell'], [], async (kind) =>
          (await loadWithLater(kind)).filter(({ name }) => name < until),
        )
      const write = () => client.query('update orders.orders set version = version + 1')
      assert.equal((await upgrade('20270110T0910')).length, 1)
      assert.equal((await write()).rowCount, 2_500)
      assert.equal((await upgrade()).length, 3)
      assert.equal((await write()).rowCount, 2_500)
      const left = async () => (await client.query('select from orders.orders where channel is null')).rowCount
      assert.equal(await left(), 0)
      await client.query(forget('2027.*_set_channel'))
      assert.deepEqual(await upgrade(), ['cell/20270110T0910_set_channel_of_older_orders.sql'])
      assert.equal(await left(), 0)
      assert.deepEqual(await upgrade(), [])
    } finally {
      await client.end()
    }
  }))

test('the baseline has numbers, and later migrations are named by time and sentence', async () => {
  for (const [kind, last] of [
    ['control', '0005_fleet.sql'],
    ['cell', '0012_backoffice.sql'],
  ] as const) {
    const names = (await loadWithLater(kind)).map(({ name }) => name)
    const baseline = names.indexOf(last) + 1
    assert.equal(Number(last.slice(0, 4)), baseline)
    for (const name of names.slice(baseline)) assert.match(name, /^\d{8}T\d{4}_[a-z0-9_]+\.sql$/)
  }
})

test('migrate rejects a database from before the baseline, and says what to do', () =>
  withScratchDatabase(async (url) => {
    await migrate(url, ['control', 'cell'])
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`insert into cell.migrations (name, checksum) values ('0011aa_refund_words_in_slices.sql', '')`)
    await client.end()
    await assert.rejects(migrate(url, ['control', 'cell']), {
      message:
        'This database was created before the first release (migration cell/0011aa_refund_words_in_slices.sql) and ' +
        'cannot be updated. Create an empty database and run the command again.',
    })
  }))
