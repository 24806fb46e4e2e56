import { setTimeout as sleep } from 'node:timers/promises'
import { runMigrations as installQueue } from 'graphile-worker'
import pg from 'pg'
import { type Migration, migrate } from '#platform/database/migrate.ts'
import { onServer, withScratchDatabase } from '../support/database.ts'
import { isLater, loadWithLater } from '../support/later-migrations.ts'

export type Kind = 'control' | 'cell'
export type Lock = { table: string; mode: string }

/** Rows of a table as there were before the migration, and what the service went on writing to it meanwhile. */
export type Filler = {
  fill: (rows: number) => string
  /** Good for the table as it was, and as it will be. `$1` is a number that comes once, `$2` one of a row that is there. */
  writes: string[]
}

export type Upgrade = {
  seconds: number
  writes: number
  failed: string[]
  /** The longest that a write took before, and while it was migrated. */
  usualMs: number
  longestMs: number
}

const WRITERS = 4
const AROUND_MS = 1_000

/** A baseline database with these rows and all migrations before this one. Later ones are recorded as applied. */
async function withDatabaseBefore<Result>(
  kind: Kind,
  name: string,
  work: (url: string) => Promise<Result>,
  statements: readonly string[] = [],
) {
  const migrations = await loadWithLater(kind)
  const index = migrations.findIndex((migration) => migration.name === name)
  const before = migrations.slice(0, index)
  return withScratchDatabase(async (url) => {
    await onServer(async (client) => {
      await client.query(`create schema ${kind}`)
      await client.query(
        `create table ${kind}.migrations (name text collate "C" primary key, checksum text not null, applied_at timestamptz not null default now())`,
      )
      for (const { sql } of before.filter((migration) => !isLater(migration))) await client.query(sql)
      for (const statement of statements) await client.query(statement)
      for (const { sql } of before.filter(isLater)) await client.query(sql)
      for (const { name, checksum } of migrations.toSpliced(index, 1)) {
        await client.query(`insert into ${kind}.migrations (name, checksum) values ($1, $2)`, [name, checksum])
      }
    }, url)
    await installQueue({ connectionString: url })
    return work(url)
  })
}

/** Tables that were there, and that the migration locks against writes, as a whole or row by row: these are what it can hold up. */
export async function locksOf(kind: Kind, { name, sql }: Migration): Promise<Lock[]> {
  return withDatabaseBefore(kind, name, (url) =>
    onServer(async (client) => {
      if (sql.startsWith('-- no transaction')) return locksOutsideTransaction(client, sql)
      const { rows } = await client.query<{ oids: number[] }>(
        "select array_agg(oid) as oids from pg_class where relkind in ('r', 'p')",
      )
      await client.query('begin')
      await client.query(sql)
      const locks = await client.query<Lock>(
        `select relation::regclass::text as table, string_agg(distinct mode, ', ' order by mode) as mode
           from pg_locks
           join pg_class on pg_class.oid = relation
          where pid = pg_backend_pid() and relation = any ($1) and relnamespace <> 'pg_catalog'::regnamespace
            and mode in ('RowExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
          group by relation
          order by 1`,
        [rows[0]?.oids ?? []],
      )
      await client.query('rollback')
      return locks.rows
    }, url),
  )
}

// Such a file has one statement, whose locks are gone before they can be looked at.
async function locksOutsideTransaction(client: pg.Client, sql: string): Promise<Lock[]> {
  const statement = sql.replaceAll(/--.*/g, '')
  const [, written] = /\bupdate\s+([\w.]+)/i.exec(statement) ?? []
  if (written !== undefined) return [{ table: written, mode: 'RowExclusiveLock' }]
  const [, dropped] = /\bdrop index concurrently\s+([\w.]+)/i.exec(statement) ?? []
  const [, indexed] = /\bcreate index concurrently\b.*?\bon\s+([\w.]+)/is.exec(statement) ?? []
  const { rows } = await client.query<{ table: string | null }>(
    `select coalesce($1, (select indrelid::regclass::text from pg_index where indexrelid = $2::regclass)) as table`,
    [indexed, dropped],
  )
  const table = rows[0]?.table
  if (!table) throw new Error(`Which table is this about?\n${statement}`)
  return [{ table, mode: 'ShareUpdateExclusiveLock' }]
}

/** Migrates while writers write. With `readerMs`, somebody has just begun to read the tables, in a transaction of that length. */
export async function upgradeUnderLoad(
  kind: Kind,
  { name }: Migration,
  fillers: ReadonlyMap<string, Filler>,
  { rows, readerMs = 0 }: { rows: number; readerMs?: number },
): Promise<Upgrade> {
  const statements = [...fillers.values()].map(({ fill }) => fill(rows))
  const underLoad = async (url: string) => {
    await onServer((client) => client.query('analyze'), url)
    const pool = new pg.Pool({ connectionString: url, max: WRITERS + 1 })
    pool.on('error', () => {}) // one that is still closing when the database is dropped
    try {
      const load = startWriters(
        pool,
        [...fillers.values()].flatMap(({ writes }) => writes),
        rows,
      )
      await sleep(AROUND_MS)
      const usualMs = load.longestMs()
      const reader = readFor(pool, [...fillers.keys()], readerMs)
      await sleep(100)
      load.forget()
      const started = performance.now()
      const refused = await migrate(url, [kind], [], loadWithLater).then(
        () => [],
        (error: unknown) => [`the migration itself: ${String(error)}`],
      )
      const seconds = (performance.now() - started) / 1_000
      await reader
      await sleep(AROUND_MS)
      const { writes, failed } = await load.stop()
      return { seconds, writes, failed: [...refused, ...failed], usualMs, longestMs: load.longestMs() }
    } finally {
      await pool.end()
    }
  }
  return withDatabaseBefore(kind, name, underLoad, statements)
}

function startWriters(pool: pg.Pool, statements: readonly string[], rows: number) {
  let isOver = false
  let count = 0
  let longest = 0
  const failed: string[] = []
  const writers = Array.from({ length: WRITERS }, async () => {
    while (!isOver) {
      const number = ++count
      const statement = statements[number % statements.length] ?? ''
      const started = performance.now()
      try {
        await pool.query(statement, [number, (number * 7_919) % rows])
      } catch (error) {
        failed.push(String(error))
      }
      longest = Math.max(longest, performance.now() - started)
      await sleep(2)
    }
  })
  return {
    longestMs: () => longest,
    forget: () => {
      longest = 0
    },
    async stop() {
      isOver = true
      await Promise.all(writers)
      return { writes: count, failed }
    },
  }
}

async function readFor(pool: pg.Pool, tables: readonly string[], ms: number): Promise<void> {
  if (ms === 0) return
  const client = await pool.connect()
  try {
    await client.query('begin')
    for (const table of tables) await client.query(`select from ${table} limit 1`)
    await sleep(ms)
    await client.query('commit')
  } finally {
    client.release()
  }
}
