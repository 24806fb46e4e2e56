import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runMigrations as installQueue } from 'graphile-worker'
import pg from 'pg'
import { now } from '../clock.ts'
import { type Cell, type Control } from './database.ts'
import { partitionStatements } from './partitions.ts'

const ROOT = path.join(import.meta.dirname, '../../../migrations')
// Writers queue behind a lock that a migration waits for, so it waits only briefly and retries. A migration of several
// tables may never get all its locks that way: later retries wait longer.
const LOCK_RETRIES = 60
const lockTimeoutMs = (attempt: number) => (attempt <= 40 ? 250 : 3_000)

/** A problem that the operator can fix: shown without a stack. */
export class MigrationError extends Error {}

export type Migration = { name: string; sql: string; checksum: string }
type Kind = 'control' | 'cell'

/** Migrations with a record of their own, in the schema that they make. */
export type MigrationSet = {
  schema: string
  migrations: readonly Migration[]
  /** Runs around each migration, in its transaction; what it throws undoes it. */
  around?: (client: pg.Client, run: () => Promise<unknown>) => Promise<void>
}

export const toMigration = (name: string, sql: string): Migration => ({
  name,
  sql,
  checksum: createHash('sha256').update(sql).digest('hex'),
})

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(names.map(async (name) => toMigration(name, await readFile(path.join(folder, name), 'utf8'))))
}

export const loadMigrations = (kind: Kind): Promise<Migration[]> => readMigrations(path.join(ROOT, kind))

const loaded = new Map<Kind, Promise<string[]>>()

/** The names of this version's migrations; the folder is read once. */
export function loadNames(kind: Kind): Promise<string[]> {
  const names = loaded.get(kind) ?? loadMigrations(kind).then(namesOf)
  loaded.set(kind, names)
  return names
}

/**
 * Brings one database up to date and returns the names of the applied migrations. Any number of processes may start at
 * once: one works, the others wait. Each file is one transaction, unless its first line is `-- no transaction` (for
 * `create index concurrently`).
 */
export async function migrate(
  directUrl: string,
  kinds: readonly Kind[],
  extensions: readonly MigrationSet[] = [],
  load = loadMigrations,
): Promise<string[]> {
  const client = new pg.Client({ connectionString: directUrl, application_name: 'kontor migrate' })
  await client.connect()
  try {
    await lock(client)
    await client.query(`set lock_timeout = ${lockTimeoutMs(LOCK_RETRIES)}`)
    const applied: string[] = []
    for (const kind of kinds) {
      const migrations = await load(kind)
      await refuseOlder(client, kind, migrations)
      applied.push(...(await applySet(client, { schema: kind, migrations })))
    }
    await indexPartitions(client)
    await makeFirstPartitions(client)
    await installQueue({ connectionString: directUrl })
    for (const set of extensions) applied.push(...(await applySet(client, set)))
    return applied
  } finally {
    await client.end()
  }
}

// The baseline has numbers, later migrations have times. A numbered one that this version lacks belongs to a schema from before
// the baseline, which cannot be migrated to it.
async function refuseOlder(client: pg.Client, schema: Kind, migrations: readonly Migration[]): Promise<void> {
  const known = new Set(namesOf(migrations))
  const older = (await namesIn(client, schema)).find((name) => /^\d{4}[a-z]*_/.test(name) && !known.has(name))
  if (older !== undefined)
    throw new MigrationError(
      `This database was created before the first release (migration ${schema}/${older}) and cannot be updated. ` +
        'Create an empty database and run the command again.',
    )
}

// Tables partitioned by range are logs, one partition a month. The first partitions must exist before the first row;
// the worker makes later ones.
async function makeFirstPartitions(client: pg.Client) {
  const { rows } = await client.query<{ name: string }>(
    "select partrelid::regclass::text as name from pg_partitioned_table where partstrat = 'r'",
  )
  for (const { name } of rows) for (const sql of partitionStatements(name, now())) await client.query(sql)
}

/** Indexes that a migration has made `on only` a partitioned table, each with a partition that lacks it. */
const MISSING_INDEXES = `
  select parent.oid::regclass::text as index, pg_get_indexdef(parent.oid) as definition, partition.oid::regclass::text as partition,
         namespace.nspname || '.' || left(partition.relname || '_' || parent.relname, 63) as name
    from pg_index
    join pg_class as parent on parent.oid = indexrelid and parent.relkind = 'I'
    join pg_inherits on inhparent = indrelid
    join pg_class as partition on partition.oid = inhrelid
    join pg_namespace as namespace on namespace.oid = partition.relnamespace
   where not indisvalid
     and not exists (select from pg_inherits as attached join pg_index as child on child.indexrelid = attached.inhrelid
                      where attached.inhparent = parent.oid and child.indrelid = partition.oid)
   order by 1, 3`

/**
 * Builds such indexes, one partition after the other, beside its writers: PostgreSQL does not do that for the whole
 * table. Goes on where it was cut off. Partitions that are made later have the index from the start.
 */
async function indexPartitions(client: pg.Client) {
  const { rows } = await client.query<Record<'index' | 'definition' | 'partition' | 'name', string>>(MISSING_INDEXES)
  await client.query('set lock_timeout = 0')
  for (const { index, definition, partition, name } of rows) {
    const columns = definition.slice(definition.indexOf(' USING '))
    await client.query(`drop index concurrently if exists ${name}`)
    await client.query(`create index concurrently ${name.split('.')[1]} on ${partition}${columns}`)
    await client.query(`alter index ${index} attach partition ${name}`)
  }
  await client.query(`set lock_timeout = ${lockTimeoutMs(LOCK_RETRIES)}`)
}

// Polls for the advisory lock: a statement that waits for it would hold a snapshot, and concurrent index builds wait
// for old snapshots.
async function lock(client: pg.Client) {
  for (;;) {
    const { rows } = await client.query("select pg_try_advisory_lock(hashtextextended('kontor.migrate', 0)) as locked")
    if (rows[0].locked) return
    await sleep(100)
  }
}

async function applySet(client: pg.Client, set: MigrationSet): Promise<string[]> {
  const { schema } = set
  await client.query(`create schema if not exists ${schema}`)
  await client.query(`
    create table if not exists ${schema}.migrations (
      name text collate "C" primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`)
  const { rows } = await client.query(`select name, checksum from ${schema}.migrations`)
  const done = new Map<string, string>(rows.map((row) => [row.name, row.checksum]))
  const applied: string[] = []
  for (const migration of set.migrations) {
    const checksum = done.get(migration.name)
    if (checksum === undefined) {
      await apply(client, set, migration)
      applied.push(`${schema}/${migration.name}`)
    } else if (checksum !== migration.checksum) {
      throw new MigrationError(
        `Migration ${schema}/${migration.name} was changed after it had been applied. ` +
          'Restore the file and put the change in a new migration.',
      )
    }
  }
  return applied
}

async function apply(client: pg.Client, { schema, around }: MigrationSet, { name, sql, checksum }: Migration) {
  const note = { text: `insert into ${schema}.migrations (name, checksum) values ($1, $2)`, values: [name, checksum] }
  if (sql.startsWith('-- no transaction')) {
    // A concurrent build waits for old transactions and blocks nobody. If it timed out, it would leave an invalid index
    // behind.
    await client.query('set lock_timeout = 0')
    await dropLeftover(client, sql)
    await client.query(sql)
    await client.query(`set lock_timeout = ${lockTimeoutMs(LOCK_RETRIES)}`)
    await client.query(note)
    return
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`set lock_timeout = ${lockTimeoutMs(attempt)}`)
      await client.query('begin')
      if (around) await around(client, () => client.query(sql))
      else await client.query(sql)
      await client.query(note)
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      // Another transaction holds the table: let it finish instead of making everybody queue behind us.
      if ((error as { code?: string }).code !== '55P03' || attempt === LOCK_RETRIES) throw error
      await sleep(500)
    }
  }
}

/** A concurrent build that was cut off leaves its index behind, valid or not. The migration builds it anew. */
async function dropLeftover(client: pg.Client, sql: string): Promise<void> {
  const [, index, schema] = /^create (?:unique )?index concurrently (\w+) on (\w+)\./m.exec(sql) ?? []
  if (index) await client.query(`drop index concurrently if exists ${schema}.${index}`)
}

/** The migrations of this release that the database lacks. A database ahead of the code lacks none: it is ready. */
export async function missingMigrations(
  { kind, pool }: Control | Cell,
  extensions: readonly MigrationSet[] = [],
): Promise<string[]> {
  const missing = await missingIn(pool, kind, await loadNames(kind))
  for (const { schema, migrations } of kind === 'cell' ? extensions : [])
    missing.push(...(await missingIn(pool, schema, namesOf(migrations))))
  return missing
}

export const namesOf = (migrations: readonly Migration[]) => migrations.map(({ name }) => name)

/** The migrations that the database has; none if it is empty. */
async function namesIn(db: pg.Client | Cell['pool'], schema: string): Promise<string[]> {
  const { rows: tables } = await db.query('select to_regclass($1) is not null as there', [`${schema}.migrations`])
  const { rows } = tables[0].there ? await db.query(`select name from ${schema}.migrations`) : { rows: [] }
  return rows.map((row) => row.name)
}

async function missingIn(pool: Cell['pool'], schema: string, known: readonly string[]): Promise<string[]> {
  const done = new Set(await namesIn(pool, schema))
  return known.filter((name) => !done.has(name)).map((name) => `${schema}/${name}`)
}
