import { loadMigrations } from '#platform/database/migrate.ts'
import type { Figure, Run } from '../scripts/figures.ts'
import { type Filler, type Kind, locksOf, upgradeUnderLoad } from '../test/support/upgrade.ts'

export const title = 'Each migration, on a database full of rows that is being written to'

const GOAL_MS = 500
const READER_MS = 4_000

/** Of each table that a migration has ever locked, those first that others refer to. Whoever locks another one adds it here. */
const FILLERS: Record<string, Filler> = {
  'access.businesses': {
    fill: (rows) => `
      insert into access.businesses (id, name, slug, default_locale, locales, allowed_origins, markets, cell, created_at, updated_at)
      select 'biz_' || n, 'Business ' || n, 'business-' || n, 'en', '{en}', '{}', '[]', 'main', now(), now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into access.businesses (id, name, slug, default_locale, locales, allowed_origins, markets, cell, created_at, updated_at)
       select 'biz_new_' || $1::int, 'New', 'new-' || $1::int, 'en', '{en}', '{}', '[]', 'main', now(), now()
        where $2::int is not null`,
      `update access.businesses set name = 'Name ' || $1::int, version = version + 1, updated_at = now()
        where id = 'biz_' || $2::int`,
    ],
  },
  'accounts.users': {
    fill: (rows) => `
      insert into accounts.users (id, name, email, email_key, is_guest, confirmed_at, created_at, updated_at)
      select 'usr_' || n, 'User ' || n, email, email, email is null, case when n % 5 > 0 then now() end, now(), now()
        from generate_series(0, ${rows} - 1) as n
       cross join lateral (select case when n % 3 > 0 then 'user' || n || '@example.com' end as email) as address`,
    writes: [
      `insert into accounts.users (id, is_guest, created_at, updated_at)
       select 'usr_new_' || $1::int, true, now(), now() where $2::int is not null`,
      "update accounts.users set name = 'Name ' || $1::int, updated_at = now() where id = 'usr_' || $2::int",
    ],
  },
  'accounts.sessions': {
    fill: (rows) => `
      insert into accounts.sessions (id, user_id, provider, created_at, last_used_at, revoked_at)
      select 'ses_' || n, 'usr_' || n, case when n % 2 = 0 then 'GUEST' else 'EMAIL' end, now(), now(),
             case when n % 4 = 0 then now() end
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `insert into accounts.sessions (id, user_id, provider, created_at, last_used_at)
       values ('ses_new_' || $1::int, 'usr_' || $2::int, 'GUEST', now(), now())`,
      "update accounts.sessions set last_used_at = now() where id = 'ses_' || $2::int and $1::int is not null",
    ],
  },
  'content.collections': {
    fill: (rows) => `
      insert into content.collections (business_id, id, name, slug, description, type, blocks, statuses, status, plans, is_paid,
                                       schema_version, version, document, created_at, updated_at)
      select 'biz_' || n % 1000, 'col_' || n, 'Collection', 'collection-' || n, '', 'STANDARD', '[]', '[]', 'DRAFT', '[]',
             false, 1, 1, '{}', now(), now()
        from generate_series(0, ${rows} - 1) as n`,
    writes: [
      `update content.collections set version = version + 1, updated_at = now()
        where business_id = 'biz_' || $2::int % 1000 and id = 'col_' || $2::int and $1::int is not null`,
      `insert into content.collections (business_id, id, name, slug, description, type, blocks, statuses, status, plans, is_paid,
                                        schema_version, version, document, created_at, updated_at)
       select 'biz_new', 'col_' || $1::int, 'New', 'new-' || $1::int, '', 'STANDARD', '[]', '[]', 'DRAFT', '[]', false, 1, 1,
              '{}', now(), now() where $2::int is not null`,
    ],
  },
}

/**
 * These came before the first release: the tables that they lock were empty in every database that there was. They are measured
 * like all others, but nobody waits for them any more.
 */
const BEFORE_FIRST_RELEASE = [
  'control/0001_control.sql',
  'control/0002_access.sql',
  'control/0003_accounts.sql',
  'control/0004_sign_in.sql',
  'cell/0001_cell.sql',
  'cell/0002_catalog.sql',
  'cell/0003_orders.sql',
  'cell/0004_content.sql',
  'cell/0005_newsletter.sql',
  'cell/0006_subscriber_imports.sql',
]

export async function run({ quick, note }: Run) {
  const rows = quick ? 50_000 : 1_000_000
  const table: string[][] = []
  const released: { failed: number; longestMs: number }[] = []
  let migrations = 0
  for (const kind of ['control', 'cell'] as const satisfies Kind[]) {
    for (const migration of await loadMigrations(kind)) {
      migrations++
      const name = `${kind}/${migration.name}`
      const locks = await locksOf(kind, migration)
      if (locks.length === 0) {
        table.push([name, 'none', '', '', '', '', ''])
        continue
      }
      const unknown = locks.find(({ table }) => !FILLERS[table])
      if (unknown)
        throw new Error(`${name} locks ${unknown.table}: add its rows and writes to proof/migrations.proof.ts`)
      const fillers = new Map(Object.entries(FILLERS).filter(([table]) => locks.some((lock) => lock.table === table)))
      const plain = await upgradeUnderLoad(kind, migration, fillers, { rows })
      const read = await upgradeUnderLoad(kind, migration, fillers, {
        rows: Math.min(rows, 1_000),
        readerMs: READER_MS,
      })
      const failed = [...plain.failed, ...read.failed]
      for (const text of failed.slice(0, 5)) note(`${name}: ${text}`)
      const longestMs = Math.max(plain.longestMs, read.longestMs)
      if (!BEFORE_FIRST_RELEASE.includes(name)) released.push({ failed: failed.length, longestMs })
      note(`${name}: a write waited ${Math.round(plain.longestMs)} ms, with a reader ${Math.round(read.longestMs)} ms`)
      table.push([
        name,
        locks.map(({ table, mode }) => `${table} (${mode})`).join(', '),
        plain.seconds.toFixed(1),
        ...[plain.usualMs, plain.longestMs, read.longestMs].map((ms) => String(Math.round(ms))),
        `${failed.length} of ${plain.writes + read.writes}`,
      ])
    }
  }
  return {
    figures: [
      { name: 'migrations', value: migrations, unit: '' },
      {
        name: 'of these that lock a table that was there',
        value: table.filter(([, locks]) => locks !== 'none').length,
        unit: '',
      },
      { name: 'rows in each of these tables', value: rows, unit: '' },
      ...goalsOf(released),
    ],
    tables: [
      {
        title: 'Locks and waits',
        columns: [
          'migration',
          'locks',
          'takes (s)',
          'a write before (ms, longest)',
          'a write meanwhile (ms, longest)',
          `with somebody reading for ${READER_MS / 1_000} s (ms)`,
          'failed writes',
        ],
        rows: table,
      },
    ],
  }
}

const FAILED = 'writes that failed meanwhile, since the first release'
const LONGEST = 'longest wait of a write, since the first release'

/** Only what comes to databases with rows in them can hold anybody up. */
function goalsOf(released: readonly { failed: number; longestMs: number }[]): Figure[] {
  const note = 'no migration since the first release locks a table that was there'
  if (released.length === 0) return [FAILED, LONGEST].map((name) => ({ name, value: null, unit: '', note }))
  const failed = released.reduce((sum, one) => sum + one.failed, 0)
  const longest = Math.max(...released.map(({ longestMs }) => longestMs))
  return [
    { name: FAILED, value: failed, unit: '', goal: '0', ok: failed === 0 },
    { name: LONGEST, value: longest, unit: 'ms', goal: `≤ ${GOAL_MS} ms`, ok: longest <= GOAL_MS },
  ]
}
