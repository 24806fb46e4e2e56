import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { loadMigrations, migrate } from '#platform/database/migrate.ts'

/** A server on which databases may be made and dropped. */
export const SERVER_URL = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'

// Several test files share one server, whose connections are few.
const { DATABASE_POOL_SIZE } = process.env
export const poolSize = DATABASE_POOL_SIZE ? { DATABASE_POOL_SIZE } : {}

export function urlOf(database: string): string {
  const url = new URL(SERVER_URL)
  url.pathname = `/${database}`
  return url.href
}

const CONNECT_MS = 30_000

/** Waits its turn: test files that run side by side may have taken all connections that there are. */
async function connect(url: string): Promise<pg.Client> {
  const until = performance.now() + CONNECT_MS
  for (;;) {
    const client = new pg.Client({ connectionString: url, application_name: 'kontor test support' })
    try {
      await client.connect()
      return client
    } catch (error) {
      if ((error as { code?: string }).code !== '53300' || performance.now() > until) throw error
      await sleep(200)
    }
  }
}

export async function onServer<Result>(
  work: (client: pg.Client) => Promise<Result>,
  url = SERVER_URL,
): Promise<Result> {
  const client = await connect(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

// Dropping a database makes the server write all that it has in memory to disk. `npm test` does it on the side, after the file.
const IS_SWEPT = process.env.TEST_DATABASES_ARE_SWEPT === 'yes'

const TEST_PREFIX = `kontor_test_${process.pid}_`
const randomName = () => `${TEST_PREFIX}${randomBytes(5).toString('hex')}`

/** A connection that somebody forgot would keep the file from ending. */
const disconnect = (name: string) =>
  onServer((client) =>
    client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]),
  )

export const dropDatabase = (name: string) =>
  onServer((client) => client.query(`drop database if exists ${name} with (force)`))

/**
 * Commits in a test's database do not wait for the disk: that is most of what a small transaction takes. Only a crash of the
 * server itself could tell the difference, and no test crashes it. Measurements and proofs do wait, as a real server does.
 */
async function createDatabase(client: pg.Client, name: string, template = 'template1'): Promise<void> {
  const { rows } = await client.query("select current_setting('fsync') as fsync")
  // Copying files takes a third of the time, unless the checkpoint before it waits for the disk.
  const strategy = rows[0].fsync === 'off' ? ' strategy file_copy' : ''
  await client.query(`create database ${name} template ${template}${strategy}`)
  if (IS_SWEPT) await client.query(`alter database ${name} set synchronous_commit = off`)
}

/** A database of its own for `work`, empty at first, gone afterwards. */
export async function withScratchDatabase<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const name = randomName()
  await onServer((client) => createDatabase(client, name))
  try {
    return await work(urlOf(name))
  } finally {
    await dropDatabase(name)
  }
}

/**
 * A copy of a migrated template: `full` is control and the cell `main` in one, `cell` is a second cell. The template is made
 * once per set of migrations, by whoever comes first.
 */
export async function cloneTemplate(
  kind: 'full' | 'cell',
): Promise<{ name: string; url: string; drop(): Promise<unknown> }> {
  const kinds = kind === 'full' ? (['control', 'cell'] as const) : (['cell'] as const)
  const migrations = (await Promise.all(kinds.map(loadMigrations))).flat()
  const print = createHash('sha256').update(migrations.map(({ checksum }) => checksum).join())
  const template = `kontor_template_${kind}_${print.digest('hex').slice(0, 12)}`
  const name = randomName()
  await onServer(async (client) => {
    await client.query("select pg_advisory_lock(hashtextextended('kontor.template', 0))")
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [template])
    if (!rowCount) {
      const draft = `${template}_draft` // renamed when complete, so that a killed run leaves no half-made template behind
      await client.query(`drop database if exists ${draft} with (force)`)
      await client.query(`create database ${draft}`)
      await migrate(urlOf(draft), kinds)
      await client.query(`alter database ${draft} rename to ${template}`)
    }
    await client.query("select pg_advisory_unlock(hashtextextended('kontor.template', 0))")
    await createDatabase(client, name, template)
  })
  return { name, url: urlOf(name), drop: () => (IS_SWEPT ? disconnect(name) : dropDatabase(name)) }
}

/** Drops what test files left behind, of this run or an earlier one: databases of processes that are gone. */
export async function sweepDatabases(): Promise<void> {
  await onServer(async (client) => {
    const { rows } = await client.query("select datname from pg_database where datname like 'kontor\\_test\\_%'")
    for (const { datname } of rows) {
      const pid = Number(datname.split('_')[2])
      if (!isAlive(pid)) await client.query(`drop database if exists ${datname} with (force)`)
    }
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
