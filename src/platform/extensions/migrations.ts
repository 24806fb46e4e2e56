import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { type Migration, MigrationError, type MigrationSet, readMigrations, toMigration } from '../database/migrate.ts'
import { type Extension, schemaOf } from './define.ts'

/** Its own files, after the table that the feed is followed with. */
export async function loadMigrationSet(extension: Extension, file: string): Promise<MigrationSet> {
  const schema = schemaOf(extension)
  const own = extension.migrations ? await readOwn(extension.migrations, file) : []
  for (const migration of own) checkText(migration, schema)
  const migrations = extension.on ? [feedPositions(schema), ...own] : own
  return { schema, migrations, around: (client, run) => stayInside(client, schema, run) }
}

function readOwn(folder: URL, file: string): Promise<Migration[]> {
  return readMigrations(fileURLToPath(folder)).catch((error: Error) => {
    throw new MigrationError(`The migrations of the extension ${file} cannot be read: ${error.message}`)
  })
}

/** What happened before the extension came is not its business; a business that comes later is followed from its start. */
const feedPositions = (schema: string): Migration =>
  toMigration(
    '0000_feed_positions.sql',
    `create table ${schema}.feed_positions (
  business_id text collate "C" not null,
  number bigint not null,
  constraint feed_positions_pkey primary key (business_id)
);
insert into ${schema}.feed_positions (business_id, number) select business_id, last_number from cell.event_counters;
`,
  )

function checkText({ name, sql }: Migration, schema: string): void {
  const refuse = (why: string) => {
    throw new MigrationError(`Migration ${schema}/${name} ${why}`)
  }
  if (name === '0000_feed_positions.sql') refuse('has a name that Kontor uses itself. Begin with 0001.')
  if (/^\s*(begin|commit|rollback|start transaction)\b[^;]*;/im.test(sql))
    refuse('begins or ends a transaction. Each file is one already: leave that out.')
  const index = new RegExp(`^create (unique )?index concurrently \\w+ on ${schema}\\.\\w+[^;]*;?\\s*$`)
  if (sql.startsWith('-- no transaction') && !index.test(sql.replaceAll(/^--.*\n/gm, '').trim()))
    refuse(`may do only one thing without a transaction: create index concurrently … on ${schema}.… (…)`)
}

/** In the schema of the extension, or in one of PostgreSQL’s own. */
const IS_INSIDE = `namespace.nspname in ($1, 'pg_catalog', 'information_schema') or namespace.nspname like 'pg\\_toast%'`

/**
 * Refuses a migration that made, changed or wrote to anything outside of its schema. Locks tell: whatever is written to
 * or altered is locked until the end of the transaction, and reading locks otherwise. It keeps mistakes out, such as a
 * forgotten schema or a foreign key to a table of ours, which would keep us from deleting there; the code of an
 * extension may do whatever Kontor may.
 */
async function stayInside(client: pg.Client, schema: string, run: () => Promise<unknown>): Promise<void> {
  const { rows: before } = await client.query<{ oid: string; name: string }>(
    `select class.oid::text, namespace.nspname || '.' || relname as name
       from pg_class as class join pg_namespace as namespace on namespace.oid = relnamespace
      where not (${IS_INSIDE})`,
    [schema],
  )
  await run()
  const { rows: touched } = await client.query<{ oid: string; name: string | null }>(
    `select relation::text as oid, case when not (${IS_INSIDE}) then namespace.nspname || '.' || relname end as name
       from pg_locks
       left join pg_class as class on class.oid = relation
       left join pg_namespace as namespace on namespace.oid = relnamespace
      where pid = pg_backend_pid() and locktype = 'relation' and mode not in ('AccessShareLock', 'RowShareLock')
      union all
     select pg_proc.oid::text, namespace.nspname || '.' || proname
       from pg_proc join pg_namespace as namespace on namespace.oid = pronamespace
      where pg_proc.xmin = pg_current_xact_id()::xid and not (${IS_INSIDE})`,
    [schema],
  )
  const known = new Map(before.map(({ oid, name }) => [oid, name]))
  const [outside] = touched.flatMap(({ oid, name }) => name ?? known.get(oid) ?? [])
  if (outside === undefined) return
  throw new MigrationError(
    `A migration of ${schema} changes ${outside}, outside of its schema. Nothing was changed. ` +
      `Write ${schema}. before the names of its tables, and refer to records of Kontor by their ids, without foreign keys.`,
  )
}
