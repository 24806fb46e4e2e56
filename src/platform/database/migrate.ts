import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runMigrations as installQueue } from 'graphile-worker'
import pg from 'pg'
import { now } from '../clock.ts'
import { type ControlDb, type Db, handleOf } from './database.ts'
import { partitionStatements } from './partitions.ts'

const ROOT = path.join(import.meta.dirname, '../../../migrations')
// Whoever wants to write queues behind a lock that is waited for, so first for a moment only. A migration of several tables may
// never get all of them that way: then it insists.
const LOCK_RETRIES = 60
const lockTimeoutMs = (attempt: number) => (attempt <= 40 ? 250 : 3_000)

/** What whoever migrates can mend. */
export class MigrationError extends Error {}

export type Migration = { name: string; sql: string; checksum: string }
type Kind = 'control' | 'cell'

export async function loadMigrations(kind: Kind): Promise<Migration[]> {
  const names = (await readdir(path.join(ROOT, kind))).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(path.join(ROOT, kind, name), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

const loaded = new Map<Kind, Promise<string[]>>()

/** Of this version's migrations; the folder is read once. */
export function loadNames(kind: Kind): Promise<string[]> {
  const names = loaded.get(kind) ?? loadMigrations(kind).then((all) => all.map(({ name }) => name))
  loaded.set(kind, names)
  return names
}

/**
 * Brings one database up to date and answers what was applied. Any number may start at once: one works, the others wait. Each
 * file is one transaction, unless its first line is `-- no transaction` (for `create index concurrently`).
 */
export async function migrate(directUrl: string, kinds: readonly Kind[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: directUrl, application_name: 'kontor migrate' })
  await client.connect()
  try {
    await lock(client)
    await client.query(`set lock_timeout = ${lockTimeoutMs(LOCK_RETRIES)}`)
    const applied: string[] = []
    for (const kind of kinds) applied.push(...(await migrateKind(client, kind)))
    await makeFirstPartitions(client)
    await installQueue({ connectionString: directUrl })
    return applied
  } finally {
    await client.end()
  }
}

// What is partitioned by range is a log, cut by month. Its first partitions must be there before its first row is; later ones
// are the worker's work.
async function makeFirstPartitions(client: pg.Client) {
  const { rows } = await client.query<{ name: string }>(
    "select partrelid::regclass::text as name from pg_partitioned_table where partstrat = 'r'",
  )
  for (const { name } of rows) for (const sql of partitionStatements(name, now())) await client.query(sql)
}

// By asking again and again: a statement that waits for the lock would hold a snapshot, for which a concurrent index build waits.
async function lock(client: pg.Client) {
  for (;;) {
    const { rows } = await client.query("select pg_try_advisory_lock(hashtextextended('kontor.migrate', 0)) as locked")
    if (rows[0].locked) return
    await sleep(100)
  }
}

async function migrateKind(client: pg.Client, kind: Kind): Promise<string[]> {
  await client.query(`create schema if not exists ${kind}`)
  await client.query(`
    create table if not exists ${kind}.migrations (
      name text collate "C" primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`)
  const { rows } = await client.query(`select name, checksum from ${kind}.migrations`)
  const done = new Map<string, string>(rows.map((row) => [row.name, row.checksum]))
  const applied: string[] = []
  for (const migration of await loadMigrations(kind)) {
    const checksum = done.get(migration.name)
    if (checksum === undefined) {
      await apply(client, kind, migration)
      applied.push(`${kind}/${migration.name}`)
    } else if (checksum !== migration.checksum) {
      throw new MigrationError(
        `Migration ${kind}/${migration.name} was changed after it had been applied. ` +
          'Restore the file and put the change in a new migration.',
      )
    }
  }
  return applied
}

async function apply(client: pg.Client, kind: Kind, { name, sql, checksum }: Migration) {
  const note = { text: `insert into ${kind}.migrations (name, checksum) values ($1, $2)`, values: [name, checksum] }
  if (sql.startsWith('-- no transaction')) {
    // A concurrent build waits for old transactions and holds up nobody. Given up, it would leave an invalid index behind.
    await client.query('set lock_timeout = 0')
    await client.query(sql)
    await client.query(`set lock_timeout = ${lockTimeoutMs(LOCK_RETRIES)}`)
    await client.query(note)
    return
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`set lock_timeout = ${lockTimeoutMs(attempt)}`)
      await client.query('begin')
      await client.query(sql)
      await client.query(note)
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      // Somebody holds the table: let them finish instead of making everybody queue behind us.
      if ((error as { code?: string }).code !== '55P03' || attempt === LOCK_RETRIES) throw error
      await sleep(500)
    }
  }
}

/** Which migrations of this release the database lacks. One that is ahead of the code lacks none: it is ready. */
export async function missingMigrations(db: ControlDb | Db): Promise<string[]> {
  const { kind, pool } = handleOf(db)
  const known = await loadNames(kind)
  const { rows: tables } = await pool.query('select to_regclass($1) is not null as there', [`${kind}.migrations`])
  if (!tables[0].there) return known.map((name) => `${kind}/${name}`)
  const { rows } = await pool.query(`select name from ${kind}.migrations`)
  const done = new Set(rows.map((row) => row.name))
  return known.filter((name) => !done.has(name)).map((name) => `${kind}/${name}`)
}

/** Whether a migration was applied before that time. */
export async function wasApplied(db: ControlDb | Db, name: string, before: Date): Promise<boolean> {
  const { kind, pool } = handleOf(db)
  const text = `select from ${kind}.migrations where name = $1 and applied_at < $2`
  const { rows } = await pool.query(text, [name, before])
  return rows.length > 0
}
