import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import pg from 'pg'
import { freePort } from '../../dev/ports.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const MAX_MS = 90_000

// PostgreSQL runs as another user when we are root, and has to get there.
const folder = mkdtempSync(path.join(tmpdir(), 'kontor-dev-'))
chmodSync(folder, 0o755)

let current: ChildProcess | undefined
after(async () => {
  // A test that failed halfway: its server is ended by the next start, which there is none of here.
  if (current?.exitCode === null && current.signalCode === null) {
    current.kill('SIGTERM')
    await once(current, 'exit', { signal: AbortSignal.timeout(30_000) })
  }
  rmSync(folder, { recursive: true, force: true })
})

async function startDev(...args: string[]) {
  const port = await freePort(26_000)
  const child = spawn(process.execPath, ['dev/run.ts', ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', KONTOR_DEV_DIR: folder, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  current = child
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  const until = performance.now() + MAX_MS
  while (!output.includes('stops all of it')) {
    assert.ok(child.exitCode === null && performance.now() < until, output)
    await sleep(50)
  }
  return { child, output: () => output, settings: parseEnv(readFileSync(path.join(folder, 'dev.env'), 'utf8')) }
}

/** Those that have the folder in their arguments or in their environment. */
function processesOf(): string[] {
  const all = execFileSync('ps', ['axeww', '-o', 'pid=,stat=,command='], { encoding: 'utf8', maxBuffer: 50_000_000 })
  return all
    .split('\n')
    .filter((line) => line.includes(folder) && !line.includes('ps axeww') && !/^\s*\d+ Z/.test(line))
    .map((line) => line.slice(0, 150))
}

/** The commands of the block, as somebody copies them. */
function commandsIn(output: string): string[] {
  const [, tries = ''] = output.split('Try:\n')
  return tries
    .split(/^# .*$/m)
    .slice(1)
    .map((text) => text.split('\n\n')[0] ?? '')
}

test('npm run dev starts all there is, and says so in lines that work when pasted', async () => {
  const { output, settings } = await startDev()
  for (const line of output().split('\n')) assert.ok(line.length <= 100, `${line.length} columns: ${line}`)

  const commands = commandsIn(output())
  assert.equal(commands.length, 3, output())
  for (const command of commands) {
    const { stdout } = spawnSync('bash', ['-c', command.replace(/curl/, 'curl -s -o /dev/null -w "%{http_code}"')], {
      encoding: 'utf8',
      timeout: 20_000,
    })
    assert.match(stdout, /^2\d\d$/, command)
  }

  const registered = await fetch(`${settings.KONTOR_URL}/v1/users/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'EMAIL_REGISTER', email: 'ada@example.com', password: 'harbour lantern teapot' }),
  })
  assert.ok(registered.ok, await registered.text())
  const mail = await mailTo(settings.KONTOR_INBOX_URL ?? '', 'ada@example.com')
  assert.match(mail.subject, /confirm/i)

  const second = spawnSync(process.execPath, ['dev/run.ts'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', KONTOR_DEV_DIR: folder },
    encoding: 'utf8',
    timeout: 20_000,
  })
  assert.equal(second.status, 1)
  assert.match(second.stderr, /Another npm run dev is running/)

  const { DATABASE_URL: _, NODE_ENV: _mode, ...env } = process.env
  const cli = spawnSync(process.execPath, ['bin/kontor.js', 'cli', 'migrate'], {
    cwd: ROOT,
    env: { ...env, KONTOR_DEV_DIR: folder },
    encoding: 'utf8',
    timeout: 30_000,
  })
  assert.equal(cli.status, 0, cli.stderr)
  assert.match(cli.stderr, /Using the database of npm run dev/)
})

test('a database from before the first release is kept under another name, and an empty one gets the same account and key', async () => {
  const before = parseEnv(readFileSync(path.join(folder, 'dev.env'), 'utf8'))
  const client = new pg.Client({ connectionString: before.DATABASE_URL })
  await client.connect()
  await client.query("insert into cell.migrations (name, checksum) values ('0064a_older.sql', '')")
  await client.end()
  current?.kill('SIGINT')
  await once(current as ChildProcess, 'exit', { signal: AbortSignal.timeout(20_000) })
  const { output, settings } = await startDev()
  assert.match(
    output(),
    /created before the first release and cannot be updated\. It was renamed to kontor_until_\d+\./,
  )
  assert.equal(settings.KONTOR_API_KEY, before.KONTOR_API_KEY)
})

test('killed, it starts again with the same account and key; Ctrl-C leaves nothing behind', async () => {
  const before = parseEnv(readFileSync(path.join(folder, 'dev.env'), 'utf8'))
  current?.kill('SIGKILL')
  const { child, output, settings } = await startDev()
  assert.equal(settings.KONTOR_API_KEY, before.KONTOR_API_KEY)
  const me = await fetch(`${settings.KONTOR_URL}/v1/users/me`, {
    headers: { 'x-api-key': settings.KONTOR_API_KEY ?? '' },
  })
  assert.equal(me.status, 200)
  assert.ok(processesOf().length > 3)

  child.kill('SIGINT')
  const [code] = await once(child, 'exit', { signal: AbortSignal.timeout(20_000) })
  assert.equal(code, 0, output())
  assert.deepEqual(processesOf(), [])
})

async function mailTo(inbox: string, address: string): Promise<{ subject: string }> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(`${inbox}/api/messages?q=${encodeURIComponent(address)}`)
    const [mail] = (await answer.json()) as { subject: string }[]
    if (mail) return mail
    await sleep(100)
  }
  throw new Error(`No mail came for ${address}`)
}
