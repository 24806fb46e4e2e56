import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const MAX_BYTES = 64 * 1024 * 1024
const PACKAGES = 'podman buildah runc debootstrap netavark aardvark-dns iptables'.split(' ')
const MAX_FILES = 20_000

/** Why there is no engine: the proof says so, and is skipped. */
export class NoEngine extends Error {}

export type Engine = {
  version: string
  /** Fails with what podman said. */
  podman(...words: string[]): Promise<string>
  /** With standard input. */
  feed(input: string | NodeJS.ReadableStream, ...words: string[]): Promise<string>
}

/**
 * Podman, with images, containers and settings in this folder and nowhere else. It needs root: a machine of its own, such as that of a
 * CI. On Debian it is installed if it is not there.
 */
export function openEngine(folder: string, note: (text: string) => void): Engine {
  if (process.getuid?.() !== 0) throw new NoEngine('containers are run as root here, and this is somebody else')
  if (!hasAll()) install(note)
  const env = { ...process.env, ...settingsIn(folder) }
  const asked = spawnSync('podman', ['version', '--format', '{{.Client.Version}}'], { encoding: 'utf8', env })
  if (asked.status !== 0) throw new NoEngine(`podman does not start: ${asked.stderr.trim()}`)
  const podman = async (...words: string[]) => {
    try {
      return (await run('podman', words, { env, maxBuffer: MAX_BYTES })).stdout.trim()
    } catch (error) {
      const { stderr, stdout } = error as { stderr: string; stdout: string }
      throw new Error(`podman ${words.slice(0, 3).join(' ')}: ${(stderr || stdout).trim().slice(-2_000)}`, {
        cause: error,
      })
    }
  }
  const feed = (input: string | NodeJS.ReadableStream, ...words: string[]) =>
    new Promise<string>((resolve, reject) => {
      const child = spawn('podman', words, { env, stdio: ['pipe', 'pipe', 'pipe'] })
      let [out, err] = ['', '']
      child.stdout.on('data', (text: Buffer) => void (out += text.toString()))
      child.stderr.on('data', (text: Buffer) => void (err += text.toString()))
      child.on('error', reject)
      child.on('close', (code) => (code === 0 ? resolve(out.trim()) : reject(new Error(`${words[0]}: ${err || out}`))))
      if (typeof input === 'string') child.stdin.end(input)
      else input.pipe(child.stdin)
    })
  return { version: asked.stdout.trim(), podman, feed }
}

const hasAll = () => ['podman', 'runc', 'debootstrap'].every((name) => spawnSync('which', [name]).status === 0)

function install(note: (text: string) => void): void {
  if (!existsSync('/etc/debian_version')) throw new NoEngine('podman, runc and debootstrap are not installed')
  note(`installing ${PACKAGES.join(', ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', ['update', '-q'], { env })
  const installed = spawnSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...PACKAGES], {
    encoding: 'utf8',
    env,
  })
  if (installed.status !== 0 || !hasAll())
    throw new NoEngine(`podman cannot be installed: ${(installed.stderr ?? '').trim().slice(-500)}`)
}

/**
 * Such that it runs in a small virtual machine, too: without the right to raise limits, with the control groups of before, and
 * without systemd.
 */
function settingsIn(folder: string): Record<string, string> {
  const file = (name: string) => path.join(folder, name)
  for (const name of ['images', 'run', 'tmp']) mkdirSync(file(name), { recursive: true })
  const files = Math.min(MAX_FILES, hardLimit('Max open files'))
  const processes = Math.min(32_768, hardLimit('Max processes'))
  writeFileSync(
    file('containers.conf'),
    `[containers]
default_ulimits = ["nofile=${files}:${files}", "nproc=${processes}:${processes}"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_config_dir = "${file('networks')}"
`,
  )
  writeFileSync(
    file('storage.conf'),
    `[storage]\ndriver = "overlay"\ngraphroot = "${file('images')}"\nrunroot = "${file('run')}"\n`,
  )
  return {
    CONTAINERS_CONF: file('containers.conf'),
    CONTAINERS_STORAGE_CONF: file('storage.conf'),
    TMPDIR: file('tmp'),
  }
}

function hardLimit(name: string): number {
  const line = readFileSync('/proc/self/limits', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(name))
  const hard = line?.slice(name.length).trim().split(/\s+/)[1]
  return hard === undefined || hard === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(hard)
}
