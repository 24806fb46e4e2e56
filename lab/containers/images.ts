import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { type Engine, NoEngine } from './engine.ts'

const SUITE = 'bookworm'
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/**
 * What `node:<version>-bookworm-slim` is made of, made here: Debian, Node, npm and the user `node`. A registry of images is not needed,
 * and what is tried is the same on every machine. Returns its name.
 */
export async function makeBase(engine: Engine, folder: string): Promise<string> {
  const root = mkdtempSync(path.join(folder, 'base-'))
  const made = spawnSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', SUITE, root], {
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new NoEngine(`debootstrap failed: ${(made.stdout ?? '').trim().slice(-500)}`)
  const within = (file: string) => path.join(root, file)
  const node = createRequire(import.meta.url).resolve('node/package.json')
  cpSync(path.join(path.dirname(node), 'bin/node'), within('usr/local/bin/node'))
  const npm = path.resolve(path.dirname(realpathSync(programOf('npm'))), '..')
  mkdirSync(within('usr/local/lib/node_modules'), { recursive: true })
  cpSync(npm, within('usr/local/lib/node_modules/npm'), { recursive: true, dereference: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', within('usr/local/bin/npm'))
  // Whom this machine trusts, and where it loads packages from: for the build, in an image that goes with the proof.
  if (existsSync(CERTIFICATES)) cpSync(CERTIFICATES, within(CERTIFICATES), { dereference: true })
  const registry = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim()
  mkdirSync(within('usr/local/etc'), { recursive: true })
  writeFileSync(within('usr/local/etc/npmrc'), `registry=${registry}\ncafile=${CERTIFICATES}\n`)
  const user = spawnSync('chroot', [root, 'useradd', '--uid', '1000', '--user-group', '--create-home', 'node'])
  if (user.status !== 0) throw new Error('useradd failed')
  rmSync(within('var/cache/apt/archives'), { recursive: true, force: true })
  const tar = spawn('tar', ['-C', root, '-c', '.'], { stdio: ['ignore', 'pipe', 'ignore'] })
  await engine.feed(tar.stdout, 'import', '--change', 'CMD ["node"]', '-', 'localhost/kontor-proof-base')
  rmSync(root, { recursive: true, force: true })
  return 'localhost/kontor-proof-base'
}

/** PostgreSQL as Debian has it, for containers that cannot reach another. */
export async function makeDatabase(engine: Engine, folder: string, base: string): Promise<string> {
  const context = mkdtempSync(path.join(folder, 'database-'))
  writeFileSync(
    path.join(context, 'start'),
    `#!/bin/sh
set -e
bin=$(dirname $(ls /usr/lib/postgresql/*/bin/initdb))
[ -d /var/lib/postgresql/data ] || $bin/initdb -D /var/lib/postgresql/data -U kontor --locale=C.UTF-8 -A trust >/dev/null
echo 'host all all all trust' >> /var/lib/postgresql/data/pg_hba.conf
exec $bin/postgres -D /var/lib/postgresql/data -c listen_addresses='*' -c max_connections=200 -c unix_socket_directories=
`,
    { mode: 0o755 },
  )
  writeFileSync(
    path.join(context, 'Dockerfile'),
    `FROM ${base}
RUN apt-get update -q && apt-get install -y -q --no-install-recommends postgresql && rm -rf /var/lib/postgresql/*
COPY start /start
USER postgres
CMD ["/start"]
`,
  )
  await engine.podman('build', '-q', '--format', 'docker', '-t', 'localhost/kontor-proof-database', context)
  return 'localhost/kontor-proof-database'
}

/** The image of this checkout. */
export async function buildImage(
  engine: Engine,
  base: string,
): Promise<{ image: string; seconds: number; bytes: number }> {
  const image = 'localhost/kontor-proof'
  const start = performance.now()
  await engine.podman('build', '-q', '--format', 'docker', '--build-arg', `NODE_IMAGE=${base}`, '-t', image, '.')
  const seconds = (performance.now() - start) / 1000
  return { image, seconds, bytes: Number(await engine.podman('image', 'inspect', '--format', '{{.Size}}', image)) }
}

function programOf(name: string): string {
  const found = spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim()
  if (!found) throw new NoEngine(`${name} is not there`)
  return found
}
