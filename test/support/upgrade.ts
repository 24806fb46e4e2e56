import { setTimeout as sleep } from 'node:timers/promises'
import { runMigrations as installQueue } from 'graphile-worker'
import pg from 'pg'
import { loadMigrations, type Migration, migrate } from '#platform/database/migrate.ts'
import { onServer, withScratchDatabase } from './database.ts'

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

/** A database that has all migrations before this one, and is told that it has all after it. */
export async function withDatabaseBefore<Result>(kind: Kind, name: string, work: (url: string) => Promise<Result>) {
  const migrations = await loadMigrations(kind)
  const index = migrations.findIndex((migration) => migration.name === name)
  return withScratchDatabase(async (url) => {
    await onServer(async (client) => {
      await client.query(`create schema ${kind}`)
      await client.query(
        `create table ${kind}.migrations (name text collate "C" primary key, checksum text not null, applied_at timestamptz not null default now())`,
      )
      for (const { sql } of migrations.slice(0, index)) await client.query(sql)
      for (const { name, checksum } of migrations.toSpliced(index, 1)) {
        await client.query(`insert into ${kind}.migrations (name, checksum) values ($1, $2)`, [name, checksum])
      }
    }, url)
    await installQueue({ connectionString: url })
    return work(url)
  })
}

/** Tables that were there, and that the migration locks against writes: these are what it can hold up. */
export async function locksOf(kind: Kind, { name, sql }: Migration): Promise<Lock[]> {
  return withDatabaseBefore(kind, name, (url) =>
    onServer(async (client) => {
      if (sql.startsWith('-- no transaction')) return concurrentlyOn(sql)
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
            and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
          group by relation
          order by 1`,
        [rows[0]?.oids ?? []],
      )
      await client.query('rollback')
      return locks.rows
    }, url),
  )
}

const concurrentlyOn = (sql: string): Lock[] => {
  const [, table] = /\bon\s+([\w.]+)/i.exec(sql) ?? []
  return table === undefined ? [] : [{ table, mode: 'ShareUpdateExclusiveLock' }]
}

/** Migrates while writers write. With `readerMs`, somebody has just begun to read the tables, in a transaction of that length. */
export async function upgradeUnderLoad(
  kind: Kind,
  { name }: Migration,
  fillers: ReadonlyMap<string, Filler>,
  { rows, readerMs = 0 }: { rows: number; readerMs?: number },
): Promise<Upgrade> {
  return withDatabaseBefore(kind, name, async (url) => {
    await onServer(async (client) => {
      for (const { fill } of fillers.values()) await client.query(fill(rows))
      await client.query('analyze')
    }, url)
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
      const refused = await migrate(url, [kind]).then(
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
  })
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
