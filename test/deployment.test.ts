import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { type Config, ConfigError, loadConfig } from '#platform/config.ts'

const ROOT = path.join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

type Environment = Record<string, string | undefined>

/** As `docker run --env-file` reads it: everything after the first = is the value, quotes too. */
function readAsDocker(text: string): Environment {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

/** As the documentation says: set -a; . ./.env; set +a */
function readAsShell(text: string): Environment {
  const folder = mkdtempSync(path.join(tmpdir(), 'kontor-env-'))
  try {
    writeFileSync(path.join(folder, '.env'), text)
    const out = execFileSync('sh', ['-c', 'set -a; . ./.env; set +a; env -0'], {
      cwd: folder,
      env: {},
      encoding: 'utf8',
    })
    return Object.fromEntries(
      out.split('\0').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const example = read('.env.example')

test('whoever copies .env.example to a server runs in production, which asks for a SECRET_KEY', () => {
  assert.throws(
    () => loadConfig(readAsShell(example)),
    (error) =>
      error instanceof ConfigError &&
      error.problems.length === 1 &&
      Boolean(error.problems[0]?.startsWith('SECRET_KEY is required')),
  )
})

test('every setting of .env.example means the same to a shell, to docker run and to compose', () => {
  const all = example
    .replaceAll(/^#([A-Z_]+=)/gm, '$1')
    .replace(/^SECRET_KEY=$/m, `SECRET_KEY=${Buffer.alloc(32, 'x').toString('base64')}`)
    .replaceAll(/^((?:STRIPE|OIDC|TWILIO|AI|DKIM|S3)_\w+=)$/gm, (_line, name: string) =>
      /ISSUER|API_URL/.test(name) ? `${name}https://provider.example` : `${name}x`,
    )
  const [shell, docker, compose] = [readAsShell(all), readAsDocker(all), parseEnv(all) as Environment].map(loadConfig)
  assert.deepEqual(docker, shell)
  assert.deepEqual(compose, shell)
  assert.deepEqual(Object.keys((shell as Config).databases.cells), ['eu2'])
})

const compose = read('compose.yaml')
const [shared = '', services = ''] = compose.split(/^services:$/m)
/** What each service says, without what it takes from the shared part. */
const serviceOf = (name: string) => new RegExp(`^ {2}${name}:\\n((?: {4}.*\\n|\\n)+)`, 'm').exec(services)?.[1] ?? ''

test('compose builds each image once, however many services run it', () => {
  assert.doesNotMatch(shared, /^ *build:/m)
  const names = [...services.matchAll(/^ {2}(\w+):$/gm)].map(([, name = '']) => name)
  assert.deepEqual(names, ['database', 'migrate', 'api', 'worker', 'inbox', 'database', 'media'])
  assert.deepEqual(
    names.filter((name) => /^ {4}build:/m.test(serviceOf(name))),
    ['migrate', 'inbox'],
  )
})

test('compose offers ports on this machine only, and each of them can be changed', () => {
  const ports = [...services.matchAll(/^ {6}- (.+:\d+)$/gm)].map(([, port = '']) => port)
  assert.equal(ports.length, 2)
  for (const port of ports) assert.match(port, /^127\.0\.0\.1:\$\{[A-Z_]+_PORT:-\d+\}:\d+$/)
})

test('compose migrates again when the database was not there yet, and starts nothing before', () => {
  assert.match(serviceOf('migrate'), /^ {4}restart: on-failure/m)
  assert.match(serviceOf('api'), /migrate:\n +condition: service_completed_successfully/)
  assert.match(serviceOf('worker'), /depends_on: \*migrated/)
})

test('compose.yaml and its guide say which version of Compose they need', () => {
  for (const file of ['compose.yaml', 'docs/guides/self-hosting.md']) assert.match(read(file), /Compose 2\.24/, file)
})
