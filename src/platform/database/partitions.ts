import { sql } from 'kysely'
import { now } from '../clock.ts'
import type { ControlDb, Db } from './database.ts'

/** Append-only logs, partitioned by month so that old months can be dropped instead of deleted row by row. */
export type PartitionedLog = { table: string; keepMonths: number }

const MONTHS_AHEAD = 2

const monthStart = (date: Date, offset: number) =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1))
const suffix = (month: Date) => `y${month.getUTCFullYear()}m${String(month.getUTCMonth() + 1).padStart(2, '0')}`

/** Statements that make this month's partition and the next ones; harmless to repeat. */
export const partitionStatements = (table: string, today: Date): string[] =>
  Array.from({ length: MONTHS_AHEAD + 1 }, (_, offset) => {
    const from = monthStart(today, offset)
    return makePartition(
      table,
      `${table}_${suffix(from)}`,
      from.toISOString(),
      monthStart(today, offset + 1).toISOString(),
    )
  })

// If the partition was not made in time, rows of that month are in the default partition, and PostgreSQL refuses to
// make another one for them until they have moved.
const makePartition = (table: string, name: string, from: string, to: string) => `
  do $$
  declare
    key text := (select attname from pg_partitioned_table join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
                  where partrelid = '${table}'::regclass);
  begin
    create table if not exists ${name} partition of ${table} for values from ('${from}') to ('${to}');
  exception when check_violation then
    create table ${name} (like ${table} including all);
    execute format(
      'with moved as (delete from ${table}_default where %1$I >= %2$L and %1$I < %3$L returning *)
       insert into ${name} select * from moved', key, '${from}', '${to}');
    alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}');
  end $$`

const MAX_PAST_MONTHS = 36

/** Makes the partitions from the month of the oldest row up to now: rows that were written long ago come in. */
export async function makePastPartitions(db: Db | ControlDb, table: string, oldest: Date): Promise<void> {
  for (let offset = -MAX_PAST_MONTHS; offset < 0; offset++) {
    const [from, to] = [monthStart(now(), offset), monthStart(now(), offset + 1)]
    if (to <= oldest) continue
    const name = `${table}_${suffix(from)}`
    await sql.raw(makePartition(table, name, from.toISOString(), to.toISOString())).execute(db)
  }
}

/** Makes partitions ahead of time and drops those past their retention. Returns the names of the dropped ones. */
export async function maintainPartitions(db: Db | ControlDb, { table, keepMonths }: PartitionedLog): Promise<string[]> {
  for (const statement of partitionStatements(table, now())) await sql.raw(statement).execute(db)
  const oldest = `${table.split('.')[1]}_${suffix(monthStart(now(), -keepMonths))}`
  const { rows } = await sql<{ name: string }>`
    select relname as name
      from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = ${table}::regclass and relname like '%\\_y____m__' and relname < ${oldest}`.execute(db)
  for (const { name } of rows) await sql.raw(`drop table if exists ${table.split('.')[0]}.${name}`).execute(db)
  return rows.map(({ name }) => name)
}
