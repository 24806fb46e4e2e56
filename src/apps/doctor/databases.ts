import pg from 'pg'
import { listUsedCells } from '#modules/access/index.ts'
import { countApiKeys, countSigningKeys } from '#modules/accounts/index.ts'
import { nowMs } from '#platform/clock.ts'
import type { Config } from '#platform/config.ts'
import { createSecretBox, type SecretBox } from '#platform/crypto/secret-box.ts'
import { type ControlDb, type DatabaseAddress, openDatabases } from '#platform/database/database.ts'
import { loadMigrations, type MigrationSet } from '#platform/database/migrate.ts'
import { listProcesses } from '#platform/processes.ts'
import { type Check, failed, type Look, look, ok, reasonOf, warning } from './look.ts'
import { blamePooler, noPooler, pooler } from './pooler.ts'

const CONNECT_MS = 4_000
const MIN_VERSION = 15
const MAX_SKEW_MS = 2_000

type Kind = 'control' | 'cell'

/** Checks all databases in parallel, each address on its own connection. */
export async function checkDatabases(
  { control, cells }: Config['databases'],
  config: Config | undefined,
  extensions: readonly MigrationSet[],
): Promise<Check[]> {
  const found = await Promise.all([
    checkMain(control, ['main', ...Object.keys(cells)], config, extensions),
    ...Object.entries(cells).map(([name, address]) =>
      checkBothWays(`cell ${name}`, address, looksAt(['cell'], extensions)),
    ),
  ])
  return found.flat()
}

async function checkMain(
  control: DatabaseAddress,
  known: string[],
  config: Config | undefined,
  extensions: readonly MigrationSet[],
): Promise<Check[]> {
  const checks = await checkBothWays('main', control, looksAt(['control', 'cell'], extensions))
  const canBeUsed = ['main: database', 'main: pooler'].every(
    (name) => checks.find(({ check }) => check === name)?.status === 'ok',
  )
  if (!canBeUsed) return checks
  const isMigrated = checks.some(({ check, status }) => check === 'main: migrations' && status !== 'failed')
  if (isMigrated) checks.push(...(await Promise.all([checkHomes(control, known), checkProcesses(control, known)])))
  return config ? [...checks, ...(await checkKeys(config))] : checks
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

const checkHomes = (control: DatabaseAddress, known: readonly string[]) =>
  look('main: cells', 'Name them in CELLS, for every API, worker and command line.', async () => {
    const unknown = (await askControl(control, listUsedCells)).filter((cell) => !known.includes(cell))
    if (unknown.length > 0) return failed(`CELLS does not name these cells, which hold businesses: ${shorten(unknown)}`)
    return ok(`CELLS names every cell that holds businesses: ${shorten([...known])}`)
  })

const checkProcesses = (control: DatabaseAddress, known: readonly string[]) =>
  look(
    'main: processes',
    'Give them the same CELLS and restart them; until then nothing new is placed there.',
    async () => {
      const processes = await askControl(control, listProcesses)
      const behind = processes.filter(({ cells }) => known.some((cell) => !cells.includes(cell)))
      if (behind.length > 0) {
        const lacks = known.filter((cell) => behind.some(({ cells }) => !cells.includes(cell)))
        return warning(
          `${behind.length} of ${processes.length} do not know ${shorten(lacks)}: ${shorten(behind.map(({ kind, id }) => `${kind} ${id}`))}`,
        )
      }
      return ok(`${processes.length} are running, and know the same cells as this machine`)
    },
  )

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
  `Is the server up, does the database exist (createdb), and is ${name.startsWith('main') ? 'DATABASE_URL' : 'CELLS'} right?`

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
    if (missing.length > 0) return failed(`it lacks ${shorten(missing)}`)
    if (ahead.length > 0)
      return warning(
        `it is ahead of this version: ${shorten(ahead)}`,
        'Fine during an update; else install the newer version.',
      )
    return ok('up to date')
  },
})

const shorten = (names: string[]) =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')

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
