import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { SERVER_URL } from '../support/database.ts'
import { until } from '../support/until.ts'
import { freePort, serverUser } from './private-postgres.ts'

const PROGRAM = process.env.PGBOUNCER ?? '/usr/sbin/pgbouncer'

type Options = {
  /** The databases by the name under which PgBouncer offers them: where each of them really is. */
  databases: Record<string, string>
  settings?: Record<string, string | number>
}

/** A PgBouncer in transaction mode that lets everybody in by name. */
export async function openPgBouncer({ databases, settings = {} }: Options) {
  if (!existsSync(PROGRAM))
    throw new Error('These tests need PgBouncer (apt-get install pgbouncer). PGBOUNCER says where it is.')
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kontor-pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const users = path.join(folder, 'users.txt')
  writeFileSync(users, `"${decodeURIComponent(new URL(SERVER_URL).username)}" "${new URL(SERVER_URL).password}"\n`)
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: users,
    pool_mode: 'transaction',
    ...settings,
  }
  const file = path.join(folder, 'pgbouncer.ini')
  writeFileSync(file, ['[databases]', ...toLines(databases), '[pgbouncer]', ...toLines(all), ''].join('\n'))
  const bouncer: ChildProcess = spawn(PROGRAM, [file], { ...serverUser(), stdio: 'ignore' })
  await until('PgBouncer listens', () => listens(port))
  return {
    urlOf(name: string) {
      const url = new URL(SERVER_URL)
      url.host = `127.0.0.1:${port}`
      url.pathname = `/${name}`
      return url.href
    },
    async close() {
      const ended = once(bouncer, 'exit')
      if (bouncer.kill('SIGKILL')) await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const toLines = (settings: Record<string, string | number>) =>
  Object.entries(settings).map(([name, value]) => `${name} = ${value}`)

/** Where a database is, as PgBouncer wants to read it. */
export function placeOf(url: string, more = ''): string {
  const { hostname, port, pathname } = new URL(url)
  return `host=${hostname} port=${port || 5432} dbname=${pathname.slice(1)} ${more}`
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
