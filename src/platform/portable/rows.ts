import { CompiledQuery, type Kysely, sql } from 'kysely'
import { type BusinessTable, cellTable } from './tables.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- tables of control and of cells alike
type AnyDb = Kysely<any>

/** `isCounted`: the table counts it for itself, and no row's can be changed. */
export type Column = { name: string; type: string; isGenerated: boolean; isCounted: boolean; isRequiredJson: boolean }
/** A table of the list as the database has it. */
export type KnownTable = BusinessTable & { columns: readonly Column[]; keyTypes: readonly string[] }

/** A row as a line of JSON: text that nobody here reads, so that no figure loses a digit. */
export type Batch = { lines: string[]; last: string[] | undefined }

const run = async <Row>(db: AnyDb, text: string, values: readonly unknown[]): Promise<Row[]> => {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))
  return rows
}

/** Columns and types of all tables, in one statement. */
export async function describeTables(db: AnyDb, tables: readonly BusinessTable[]): Promise<KnownTable[]> {
  const { rows } = await sql<Column & { table: string }>`
    select named as "table", attname as name, format_type(atttypid, atttypmod) as type, attgenerated <> '' as "isGenerated",
           attidentity = 'a' as "isCounted",
           attnotnull and atttypid in ('json'::regtype, 'jsonb'::regtype) as "isRequiredJson"
      from unnest(${tables.map(({ table }) => table)}::text[]) as named
      join pg_attribute on attrelid = named::regclass
     where attnum > 0 and not attisdropped
     order by attnum`.execute(db)
  const found = Map.groupBy(rows, ({ table }) => table)
  return tables.map((table) => {
    const columns = found.get(table.table) ?? []
    const typeOf = (key: string) => {
      const column = columns.find(({ name }) => name === key)
      if (!column) throw new Error(`${table.table} has no column ${key}: correct its module's list`)
      return column.type
    }
    for (const name of [table.of, ...table.without, ...table.people]) typeOf(name)
    const key = table.key.length > 0 ? table.key : [table.of] // one row for a business
    return { ...table, key, columns, keyTypes: key.map(typeOf) }
  })
}

const quoted = (name: string) => `"${name}"`
const list = (names: readonly string[], table = '') => names.map((name) => `${table}${quoted(name)}`).join(', ')

/** `position` of a queue is counted by each database for itself. */
const copiedColumns = ({ columns, without, is }: KnownTable) =>
  columns
    .filter(
      ({ name, isGenerated }) => !isGenerated && !without.includes(name) && !(is === 'queue' && name === 'position'),
    )
    .map(({ name }) => name)

const keyText = ({ key }: KnownTable) => `array[${key.map((name) => `${quoted(name)}::text`).join(', ')}]`

/** The key compared with one that is handed in as texts, from this parameter on. */
const isBeyond = ({ key, keyTypes }: KnownTable, sign: '>' | '<=', parameter: number) =>
  `(${list(key)}) ${sign} (${keyTypes.map((type, at) => `$${at + parameter}::text::${type}`).join(', ')})`

/** The next rows of a business after a key, in the order of the keys. Any number of calls may lie between two of them. */
export async function readRows(
  db: AnyDb,
  table: KnownTable,
  businessId: string,
  { after, limit }: { after: readonly string[] | undefined; limit: number },
): Promise<Batch> {
  const { key, of } = table
  const place = after ? `and ${isBeyond(table, '>', 3)}` : ''
  const rows = await run<{ line: string; key: string[] }>(
    db,
    `select (select row_to_json(r) from (select ${list(copiedColumns(table), 'one.')}) as r)::text as line,
            ${keyText(table)} as key
       from ${table.table} as one
      where ${quoted(of)} = $1 ${place}
      order by ${list(key)}
      limit $2`,
    [businessId, limit, ...(after ?? [])],
  )
  // Between the values of a JSON column there may be line ends; inside of a text there is none.
  return { lines: rows.map(({ line }) => line.replaceAll(/[\r\n]+/g, ' ')), last: rows.at(-1)?.key }
}

export type KeyedRow = { key: string[]; line: string }

/** The same up to a key, each row with its own. */
async function readKeyedRows(
  db: AnyDb,
  table: KnownTable,
  businessId: string,
  { after, upTo, limit }: { after: readonly string[] | undefined; upTo?: readonly string[] | undefined; limit: number },
): Promise<KeyedRow[]> {
  const from = after ? `and ${isBeyond(table, '>', 3)}` : ''
  const to = upTo ? `and ${isBeyond(table, '<=', 3 + (after?.length ?? 0))}` : ''
  const rows = await run<KeyedRow>(
    db,
    `select (select row_to_json(r) from (select ${list(copiedColumns(table), 'one.')}) as r)::text as line,
            ${keyText(table)} as key
       from ${table.table} as one
      where ${quoted(table.of)} = $1 ${from} ${to}
      order by ${list(table.key)}
      limit $2`,
    [businessId, limit, ...(after ?? []), ...(upTo ?? [])],
  )
  return rows.map(({ key, line }) => ({ key, line: line.replaceAll(/[\r\n]+/g, ' ') }))
}

const MAX_ROWS = 2_000
const FIRST_ROWS = 100
export const BATCH_BYTES = 4 * 1024 * 1024

/** How many rows of the size of these make a batch. */
export function rowsAtOnce(lines: readonly string[], most = MAX_ROWS): number {
  const bytes = lines.reduce((sum, line) => sum + line.length, 0) / Math.max(lines.length, 1)
  return Math.max(1, Math.min(most, Math.floor(BATCH_BYTES / Math.max(bytes, 1))))
}

/** All rows of a business in batches of a few megabytes, whatever the size of a row. */
export async function* readAllRows(
  db: AnyDb,
  table: KnownTable,
  businessId: string,
  after?: readonly string[],
): AsyncGenerator<Required<Batch>> {
  for (let [limit, from] = [FIRST_ROWS, after]; ; ) {
    const { lines, last } = await readRows(db, table, businessId, { after: from, limit })
    if (lines.length > 0) yield { lines, last }
    if (lines.length < limit) return
    from = last
    limit = rowsAtOnce(lines)
  }
}

type KeyRange = { after?: readonly string[] | undefined; upTo?: readonly string[] | undefined; firstRows?: number }

/** The same, each row with its key. The last batch may be empty. */
export async function* readAllKeyedRows(
  db: AnyDb,
  table: KnownTable,
  businessId: string,
  { after, upTo, firstRows = FIRST_ROWS }: KeyRange = {},
): AsyncGenerator<{ rows: KeyedRow[]; isLast: boolean }> {
  for (let [limit, from] = [firstRows, after]; ; ) {
    const rows = await readKeyedRows(db, table, businessId, { after: from, upTo, limit })
    const isLast = rows.length < limit
    yield { rows, isLast }
    if (isLast) return
    from = rows.at(-1)?.key
    limit = rowsAtOnce(rows.map(({ line }) => line))
  }
}

/** The keys of a batch as columns k1, k2, … of a table in the query, from this parameter on. */
const unnested = ({ key }: KnownTable, parameter: number) =>
  `unnest(${key.map((_, at) => `$${at + parameter}::text[]`).join(', ')}) as wanted (${key.map((_, at) => `k${at}`).join(', ')})`
const isWanted = ({ key, keyTypes }: KnownTable, row: string) =>
  key.map((name, at) => `${row}.${quoted(name)} = wanted.k${at}::${keyTypes[at]}`).join(' and ')
const columnsOf = ({ key }: KnownTable, keys: readonly (readonly string[])[]) =>
  key.map((_, at) => keys.map((each) => each[at]))

/** Those of the rows with these keys that are there. */
export async function readRowsByKey(
  db: AnyDb,
  table: KnownTable,
  businessId: string,
  keys: readonly (readonly string[])[],
): Promise<KeyedRow[]> {
  if (keys.length === 0) return []
  const rows = await run<KeyedRow>(
    db,
    `select (select row_to_json(r) from (select ${list(copiedColumns(table), 'one.')}) as r)::text as line,
            array[${table.key.map((name) => `one.${quoted(name)}::text`).join(', ')}] as key
       from ${unnested(table, 2)}
       join ${table.table} as one on one.${quoted(table.of)} = $1 and ${isWanted(table, 'one')}`,
    [businessId, ...columnsOf(table, keys)],
  )
  return rows.map(({ line, key }) => ({ line: line.replaceAll(/[\r\n]+/g, ' '), key }))
}

/** Which of these keys have no row. */
export async function findGone(
  db: AnyDb,
  table: KnownTable,
  businessId: string,
  keys: readonly (readonly string[])[],
): Promise<string[][]> {
  const rows = await run<{ key: string[] }>(
    db,
    `select array[${table.key.map((_, at) => `wanted.k${at}`).join(', ')}] as key
       from ${unnested(table, 2)}
      where not exists (select from ${table.table} as one where one.${quoted(table.of)} = $1 and ${isWanted(table, 'one')})`,
    [businessId, ...columnsOf(table, keys)],
  )
  return rows.map(({ key }) => key)
}

export async function deleteByKey(
  db: AnyDb,
  table: KnownTable,
  businessId: string,
  keys: readonly (readonly string[])[],
): Promise<number> {
  if (keys.length === 0) return 0
  const { numAffectedRows = 0n } = await db.executeQuery(
    CompiledQuery.raw(
      `delete from ${table.table} as one using ${unnested(table, 2)} where one.${quoted(table.of)} = $1 and ${isWanted(table, 'one')}`,
      [businessId, ...columnsOf(table, keys)],
    ),
  )
  return Number(numAffectedRows)
}

/** Tables whose rows, when they are deleted, take others along or change them. */
export async function findTakers(db: AnyDb): Promise<Set<string>> {
  const { rows } = await sql<{ table: string }>`
    select distinct namespace.nspname || '.' || relname as "table"
      from pg_constraint
      join pg_class as class on class.oid = confrelid
      join pg_namespace as namespace on namespace.oid = relnamespace
     where contype = 'f' and confdeltype not in ('a', 'r')`.execute(db)
  return new Set(rows.map(({ table }) => table))
}

/** Makes rows what these lines say, whether they are there or not. Never deletes one: others may refer to it. */
export async function putRows(
  db: AnyDb,
  table: KnownTable,
  businessId: string,
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return
  const copied = copiedColumns(table)
  const values = valuesOf(table, copied, '$2', 'sent.')
  const isSame = table.key
    .map((name) => `one.${quoted(name)} = ${name === table.of ? '$2' : `sent.${quoted(name)}`}`)
    .join(' and ')
  const others = new Set(copied.filter((name) => name !== table.of && !table.key.includes(name)))
  const counted = table.columns.filter(({ name, isCounted }) => isCounted && others.has(name)).map(({ name }) => name)
  const changed = copied.flatMap((name, at) =>
    others.has(name) && !counted.includes(name) ? [`${quoted(name)} = ${values[at]}`] : [],
  )
  const given = [`[${lines.join(',')}]`, businessId]
  const sent = `json_populate_recordset(null::${table.table}, $1::json) as sent`
  // With another number, it is another row under the same key.
  if (counted.length > 0)
    await run(
      db,
      `delete from ${table.table} as one using ${sent}
        where one.${quoted(table.of)} = $2 and ${isSame} and (${list(counted, 'one.')}) is distinct from (${list(counted, 'sent.')})`,
      given,
    )
  if (changed.length > 0)
    await run(
      db,
      `update ${table.table} as one set ${changed.join(', ')} from ${sent} where one.${quoted(table.of)} = $2 and ${isSame}`,
      given,
    )
  await run(
    db,
    `insert into ${table.table} (${list(copied)}) overriding system value
     select ${values.join(', ')} from ${sent}
      where not exists (select from ${table.table} as one where one.${quoted(table.of)} = $2 and ${isSame})`,
    given,
  )
}

/** JSON's null comes back as SQL's; where the column must have a value, it was JSON's. */
function valuesOf(table: KnownTable, names: readonly string[], business: string, row: string): string[] {
  const known = new Map(table.columns.map((column) => [column.name, column]))
  return names.map((name) => {
    if (name === table.of) return business
    const column = known.get(name)
    const value = `${row}${quoted(name)}`
    return column?.isRequiredJson ? `coalesce(${value}, 'null'::${column.type})` : value
  })
}

/** The numbers that rows of an archive were given here, by table, `within` and the number that they had. */
export type Renumbered = Map<string, string>

const numberKey = (table: string, within: unknown, number: unknown) => JSON.stringify([table, within, String(number)])

/**
 * Writes lines as `readRows` made them, for this business whatever they say themselves. Rows that are there already are
 * an error.
 */
export async function writeRows(
  db: AnyDb,
  table: KnownTable,
  businessId: string,
  lines: readonly string[],
  renumbered: Renumbered = new Map(),
): Promise<void> {
  if (lines.length === 0) return
  const isKept = ({ name, isCounted }: Column) => !(name in table.set) && (table.keepsNumbers || !isCounted)
  const columns = new Map(table.columns.map((column) => [column.name, column]))
  const kept = copiedColumns(table).filter((name) => isKept(columns.get(name) as Column))
  const insert = `insert into ${table.table} (${list([...kept, ...Object.keys(table.set)])}) overriding system value`
  const values = [...valuesOf(table, kept, '$2', 'sent.'), ...Object.values(table.set)]
  const given = [`[${lines.join(',')}]`, businessId]
  const sent = `json_populate_recordset(null::${table.table}, $1::json)`
  if (table.refersTo && !table.keepsNumbers) {
    const referring = values.map((value) => (value === `sent.${quoted(table.refersTo?.column ?? '')}` ? 'here' : value))
    const numbers = `unnest($3::bigint[]) with ordinality as numbers (here, line) on numbers.line = sent.line`
    const from = `(select *, row_number() over () as line from ${sent}) as sent`
    await run(db, `${insert} select ${referring.join(', ')} from ${from} join ${numbers}`, [
      ...given,
      numbersOf(table, lines, renumbered),
    ])
  } else if (table.numbered && !table.keepsNumbers) {
    const { column, within } = table.numbered
    const key = table.key.map(quoted).join(', ')
    const rows = await run<{ within: string; before: string; here: string }>(
      db,
      `with sent as materialized (select * from ${sent}),
            written as (${insert} select ${values.join(', ')} from sent returning ${key}, ${quoted(column)})
       select sent.${quoted(within)} as within, sent.${quoted(column)}::text as before, written.${quoted(column)}::text as here
         from sent join written using (${key})`,
      given,
    )
    for (const row of rows) renumbered.set(numberKey(table.table, row.within, row.before), row.here)
  } else await run(db, `${insert} select ${values.join(', ')} from ${sent} as sent`, given)
}

/** Refers to a row that its archive does not have. */
export class UnknownNumber extends Error {}

function numbersOf({ refersTo }: KnownTable, lines: readonly string[], renumbered: Renumbered): string[] {
  if (!refersTo) return []
  const { table, column, within, except } = refersTo
  return lines.map((line) => {
    const row = JSON.parse(line) as Record<string, unknown>
    if (except.includes(String(row[within]))) return String(row[column])
    const here = renumbered.get(numberKey(table, row[within], row[column]))
    if (here === undefined) throw new UnknownNumber(`has a ${column} that ${table} of the archive does not have`)
    return here
  })
}

/** The oldest row of a table that is cut into months: its key goes up with time. */
export async function readOldest(db: AnyDb, table: KnownTable, businessId: string): Promise<string | undefined> {
  if (!table.byMonth) return undefined
  const [row] = await run<{ oldest: Date | null }>(
    db,
    `select ${quoted(table.byMonth)} as oldest from ${table.table} where ${quoted(table.of)} = $1 order by ${list(table.key)} limit 1`,
    [businessId],
  )
  return row?.oldest?.toISOString()
}

/**
 * Deletes the next rows of a business after a key. By ranges of the key, so that no statement walks over what the ones
 * before it have deleted. `last` is undefined when there are no more. Rows that refer to others of their table go all at once:
 * one of a later range may name one of this.
 */
export async function deleteRows(
  db: AnyDb,
  table: KnownTable,
  businessId: string,
  { after, limit }: { after: readonly string[] | undefined; limit: number },
): Promise<{ rows: number; last: string[] | undefined }> {
  const { key, of, isLinked } = table
  const from = `${quoted(of)} = $1 ${after ? `and ${isBeyond(table, '>', 2)}` : ''}`
  const values = [businessId, ...(after ?? [])]
  const [bound] = isLinked
    ? []
    : await run<{ key: string[] }>(
        db,
        `select ${keyText(table)} as key from ${table.table} where ${from} order by ${list(key)} limit 1 offset ${limit - 1}`,
        values,
      )
  const upTo = bound ? `and ${isBeyond(table, '<=', values.length + 1)}` : ''
  const { numAffectedRows = 0n } = await db.executeQuery(
    CompiledQuery.raw(`delete from ${table.table} where ${from} ${upTo}`, [...values, ...(bound?.key ?? [])]),
  )
  return { rows: Number(numAffectedRows), last: bound?.key }
}

/** Tables with a column `business_id` that no list names: those of extensions, by their primary keys. */
export async function findUnlisted(
  db: AnyDb,
  tables: readonly BusinessTable[],
  place: BusinessTable['in'],
): Promise<BusinessTable[]> {
  const { rows } = await sql<{ table: string; key: string[] }>`
    select namespace.nspname || '.' || relname as "table",
           coalesce((select array_agg(each.attname::text order by array_position(indkey::int[], each.attnum::int))
                       from pg_index join pg_attribute as each on each.attrelid = indrelid and each.attnum = any (indkey)
                      where indrelid = class.oid and indisprimary), '{}') as key
      from pg_class as class
      join pg_namespace as namespace on namespace.oid = relnamespace
      join pg_attribute as attribute on attribute.attrelid = class.oid and attribute.attname = 'business_id'
     where relkind in ('r', 'p') and not relispartition and not attribute.attisdropped
       and namespace.nspname || '.' || relname <> all (${tables.map(({ table }) => table)}::text[])
     order by 1`.execute(db)
  return rows.map(({ table, key }) => ({
    ...cellTable('left out', table, key),
    in: place,
  }))
}

/** The tables of these that have a row of the business. */
export async function findUsed(db: AnyDb, tables: readonly KnownTable[], businessId: string): Promise<string[]> {
  const used: string[] = []
  for (const { table, of } of tables) {
    const rows = await run(db, `select 1 from ${table} where ${quoted(of)} = $1 limit 1`, [businessId])
    if (rows.length > 0) used.push(table)
  }
  return used
}

/** Above what any sequence reaches. */
const MAX_NUMBER = 2 ** 48

/**
 * Numbers that a table counts for itself go on after those that a move has copied. It only ever moves the count up,
 * and by more than others can take meanwhile. Numbers that nobody counted up to are passed over: the sequence never reaches
 * them, and must not be moved to where it ends.
 */
export async function countOn(db: AnyDb, table: KnownTable, businessId: string): Promise<void> {
  if (table.is === 'queue') return
  const { rows } = await sql<{ name: string; sequence: string }>`
    select attname as name, pg_get_serial_sequence(${table.table}, attname) as sequence
      from pg_attribute where attrelid = ${table.table}::regclass and attidentity <> ''`.execute(db)
  for (const { name, sequence } of rows) {
    await run(
      db,
      `select setval($2::regclass, highest + 1000)
         from (select max(${quoted(name)}) as highest from ${table.table}
                where ${quoted(table.of)} = $1 and ${quoted(name)} <= ${MAX_NUMBER}) as written
        where highest >= (select last_value from ${sequence})`,
      [businessId, sequence],
    )
  }
}
