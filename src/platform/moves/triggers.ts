import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Cell } from '../database/database.ts'
import { isLockTimeout } from '../database/errors.ts'
import { transaction } from '../database/transaction.ts'
import type { KnownTable } from '../portable/rows.ts'

/** Others wait for the table while the lock is waited for: better to step back, and try again. */
const LOCK_MS = 150
/** Longer each time: some transactions take hours, such as a dump. */
const [PAUSE_MS, MOST_PAUSE_MS] = [100, 5_000]
/** Somebody should hear of it. */
const LONG_MS = 5_000

/** Which locks of others each statement waits for. */
const READING = ['AccessShareLock', 'RowShareLock']
const WRITING = [
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
]
const IN_THE_WAY = { create: WRITING, drop: [...READING, ...WRITING] }

export type Waiting = {
  signal?: AbortSignal
  /** Told for which table it waits, once that takes long, and null when that is over. */
  say?: (message: string | null) => Promise<void>
  /** Asked while it waits; may throw. */
  look?: () => Promise<void>
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const triggerOf = (businessId: string, what: 'put' | 'gone') => quoted(`kontor_move_${what}_${businessId}`)
const functionOf = ({ table }: KnownTable) => `cell.${quoted(`follow_${table.replace('.', '_')}`)}`
const keyOf = ({ key }: KnownTable, row: 'old' | 'new') =>
  `array[${key.map((name) => `${row}.${quoted(name)}::text`).join(', ')}]`

/** Keys with a time are logged as our connections read them, whoever writes the row. */
const formatsOf = ({ keyTypes }: KnownTable) =>
  keyTypes.some((type) => /^(date|time)/.test(type)) ? `set timezone = 'UTC' set datestyle = 'ISO, MDY'` : ''

/** Written for each table, so that it names the columns of the key instead of making JSON of the whole row to find them. */
function followFunction(table: KnownTable): string {
  const log = (row: 'old' | 'new') =>
    `insert into cell.changed_rows (business_id, table_name, key)
       values (tg_argv[0], ${pg.escapeLiteral(table.table)}, ${keyOf(table, row)});`
  // Rows of a queue move all at once, at the end.
  const logging =
    table.is === 'queue'
      ? ''
      : `if is_logged then
           if tg_op <> 'INSERT' then ${log('old')} end if;
           if tg_op = 'INSERT' or (tg_op = 'UPDATE' and ${keyOf(table, 'old')} is distinct from ${keyOf(table, 'new')}) then
             ${log('new')}
           end if;
         end if;`
  return `
    create or replace function ${functionOf(table)}() returns trigger language plpgsql ${formatsOf(table)} as $follow$
    declare
      is_logged boolean := cell.may_write(tg_argv[0], '${table.passesOver}');
    begin
      if is_logged is null then
        return null;
      end if;
      ${logging}
      if tg_op = 'DELETE' then
        return old;
      end if;
      return new;
    end $follow$`
}

function triggers(table: KnownTable, businessId: string): string {
  const id = pg.escapeLiteral(businessId)
  const make = (what: 'put' | 'gone', when: string, row: 'old' | 'new') => `
    create or replace trigger ${triggerOf(businessId, what)} before ${when} on ${table.table}
      for each row when (${row}.${quoted(table.of)} = ${id}) execute function ${functionOf(table)}(${id})`
  return `${make('put', 'insert or update', 'new')}; ${make('gone', 'delete', 'old')}`
}

/**
 * From then on whoever writes a row of the business in these tables is seen. Making a trigger waits for the transactions that have written
 * into the table before; so whatever a snapshot does not have that is taken afterwards, a trigger has seen.
 */
export async function addTriggers(
  cell: Cell,
  tables: readonly KnownTable[],
  businessId: string,
  waiting: Waiting = {},
): Promise<void> {
  for (const table of tables)
    await insist(cell, table, 'create', `${followFunction(table)}; ${triggers(table, businessId)}`, waiting)
}

export async function dropTriggers(
  cell: Cell,
  tables: readonly KnownTable[],
  businessId: string,
  waiting: Waiting = {},
): Promise<void> {
  const { rows } = await sql<{ table: string }>`
    select named as "table" from unnest(${tables.map(({ table }) => table)}::text[]) as named
     where exists (select from pg_trigger
                    where tgrelid = named::regclass and tgparentid = 0
                      and tgname in (${`kontor_move_put_${businessId}`}, ${`kontor_move_gone_${businessId}`}))`.execute(
    cell,
  )
  const there = new Set(rows.map(({ table }) => table))
  for (const table of tables) {
    if (!there.has(table.table)) continue
    const drop = (what: 'put' | 'gone') => `drop trigger if exists ${triggerOf(businessId, what)} on ${table.table}`
    await insist(cell, table, 'drop', `${drop('put')}; ${drop('gone')}`, waiting)
  }
}

/**
 * One table at a time, each for a moment. While somebody holds it for longer than that, it is not even asked for: all others would
 * wait behind us, and in vain.
 */
async function insist(
  cell: Cell,
  { table }: KnownTable,
  what: keyof typeof IN_THE_WAY,
  statements: string,
  { signal, say, look }: Waiting,
): Promise<void> {
  const since = performance.now()
  const isLong = () => performance.now() - since > LONG_MS
  let before = await findHolders(cell, table, IN_THE_WAY[what])
  for (let [holders, pauseMs] = [before, PAUSE_MS]; ; pauseMs = Math.min(pauseMs * 1.5, MOST_PAUSE_MS)) {
    signal?.throwIfAborted()
    if (holders.length === 0 && (await attempt(cell, statements))) break
    await look?.()
    if (isLong()) await say?.(`Waits for transactions that have used ${table} for long`)
    await sleep(pauseMs * (1 + Math.random()), undefined, { signal })
    const now = await findHolders(cell, table, IN_THE_WAY[what])
    holders = now.filter((each) => before.includes(each))
    before = now
  }
  if (isLong()) await say?.(null)
}

/** Transactions with a lock that stands in the way, on the table or a part of it. */
async function findHolders(cell: Cell, table: string, modes: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ transaction: string }>`
    select distinct virtualtransaction as "transaction" from pg_locks
     where locktype = 'relation' and granted and mode = any (${modes}) and pid is distinct from pg_backend_pid()
       and database = (select oid from pg_database where datname = current_database())
       and relation in (select ${table}::regclass union all select inhrelid from pg_inherits where inhparent = ${table}::regclass)`.execute(
    cell,
  )
  return rows.map(({ transaction }) => transaction)
}

async function attempt(cell: Cell, statements: string): Promise<boolean> {
  try {
    await transaction(cell, async (tx) => {
      await sql`select set_config('lock_timeout', ${`${LOCK_MS}ms`}, true),
                       pg_advisory_xact_lock(hashtextextended('kontor.move triggers', 0))`.execute(tx)
      await sql.raw(statements).execute(tx)
    })
    return true
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    return false
  }
}
