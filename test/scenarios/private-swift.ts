import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { freePort } from './private-postgres.ts'

const MAX_START_MS = 60_000
/** Debian's, which has its packages; another one may come first on the PATH. */
const PYTHON = process.env.SWIFT_PYTHON ?? '/usr/bin/python3'
const REGION = 'us-east-1'
const BUCKET = 'media'
const USER = 'kontor:media'
const SECRET = 'only-on-loopback'
const SERVERS = ['account', 'container', 'object', 'proxy'] as const
type Server = (typeof SERVERS)[number]

/** Its settings are in a folder of ours, not in /etc. */
const START = `
import sys
from swift.common.utils import set_swift_dir
set_swift_dir(sys.argv[1])
from swift.common.wsgi import run_wsgi
sys.exit(run_wsgi(sys.argv[2], sys.argv[3]))
`
const MAKE_RING = `
import sys
from swift.common.ring import RingBuilder
file, port = sys.argv[1], int(sys.argv[2])
builder = RingBuilder(2, 1, 0)
builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': port, 'device': 'disk', 'weight': 1})
builder.rebalance()
builder.get_ring().save(file)
`

export const INSTALL_SWIFT = 'apt-get install python3-swift (Debian), or SWIFT_PYTHON=<a Python that has it>'

/** The version of OpenStack Swift that is installed; undefined: there is none. */
export function findSwift(): string | undefined {
  const asked = spawnSync(PYTHON, ['-c', 'import swift; print(swift.__version__)'], { encoding: 'utf8' })
  return asked.status === 0 ? asked.stdout.trim() : undefined
}

/** OpenStack Swift with its S3 API on loopback, in a temporary folder that is gone when it ends; one bucket. */
export async function openPrivateSwift() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kontor-swift-'))
  const disks = path.join(folder, 'disks')
  mkdirSync(path.join(disks, 'disk'), { recursive: true })
  const ports = {} as Record<Server, number>
  for (const server of SERVERS) ports[server] = await freePort()
  writeFileSync(path.join(folder, 'swift.conf'), SWIFT_CONF)
  const running: ChildProcess[] = []
  let said = ''
  for (const server of SERVERS) {
    const file = path.join(folder, `${server}-server.conf`)
    writeFileSync(file, confOf(server, ports[server], { folder, disks }))
    if (server !== 'proxy') {
      const ring = path.join(folder, `${server}.ring.gz`)
      const made = spawnSync(PYTHON, ['-c', MAKE_RING, ring, String(ports[server])], { encoding: 'utf8' })
      if (made.status !== 0) throw new Error(`The ring of Swift could not be made: ${made.stderr}`)
    }
    const child = spawn(PYTHON, ['-c', START, folder, file, `${server}-server`], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-10_000)
      })
    running.push(child)
  }

  async function close(): Promise<void> {
    await Promise.all(
      running.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }),
    )
    rmSync(folder, { recursive: true, force: true })
  }

  const url = `http://127.0.0.1:${ports.proxy}`
  const env = {
    S3_ENDPOINT: url,
    S3_REGION: REGION,
    S3_BUCKET: BUCKET,
    S3_ACCESS_KEY_ID: USER,
    S3_SECRET_ACCESS_KEY: SECRET,
  }
  try {
    await createBucket(env, () => said)
  } catch (error) {
    await close()
    throw error
  }
  return { url, env, close }
}

/** As soon as all of its servers answer. */
async function createBucket(env: Record<'S3_ENDPOINT', string>, said: () => string): Promise<void> {
  const client = new S3Client({
    endpoint: env.S3_ENDPOINT,
    region: REGION,
    forcePathStyle: true,
    credentials: { accessKeyId: USER, secretAccessKey: SECRET },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    maxAttempts: 1,
  })
  const deadline = performance.now() + MAX_START_MS
  for (;;) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: BUCKET }))
      break
    } catch (error) {
      if (performance.now() > deadline)
        throw new Error(`Swift did not start within ${MAX_START_MS} ms: ${said()}`, { cause: error })
      await sleep(200)
    }
  }
  client.destroy()
}

const SWIFT_CONF = `[swift-hash]
swift_hash_path_prefix = kontor
swift_hash_path_suffix = kontor

[storage-policy:0]
name = one
default = yes
`

type Places = { folder: string; disks: string }

function confOf(server: Server, port: number, { folder, disks }: Places): string {
  const common = `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${os.userInfo().username}
swift_dir = ${folder}
devices = ${disks}
mount_check = false
fallocate_reserve = 0
log_level = WARNING
log_address = ${path.join(folder, 'no-log')}
`
  if (server !== 'proxy')
    return `${common}
[pipeline:main]
pipeline = ${server}-server

[app:${server}-server]
use = egg:swift#${server}
`
  return `${common}
[pipeline:main]
pipeline = catch_errors cache s3api tempauth dlo slo proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:cache]
use = egg:swift#memcache
memcache_servers =

[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = ${REGION}

[filter:tempauth]
use = egg:swift#tempauth
user_kontor_media = ${SECRET} .admin

[filter:dlo]
use = egg:swift#dlo

[filter:slo]
use = egg:swift#slo
`
}
