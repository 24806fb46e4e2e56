import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { migrate } from '#platform/database/migrate.ts'

const MAX_START_MS = 60_000
/** Where its programs are, if not where Debian has them. */
const BIN = process.env.PG_BIN ?? globSync('/usr/lib/postgresql/*/bin').sort().at(-1) ?? ''

export type PrivatePostgres = Awaited<ReturnType<typeof openPrivatePostgres>>

/** A PostgreSQL of our own in a temporary folder, which writes through to the disk and can be killed. */
export async function openPrivatePostgres(more: readonly string[] = []) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kontor-postgres-'))
  const user = serverUser()
  if (user) chownSync(folder, user.uid, user.gid)
  const made = spawnSync(path.join(BIN, 'initdb'), ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'], {
    ...user,
    encoding: 'utf8',
    timeout: MAX_START_MS,
  })
  if (made.status !== 0) throw new Error(`initdb failed (is PG_BIN right?): ${made.error?.message ?? made.stderr}`)
  const port = await freePort()
  const urlOf = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`
  let server: ChildProcess | undefined

  const spawnServer = () => spawnIn(folder, port)

  function spawnIn(data: string, onPort: number): ChildProcess {
    const settings = [
      `port=${onPort}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'fsync=on',
      'synchronous_commit=on',
      ...more,
    ]
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
    return spawn(path.join(BIN, 'postgres'), args, { ...user, stdio: 'ignore' })
  }

  /** Takes connections again. A new server cannot start while the last of the old one's processes is at it. */
  async function start(): Promise<void> {
    const deadline = performance.now() + MAX_START_MS
    while (performance.now() < deadline) {
      if (!server || server.exitCode !== null || server.signalCode !== null) server = spawnServer()
      if (await answers(urlOf('postgres'))) return
      await sleep(50)
    }
    throw new Error(`PostgreSQL in ${folder} did not start within ${MAX_START_MS} ms`)
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }

  /** A copy that follows this server and takes no writes. */
  async function startStandby() {
    const copy = mkdtempSync(path.join(os.tmpdir(), 'kontor-standby-'))
    if (user) chownSync(copy, user.uid, user.gid)
    const words = [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      'postgres',
      '-D',
      copy,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
    ]
    const made = spawnSync(path.join(BIN, 'pg_basebackup'), words, { ...user, encoding: 'utf8', timeout: MAX_START_MS })
    if (made.status !== 0) throw new Error(`pg_basebackup failed: ${made.error?.message ?? made.stderr}`)
    const copyPort = await freePort()
    let standby = spawnIn(copy, copyPort)
    const copyUrlOf = (name: string) => `postgres://postgres@127.0.0.1:${copyPort}/${name}`
    const deadline = performance.now() + MAX_START_MS
    while (!(await answers(copyUrlOf('postgres')))) {
      if (performance.now() > deadline) throw new Error(`The standby in ${copy} did not start`)
      await sleep(50)
    }
    async function kill(): Promise<void> {
      if (standby.exitCode !== null || standby.signalCode !== null) return
      const ended = once(standby, 'exit')
      standby.kill('SIGQUIT')
      await ended
    }
    return {
      urlOf: copyUrlOf,
      /** As those of the primary. */
      pause: () => signalTree(standby.pid, 'SIGSTOP'),
      goOn: () => signalTree(standby.pid, 'SIGCONT'),
      /** It answers, and stands still: what the primary writes meanwhile is not seen here. Until `follow`. */
      standStill: () => tell(copyUrlOf('postgres'), 'select pg_wal_replay_pause()'),
      follow: () => tell(copyUrlOf('postgres'), 'select pg_wal_replay_resume()'),
      /** From now on it is a primary. */
      promote: () => tell(copyUrlOf('postgres'), 'select pg_promote()'),
      kill,
      async start(): Promise<void> {
        standby = spawnIn(copy, copyPort)
        while (!(await answers(copyUrlOf('postgres')))) await sleep(50)
      },
      async close() {
        signalTree(standby.pid, 'SIGCONT')
        await kill()
        rmSync(copy, { recursive: true, force: true })
      },
    }
  }

  await start()
  return {
    start,
    urlOf,
    startStandby,
    /** All of its processes: it takes connections, as the system does that by itself, and answers nothing. Until `goOn`. */
    pause: () => signalTree(server?.pid, 'SIGSTOP'),
    goOn: () => signalTree(server?.pid, 'SIGCONT'),
    /** Only the first of its processes, as when the system runs out of memory; the others end when they notice. */
    kill: () => end('SIGKILL'),
    /** Two databases as a service needs them. */
    async createDatabases() {
      const client = new pg.Client({ connectionString: urlOf('postgres') })
      await client.connect()
      await client.query('create database main')
      await client.query('create database second')
      await client.end()
      await migrate(urlOf('main'), ['control', 'cell'])
      await migrate(urlOf('second'), ['cell'])
      const database = (name: string) => ({ name, url: urlOf(name), drop: async () => {} })
      return {
        main: database('main'),
        second: database('second'),
        env: { DATABASE_URL: urlOf('main'), CELLS: JSON.stringify({ second: { url: urlOf('second') } }) },
        drop: async () => {},
      }
    },
    async close() {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function tell(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text)
  await client.end()
}

/** A process and its children. */
function signalTree(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined || !existsSync(`/proc/${pid}`)) return
  process.kill(pid, signal)
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  for (const child of children) {
    try {
      process.kill(Number(child), signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it has ended meanwhile
    }
  }
}

/** PostgreSQL and PgBouncer refuse to run as root. */
export function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
  return { uid: idOf('-u'), gid: idOf('-g') }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
