import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { onServer } from '../support/database.ts'
import { until } from '../support/until.ts'

export type PrivateCluster = Awaited<ReturnType<typeof createCluster>>

const COMMAND_MS = 120_000

/** Where PostgreSQL's own programs are: `PG_BIN`, or the newest that Debian has put where it puts them. */
const findBin = () => process.env.PG_BIN ?? globSync('/usr/lib/postgresql/*/bin').sort().at(-1) ?? ''

/** PostgreSQL does not run as root; whoever is root here runs it as the user `postgres`. */
async function owner(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((text) => text.startsWith('postgres:'))
  if (!line) throw new Error('There is no user postgres to run PostgreSQL as. Run this as another user than root.')
  const [, , uid, gid] = line.split(':').map(Number)
  return { uid: uid as number, gid: gid as number }
}

/**
 * A PostgreSQL server of its own, in a folder of its own, that archives its WAL at least every `archiveSeconds`. Its data can be
 * lost and brought back.
 */
export async function createCluster({ archiveSeconds }: { archiveSeconds: number }) {
  const bin = findBin()
  const as = await owner()
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kontor-restore-'))
  if (as.uid !== undefined && as.gid !== undefined) await chown(folder, as.uid, as.gid)
  const port = await freePort()
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
  const inside = (name: string) => path.join(folder, name)
  const [data, base, archive] = [inside('data'), inside('base'), inside('archive')]

  async function run(program: string, ...words: string[]): Promise<void> {
    const child = spawn(path.join(bin, program), words, {
      ...as,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: COMMAND_MS,
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' },
    })
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
    })
    // Not `close`: the server that pg_ctl starts keeps the pipe open.
    const code = await new Promise<number | null>((resolve, reject) =>
      child.once('error', reject).once('exit', resolve),
    )
    child.stderr.destroy()
    if (code !== 0) throw new Error(`${program} failed (${code}): ${said.slice(-2_000)}`)
  }

  async function start(): Promise<void> {
    const words = ['-D', data, '-l', inside('log'), '-w', '-t', String(COMMAND_MS / 1_000), '-s']
    await run('pg_ctl', 'start', ...words).catch(async (error: Error) => {
      const log = await readFile(inside('log'), 'utf8').catch(() => '')
      throw new Error(`${error.message}\n${log.slice(-2_000)}`)
    })
  }

  await run('initdb', '-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--no-instructions')
  await writeFile(
    path.join(data, 'postgresql.auto.conf'),
    [
      `port = ${port}`,
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${folder}'`,
      'max_connections = 60',
      'wal_level = replica',
      'archive_mode = on',
      // Whole or not at all: a copy that breaks off must not look like a segment.
      `archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f'`,
      `archive_timeout = '${archiveSeconds}s'`,
      `restore_command = 'cp ${archive}/%f %p'`,
      '',
    ].join('\n'),
  )
  await mkdir(archive)
  if (as.uid !== undefined && as.gid !== undefined) await chown(archive, as.uid, as.gid)
  await start()

  return {
    folder,
    urlOf,
    backUp: () =>
      run('pg_basebackup', '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-D', base, '-c', 'fast'),
    /** When each segment was archived, oldest first. */
    async archived() {
      const files = (await readdir(archive)).filter((name) => /^[0-9A-F]{24}$/.test(name)).sort()
      return Promise.all(files.map(async (name) => (await stat(path.join(archive, name))).mtimeMs))
    },
    /** The machine is gone, with all that was on its disk. Only the backup and the archive are elsewhere. */
    async destroy() {
      // Immediate: no checkpoint, and nothing of what is left goes to the archive.
      await run('pg_ctl', 'stop', '-D', data, '-m', 'immediate', '-s')
      await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
    /** The backup, and all of the archive that there is. Answers once the server takes writes. */
    async restore() {
      await cp(base, data, { recursive: true, preserveTimestamps: true })
      await writeFile(path.join(data, 'recovery.signal'), '')
      await chmod(data, 0o700)
      if (as.uid !== undefined) await giveAway(data, as as { uid: number; gid: number })
      await start()
      // It counts as started, and takes reads, while the archive is still being read.
      await until('it takes writes', () => isWritable(urlOf('postgres')), { withinMs: COMMAND_MS, everyMs: 100 })
    },
    async close() {
      await run('pg_ctl', 'stop', '-D', data, '-m', 'immediate', '-s').catch(() => {})
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
  }
}

async function isWritable(url: string): Promise<boolean> {
  const { rows } = await onServer((client) => client.query('select pg_is_in_recovery() as waits'), url)
  return rows[0]?.waits === false
}

async function giveAway(folder: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  await chown(folder, uid, gid)
  for (const entry of await readdir(folder, { recursive: true })) await chown(path.join(folder, entry), uid, gid)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
