import pg from 'pg'
import { PLANNER } from '#platform/database/connection.ts'
import { preparedName } from '#platform/database/statement-names.ts'
import { onServer, urlOf } from './database.ts'

export type Statement = { text: string; values: unknown[]; database: string }

type Connected = pg.Client & { database: string; connectionParameters: { application_name?: string } }
type Query = (this: Connected, config: unknown, values?: unknown, ...rest: unknown[]) => unknown

let recording: Statement[] | undefined
/** What a process says by itself every few seconds. */
const SIGN_OF_LIFE = new RegExp(
  [
    'insert into control\\.processes',
    'insert into cell\\.usage',
    "select pg_notify\\(\\$1, ''\\)",
    'select distinct cell from access\\.businesses',
    '^select \\* from "control"\\."cells" order by "id"$',
    '^select "id" from "control"\\."identity"$',
  ].join('|'),
)

// Wrapped once, when this file is imported: a connection keeps the function that it had when it was opened.
// oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
const query = pg.Client.prototype.query as unknown as Query
const recordingQuery: Query = function (config, values, ...rest) {
  // Not our own connections, nor the listener, which asks every second whether it is still alive.
  if (recording && this.connectionParameters.application_name === 'kontor') {
    const { text = '', values: own } = typeof config === 'string' ? { text: config } : (config as Partial<Statement>)
    const made = { text, values: own ?? (Array.isArray(values) ? values : []), database: this.database }
    if (!SIGN_OF_LIFE.test(text)) recording.push(made)
  }
  return query.call(this, config, values, ...rest)
}
pg.Client.prototype.query = recordingQuery as unknown as typeof pg.Client.prototype.query

/** What the API of this process says to its databases while `work` runs: one item for each round trip. */
export async function recordStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  if (recording) throw new Error('One recording at a time')
  const made: Statement[] = []
  recording = made
  try {
    await work()
  } finally {
    recording = undefined
  }
  return made
}

type Plan = {
  'Node Type': string
  Schema?: string
  'Relation Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const MANY_ROWS = 1_000

/**
 * With these values, and, where the plan is kept, the one for all values. The former as PostgreSQL comes: on our own connections it
 * would rather walk through an index that does not fit than through the table, which is no better and harder to see.
 */
async function plansOf(client: pg.Client, text: string, values: unknown[]): Promise<Plan[]> {
  const explain = 'explain (format json, verbose)'
  const given = await client.query(`${explain} ${text}`, values)
  if (preparedName(text) === undefined) return nodesOf(given.rows[0]['QUERY PLAN'][0].Plan)
  await client.query('begin; set local plan_cache_mode = force_generic_plan')
  for (const [name, value] of Object.entries(PLANNER)) await client.query(`set local ${name} = ${value}`)
  await client.query(`prepare kept as ${text}`)
  const nothing = values.length > 0 ? `(${values.map(() => 'null').join(', ')})` : ''
  const kept = await client.query(`${explain} execute kept${nothing}`)
  await client.query('deallocate kept; commit')
  return [given, kept].flatMap(({ rows }) => nodesOf(rows[0]['QUERY PLAN'][0].Plan))
}

type Scan = Plan & { table: string; rows: number; text: string }

/** Where the plans of these statements read a table with more than a thousand rows. */
async function findScans(statements: readonly Statement[]): Promise<Scan[]> {
  const found: Scan[] = []
  for (const [database, ofDatabase] of Map.groupBy(statements, (statement) => statement.database)) {
    const distinct = new Map(ofDatabase.map((statement) => [statement.text, statement])).values()
    await onServer(async (client) => {
      const { rows: tables } = await client.query<{ name: string; rows: number }>(
        'select oid::regclass::text as name, reltuples as rows from pg_class where reltuples > $1',
        [MANY_ROWS],
      )
      const sizes = new Map(tables.map(({ name, rows }) => [name, rows]))
      for (const { text, values } of distinct) {
        if (!/^\s*(select|with|insert|update|delete)\b/i.test(text)) continue
        for (const node of await plansOf(client, text, values)) {
          const table = `${node.Schema}.${node['Relation Name']}`
          const rows = sizes.get(table)
          if (rows !== undefined) found.push({ ...node, table, rows, text })
        }
      }
    }, urlOf(database))
  }
  return found
}

const describe = ({ table, rows, text }: Scan) => `${table} (${rows} rows): ${text}`

/** Statements that read all of a table, and which: `access.roles (20000 rows): select …`. */
export async function findSequentialScans(statements: readonly Statement[]): Promise<string[]> {
  const scans = await findScans(statements)
  return scans.filter((scan) => scan['Node Type'] === 'Seq Scan').map(describe)
}

/** Those that look for rows of these tables by less than the whole key, and so may read all that a large business has. */
export async function findWalks(statements: readonly Statement[], keys: Record<string, string[]>): Promise<string[]> {
  const scans = await findScans(statements)
  const isWhole = ({ table, 'Index Cond': condition = '' }: Scan) =>
    (keys[table] ?? []).every((column) => condition.includes(`.${column} =`))
  return scans.filter((scan) => scan['Node Type'].endsWith('Scan') && !isWhole(scan)).map(describe)
}
