import pg from 'pg'
import { listUsedCells } from '#modules/access/index.ts'
import { countApiKeys, countSigningKeys } from '#modules/accounts/index.ts'
import { type CellRow, countByCell, readCells } from '#platform/cells/cells.ts'
import { allAddressesOf } from '#platform/cells/follow-cells.ts'
import { contradicts, readControlId, readIdentity } from '#platform/cells/identity.ts'
import { nowMs } from '#platform/clock.ts'
import type { Config } from '#platform/config.ts'
import { createSecretBox, type SecretBox } from '#platform/crypto/secret-box.ts'
import { type ControlDb, type DatabaseAddress, MAIN_CELL, openDatabases } from '#platform/database/database.ts'
import { loadMigrations, type MigrationSet } from '#platform/database/migrate.ts'
import { countMoves } from '#platform/moves/moves.ts'
import { nameSome } from '#platform/name-some.ts'
import { listProcesses } from '#platform/processes.ts'
import { type Check, failed, type Look, look, ok, reasonOf, warning } from './look.ts'
import { blamePooler, noPooler, pooler } from './pooler.ts'
import { checkReplica } from './replicas.ts'

const CONNECT_MS = 4_000
const MIN_VERSION = 15
const MAX_SKEW_MS = 2_000

type Kind = 'control' | 'cell'

/** What control knows of the cells; undefined while it cannot be asked, or is not migrated. */
type Known = { rows: CellRow[]; counts: Map<string, number>; used: string[]; controlId: string }
type Addresses = Record<string, DatabaseAddress>

/** Control first: it says which cells there are. Then all of them in parallel, each address on its own connection. */
export async function checkDatabases(
  { control, cells: named }: Config['databases'],
  config: Config | undefined,
  extensions: readonly MigrationSet[],
): Promise<Check[]> {
  const ofMain = await checkBothWays('main', control, looksAt(['control', 'cell'], extensions))
  const statusOf = (name: string) => ofMain.find(({ check }) => check === name)?.status
  const canBeUsed = ['main: database', 'main: pooler'].every((name) => statusOf(name) === 'ok')
  const isMigrated = canBeUsed && ['ok', 'warning'].includes(statusOf('main: migrations') ?? '')
  const known = isMigrated ? await askControl(control, readKnown).catch(() => undefined) : undefined
  const { cells, checks: ofAddresses } = findAddresses(known, named, config)
  if (known) ofMain.push(checkHomes(known, cells), await checkProcesses(control, known), await checkMoves(control))
  if (canBeUsed && config) ofMain.push(...(await checkKeys(config)))
  const ofCells = await Promise.all(
    Object.entries(cells).map(([name, address]) =>
      checkBothWays(`cell ${name}`, address, [identity(name, known?.controlId), ...looksAt(['cell'], extensions)]),
    ),
  )
  const ofReplicas = await Promise.all([
    ...checkReplica('main', control),
    ...Object.entries(cells).flatMap(([name, address]) => checkReplica(`cell ${name}`, address)),
  ])
  return [...ofMain, ...ofCells.flat(), ...ofAddresses, ...ofReplicas]
}

async function readKnown(control: ControlDb): Promise<Known> {
  const [rows, counts, used, controlId] = await Promise.all([
    readCells(control),
    countByCell(control),
    listUsedCells(control),
    readControlId(control),
  ])
  return { rows, counts, used, controlId }
}

/** Where the cells are that are not off: as control says, else as CELLS does. */
function findAddresses(
  known: Known | undefined,
  named: Addresses,
  config: Config | undefined,
): { cells: Addresses; checks: Check[] } {
  if (!known || !config) return { cells: named, checks: [] }
  const checks: Check[] = []
  const complain = (about: string, cell: string, message: string) =>
    void checks.push({
      check: `cell ${cell}: address`,
      ...(about === 'key' ? failed : warning)(
        message,
        about === 'key' ? 'Add the SECRET_KEY that sealed it: SECRET_KEY=new,old' : 'Take it out of CELLS.',
      ),
    })
  return { cells: allAddressesOf(known.rows, named, createSecretBox(config.secretKeys), complain), checks }
}

/** Checks the address that the service uses, and the direct one, past the pooler, if there is one. */
async function checkBothWays(name: string, { url, directUrl }: DatabaseAddress, looks: Look[]): Promise<Check[]> {
  const hasDirect = directUrl !== url
  const [[first, ...rest], direct] = await Promise.all([
    checkDatabase(name, url, [pooler({ name, hasDirect }), ...looks]),
    hasDirect ? checkDatabase(`${name} (direct)`, directUrl, [noPooler(name)]) : [],
  ])
  const explained = first?.status === 'failed' ? await blamePooler(url, first, direct[0]) : first
  return [...(explained ? [explained] : []), ...rest, ...direct]
}

async function askControl<Answer>(control: DatabaseAddress, ask: (db: ControlDb) => Promise<Answer>): Promise<Answer> {
  const databases = openDatabases({ control, cells: {} }, { applicationName: 'kontor doctor', max: 1 })
  try {
    return await ask(databases.control)
  } finally {
    await databases.close()
  }
}

/** Compares where businesses live with the cells that there are. */
function checkHomes({ rows, counts, used }: Known, cells: Addresses): Check {
  const check = 'main: cells'
  const reachable = [MAIN_CELL, ...Object.keys(cells)]
  const off = rows.filter(({ state }) => state === 'OFF').map(({ id }) => id)
  const describe = (name: string) => `${name} (${counts.get(name) ?? 0} businesses)`
  const missing = used.filter((cell) => !reachable.includes(cell) && !off.includes(cell))
  if (missing.length > 0)
    return {
      check,
      ...failed(
        `businesses live in cells that neither CELLS nor control names here: ${nameSome(missing.map(describe))}`,
        'Add them: cli cells add; or name them in CELLS, for every API, worker and command line.',
      ),
    }
  const dark = used.filter((cell) => off.includes(cell))
  if (dark.length > 0)
    return {
      check,
      ...warning(
        `businesses live in cells that are off, and get 503: ${nameSome(dark.map(describe))}`,
        'To serve them again: cli cells open',
      ),
    }
  if (!rows.some(({ state }) => state === 'OPEN'))
    return { check, ...warning('no cell is open: nobody can create a business', 'Open one: cli cells open') }
  return { check, ...ok(`every cell that holds businesses is known: ${nameSome(reachable)}`) }
}

const checkProcesses = (control: DatabaseAddress, { rows }: Known) =>
  look(
    'main: processes',
    'They learn of a cell that control knows within some seconds; one of CELLS alone needs the same CELLS and a restart. Until then nothing new is placed there.',
    async () => {
      const processes = await askControl(control, listProcesses)
      const known = rows.filter(({ state }) => state !== 'OFF').map(({ id }) => id)
      const behind = processes.filter(({ cells }) => known.some((cell) => !cells.includes(cell)))
      if (behind.length > 0) {
        const lacks = known.filter((cell) => behind.some(({ cells }) => !cells.includes(cell)))
        return warning(
          `${behind.length} of ${processes.length} do not know ${nameSome(lacks)}: ${nameSome(behind.map(({ kind, id }) => `${kind} ${id}`))}`,
        )
      }
      return ok(`${processes.length} are running, and know every cell`)
    },
  )

const checkMoves = (control: DatabaseAddress) =>
  look(
    'main: moves',
    'See why: cli business move <businessId>. When you have looked: cli business move <businessId> --resume',
    async () => {
      const { stopped, underWay } = await askControl(control, countMoves)
      if (stopped.length > 0) return warning(`stopped, because rows differ or have not moved: ${nameSome(stopped)}`)
      return ok(underWay === 0 ? 'no business is on its way' : `${underWay} under way`)
    },
  )

/** A database that was copied, or an address that was mistyped, would mix up two cells. */
const identity = (cell: string, controlId: string | undefined): Look => ({
  name: 'identity',
  fix: 'Correct its address: cli cells set, or CELLS.',
  async run(client) {
    const found = await readIdentity(client)
    const problem = contradicts(found, cell, controlId)
    if (problem) return failed(problem)
    return found.cell === undefined
      ? warning('the database does not say yet which cell it is', 'Run: npm run db:migrate')
      : ok(`it is the database of the cell ${cell}`)
  },
})

const looksAt = (kinds: readonly Kind[], extensions: readonly MigrationSet[]): Look[] => [
  privileges,
  migrations(kinds, extensions),
  clock,
  workers,
  deadJobs,
]

async function checkDatabase(name: string, url: string, looks: readonly Look[]): Promise<Check[]> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'kontor doctor',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  })
  client.on('error', () => {}) // the failing statement reports it
  const first = await look(`${name}: database`, fixFor(name), async () => {
    await client.connect()
    const { rows } = await client.query("select current_setting('server_version_num')::int / 10000 as version")
    const { version } = rows[0] as { version: number }
    return version < MIN_VERSION
      ? failed(`PostgreSQL ${version}`, `Kontor needs PostgreSQL ${MIN_VERSION} or newer.`)
      : ok(`PostgreSQL ${version}, ${describe(url)}`)
  })
  const checks = [first]
  // One after another: a connection runs one statement at a time.
  if (first.status === 'ok')
    for (const { name: part, fix, run } of looks) checks.push(await look(`${name}: ${part}`, fix, () => run(client)))
  await Promise.race([client.end(), new Promise((resolve) => setTimeout(resolve, 500).unref())]).catch(reasonOf)
  return checks
}

const fixFor = (name: string) =>
  `Is the server up, does the database exist (createdb), and is ${name.startsWith('main') ? 'DATABASE_URL' : 'its address (cli cells list, CELLS)'} right?`

function describe(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

const privileges: Look = {
  name: 'privileges',
  fix: 'Allow the database user to create schemas: grant create on database … to …',
  async run(client) {
    const all = [...(await loadMigrations('control')), ...(await loadMigrations('cell'))]
    const needed = all.flatMap(({ sql }) =>
      [...sql.matchAll(/^create extension if not exists (\w+)/gm)].map(([, name]) => name),
    )
    const { rows } = await client.query(
      `select has_database_privilege(current_database(), 'CREATE') as may,
              array(select unnest($1::text[]) except select name from pg_available_extensions) as missing`,
      [needed],
    )
    const { may, missing } = rows[0] as { may: boolean; missing: string[] }
    if (!may) return failed('the database user may not create schemas, so migrations would fail')
    if (missing.length > 0)
      return failed(`missing extensions: ${missing.join(', ')}`, 'Install PostgreSQL’s contrib modules on the server.')
    return ok(`may create; extensions: ${needed.join(', ')}`)
  },
}

const migrations = (kinds: readonly Kind[], extensions: readonly MigrationSet[]): Look => ({
  name: 'migrations',
  fix: 'Run: npm run db:migrate',
  async run(client) {
    const missing: string[] = []
    const ahead: string[] = []
    const ours = await Promise.all(
      kinds.map(async (kind) => ({ schema: kind as string, migrations: await loadMigrations(kind) })),
    )
    for (const { schema, migrations } of [...ours, ...extensions]) {
      const known = migrations.map(({ name }) => name)
      const table = `${schema}.migrations`
      const { rows: tables } = await client.query('select to_regclass($1) is not null as there', [table])
      const { rows } = tables[0].there ? await client.query(`select name from ${table}`) : { rows: [] }
      const done = rows.map(({ name }: { name: string }) => name)
      missing.push(...known.filter((name) => !done.includes(name)).map((name) => `${schema}/${name}`))
      ahead.push(...done.filter((name: string) => !known.includes(name)).map((name: string) => `${schema}/${name}`))
    }
    if (missing.length > 0) return failed(`it lacks ${nameSome(missing)}`)
    if (ahead.length > 0)
      return warning(
        `it is ahead of this version: ${nameSome(ahead)}`,
        'Fine during an update; else install the newer version.',
      )
    return ok('up to date')
  },
})

const clock: Look = {
  name: 'clock',
  fix: 'Let both machines take their time from the same source (NTP).',
  async run(client) {
    const before = nowMs()
    const { rows } = await client.query('select extract(epoch from clock_timestamp()) * 1000 as at')
    const skewMs = Math.round(Number(rows[0].at) - (before + nowMs()) / 2)
    const says = `${(Math.abs(skewMs) / 1000).toFixed(1)} s ${skewMs < 0 ? 'behind' : 'ahead of'} this machine’s`
    return Math.abs(skewMs) > MAX_SKEW_MS ? warning(says) : ok(says)
  },
}

// A live worker holds an advisory lock: if its lock is free, it is gone.
const workers: Look = {
  name: 'workers',
  fix: 'Start one: npm run worker',
  async run(client) {
    const { rows: tables } = await client.query("select to_regclass('cell.workers') is not null as there")
    if (!tables[0].there) return warning('unknown until the database is migrated', 'Run: npm run db:migrate')
    const { rows } = await client.query(`
      select count(*) filter (where not case when pg_try_advisory_lock_shared(key) then pg_advisory_unlock_shared(key) else false end)
             ::int as alive
        from (select hashtextextended('kontor.worker:' || pool_id, 0) as key from cell.workers) as known`)
    const { alive } = rows[0] as { alive: number }
    return alive === 0 ? warning('none is running: mails, imports and expiries wait') : ok(`${alive} running`)
  },
}

const deadJobs: Look = {
  name: 'jobs',
  fix: 'See why: cli jobs list --dead; then: cli jobs retry --dead',
  async run(client) {
    const { rows: tables } = await client.query("select to_regclass('graphile_worker.jobs') is not null as there")
    if (!tables[0].there) return warning('no queue until the database is migrated', 'Run: npm run db:migrate')
    const { rows } = await client.query(`
      select count(*) filter (where attempts >= max_attempts and locked_at is null)::int as dead,
             count(*) filter (where attempts < max_attempts and locked_at is null and run_at < now() - interval '5 minutes')::int as late
        from graphile_worker.jobs`)
    const { dead, late } = rows[0] as { dead: number; late: number }
    if (dead > 0) return warning(`${dead} dead (out of attempts)`)
    if (late > 0)
      return warning(`${late} are late by more than 5 minutes`, 'Is a worker running, and are there enough?')
    return ok('none is dead or late')
  },
}

const UNDEFINED_TABLE = '42P01'
const UNDEFINED_COLUMN = '42703'

const checkKeys = ({ databases: { control }, secretKeys }: Config): Promise<Check[]> => {
  const box = createSecretBox(secretKeys)
  return askControl(control, async (db) => [await checkSigningKeys(db, box), await checkApiKeys(db, box)])
}

function checkSigningKeys(control: ControlDb, box: SecretBox): Promise<Check> {
  const fix = 'Add the SECRET_KEY that encrypted them: SECRET_KEY=new,old; then: cli keys rotate'
  return look('main: signing keys', fix, async () => {
    const { all, shut } = await unlessMissing(countSigningKeys(control, box), { all: 0, shut: 0 })
    if (shut > 0) return failed(`SECRET_KEY does not open ${shut} of ${all}`)
    return ok(all === 0 ? 'none yet: the first login makes one' : `SECRET_KEY opens all ${all}`)
  })
}

function checkApiKeys(control: ControlDb, box: SecretBox): Promise<Check> {
  const fix = 'Add it: SECRET_KEY=new,old. Once a key has been used, it no longer needs the old one.'
  return look('main: API keys', fix, async () => {
    const none = { all: 0, old: 0, unknown: 0, lost: 0 }
    const { all, old, unknown, lost } = await unlessMissing(countApiKeys(control, box), none)
    if (lost > 0) return failed(`${lost} of ${all} were made with another SECRET_KEY, so they are refused (401)`)
    const isRotating = box.fingerprints.length > 1
    if (isRotating && old + unknown > 0)
      return warning(
        `${old + unknown} of ${all} still need the old SECRET_KEY: they have not been used since the rotation began`,
        'Keep both until there are none. The owners of unused keys have to replace them.',
      )
    if (unknown > 0) return ok(`${all}; for ${unknown}, the SECRET_KEY is unknown until they are used`)
    return ok(all === 0 ? 'none yet' : `all ${all} were made with this SECRET_KEY`)
  })
}

/** Missing tables mean a database without migrations, which another check reports. */
async function unlessMissing<Count>(counting: Promise<Count>, none: Count): Promise<Count> {
  try {
    return await counting
  } catch (error) {
    if (![UNDEFINED_TABLE, UNDEFINED_COLUMN].includes((error as { code?: string }).code ?? '')) throw error
    return none
  }
}
