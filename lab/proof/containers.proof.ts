import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bom } from '../../scripts/sbom.ts'
import { openBalancer } from '../../test/scenarios/balancer.ts'
import { freePort } from '../../test/scenarios/private-postgres.ts'
import { until } from '../../test/support/until.ts'
import { type Engine, NoEngine, openEngine } from '../containers/engine.ts'
import { buildImage, makeBase, makeDatabase } from '../containers/images.ts'
import { type Figure, none, type Run } from '../report/figures.ts'

export const title = 'The image, built and run by an engine: a sale, its rights, its end, a rolling restart'

const NETWORK = 'kontor-proof'
const LIMIT_MIB = 512
const HEAP_MIB = 320
const GRACE_SECONDS = 30
const CLIENTS = 4
const PASSWORD = 'seven tall ships at anchor'
const EMAIL = 'ada@example.com'
const APIS = ['api-1', 'api-2'] as const

export async function run({ quick, note }: Run) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kontor-containers-'))
  let engine: Engine | undefined
  try {
    engine = openEngine(folder, note)
    note(`podman ${engine.version}`)
    return await prove(engine, { folder, quick, note })
  } catch (error) {
    if (!(error instanceof NoEngine)) throw error
    note(`skipped: ${error.message}`)
    return { figures: [{ name: 'the image, run', value: null, unit: '', note: `skipped: ${error.message}` }] }
  } finally {
    await engine?.podman('rm', '-a', '-f', '-t', '0').catch((error: Error) => note(error.message))
    await engine?.podman('network', 'rm', '-f', NETWORK).catch(() => {})
    await engine?.podman('rmi', '-a', '-f').catch(() => {})
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

type Setting = Run & { folder: string }

async function prove(engine: Engine, { folder, quick, note }: Setting): Promise<{ figures: Figure[] }> {
  const { podman, feed } = engine
  const base = await makeBase(engine, folder)
  note('the base image is made')
  const database = await makeDatabase(engine, folder, base)
  const { image, seconds: buildSeconds, bytes } = await buildImage(engine, base)
  note(`the image is built in ${buildSeconds.toFixed(1)} s, ${Math.round(bytes / 1e6)} MB`)

  await podman('network', 'create', NETWORK)
  await podman('run', '-d', '--name', 'database', '--network', NETWORK, database)
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://kontor@database:5432/postgres',
    SECRET_KEY: randomBytes(32).toString('base64'),
    PUBLIC_URL: 'http://localhost:3000',
    RATE_LIMITS: 'off',
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
  }
  const settings = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const hardened = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']
  const common = ['--network', NETWORK, ...settings, ...hardened]
  const limits = ['--memory', `${LIMIT_MIB}m`, '--restart', 'on-failure']
  await until(
    'the database is migrated',
    () =>
      podman('run', '--rm', ...common, image, 'cli', 'migrate').then(
        () => true,
        () => false,
      ),
    { withinMs: 120_000, everyMs: 1_000 },
  )

  const urls = new Map<string, string>()
  const startUp: number[] = []
  for (const name of APIS) {
    const port = await freePort()
    urls.set(name, `http://127.0.0.1:${port}`)
    const since = performance.now()
    await podman('run', '-d', '--name', name, '-p', `127.0.0.1:${port}:3000`, ...common, ...limits, image, 'api')
    await ready(urls.get(name) ?? '')
    startUp.push((performance.now() - since) / 1000)
  }
  await podman('run', '-d', '--name', 'worker', ...common, ...limits, image, 'worker')

  const cli = (...words: string[]) => podman('exec', 'api-1', 'node', 'bin/kontor.js', 'cli', ...words)
  await feed(
    PASSWORD,
    'exec',
    '-i',
    'api-1',
    'node',
    'bin/kontor.js',
    'cli',
    'user',
    'create',
    '--email',
    EMAIL,
    '--confirmed',
  )
  const { id } = JSON.parse(
    await cli('business', 'create', '--name', 'Harbour Goods', '--owner', EMAIL, '--market', 'us', '--json'),
  ) as { id: string }
  const key = await cli('keys', 'create', '--user', EMAIL, '--business', id, '--name', 'Proof')
  const shop = await openShop(urls.get('api-1') ?? '', id, key)
  const sold = await shop.sell('first')
  note(`sold an order: ${sold}`)
  await until('the worker numbers its events', async () => (await shop.events()) > 0, { withinMs: 30_000 })

  const rights = await Promise.all([...APIS, 'worker'].map((name) => rightsIn(engine, name)))
  const wrongRights = rights.flat()
  for (const problem of wrongRights) note(problem)

  const before = await shop.events()
  await killWorker(engine)
  await shop.sell('after the worker was killed')
  await until('the worker is back, and numbers events', async () => (await shop.events()) > before, {
    withinMs: 60_000,
  })

  const rolled = await rollOver(engine, { urls, shop, rounds: quick ? 1 : 5, note })
  const memory = await Promise.all([...APIS, 'worker'].map((name) => peakMib(engine, name)))
  const missing = await missingInBom(engine, image)
  for (const name of missing.slice(0, 5)) note(`not in the bill of materials: ${name}`)
  const health = await healthOf(engine)

  const ends = []
  for (const name of [...APIS, 'worker']) ends.push({ name, ...(await stop(engine, name)) })
  for (const { name, seconds, code } of ends) note(`${name} ended with ${code} after ${seconds.toFixed(2)} s`)
  const longest = Math.max(...ends.map(({ seconds }) => seconds), ...rolled.stops)
  const unclean = ends.filter(({ code }) => code !== 0).length + rolled.unclean
  return {
    figures: [
      { name: 'building the image', value: buildSeconds, unit: 's' },
      { name: 'size of the image', value: Math.round(bytes / 1e6), unit: 'MB' },
      {
        name: 'from start to ready, longest',
        value: Math.max(...startUp),
        unit: 's',
        goal: '< 30',
        ok: Math.max(...startUp) < 30,
      },
      none('orders that could not be sold', sold.startsWith('ord_') ? 0 : 1),
      none('rights that a process has and does not need', wrongRights.length),
      none('health checks of the image that fail', health),
      { name: 'requests during rolling restarts', value: rolled.requests, unit: '' },
      none('of these lost', rolled.lost),
      { name: 'stopping, longest', value: longest, unit: 's', goal: `< ${GRACE_SECONDS}`, ok: longest < GRACE_SECONDS },
      none('processes that did not end well', unclean),
      {
        name: `memory at most, of ${LIMIT_MIB} MiB`,
        value: Math.max(...memory),
        unit: 'MiB',
        goal: `< ${LIMIT_MIB}`,
        ok: Math.max(...memory) < LIMIT_MIB,
      },
      none('packages in the image that its bill of materials lacks', missing.length),
    ],
  }
}

const ready = (url: string) =>
  until(
    `${url} is ready`,
    () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    { withinMs: 60_000, everyMs: 100 },
  )

type Shop = Awaited<ReturnType<typeof openShop>>

/** A business whose goods cost nothing, so that no payment provider is needed. */
async function openShop(url: string, id: string, key: string) {
  const send = async (method: string, to: string, body?: unknown, more: Record<string, string> = {}) => {
    const response = await fetch(to, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${to}: ${response.status} ${text.slice(0, 500)}`)
    return JSON.parse(text)
  }
  const shop = `${url}/v1/businesses/${id}`
  const { markets } = await send('GET', shop)
  for (const market of markets) for (const way of market.shippingMethods) way.price = 0
  await send('PUT', shop, { markets })
  const product = await send('POST', `${shop}/products`, {
    name: 'The harbour at night',
    statuses: [{ status: 'ACTIVE' }],
    variants: [
      {
        id: 'hardcover',
        sku: 'QB-1',
        pricing: { markets: [{ marketId: 'us', price: 0 }] },
        inventory: { quantity: 10_000 },
      },
    ],
  })
  const order = {
    market: 'us',
    shippingMethodId: markets[0].shippingMethods[0].id,
    items: [{ productId: product.id, variantId: 'hardcover', quantity: 1 }],
  }
  return {
    /** What a load asks for: a read or a sale, at whichever address. */
    visit: (at: string, turn: number, name: string) =>
      turn % 4 === 0
        ? send('POST', `${at}/v1/businesses/${id}/orders/checkout`, order, { 'idempotency-key': name })
        : send('GET', `${at}/v1/businesses/${id}/products/${product.id}`),
    sell: async (name: string): Promise<string> =>
      (await send('POST', `${shop}/orders/checkout`, order, { 'idempotency-key': name })).orderId,
    events: async (): Promise<number> => (await send('GET', `${shop}/events?limit=100`)).items.length,
  }
}

/** What a process may, as it sees it from inside. */
async function rightsIn({ podman }: Engine, name: string): Promise<string[]> {
  const script = `
    const fs = require('node:fs')
    const status = Object.fromEntries(fs.readFileSync('/proc/1/status', 'utf8').split('\\n').map((line) => line.split(':\\t')))
    let wrote = []
    for (const file of ['/app/x', '/x', '/usr/x', '/home/node/x']) try { fs.writeFileSync(file, ''); wrote.push(file) } catch {}
    console.log(JSON.stringify({ uid: status.Uid, caps: status.CapEff, bound: status.CapBnd, privs: status.NoNewPrivs, seccomp: status.Seccomp, wrote }))`
  const seen = JSON.parse(await podman('exec', name, 'node', '-e', script)) as Record<string, string> & {
    wrote: string[]
  }
  return [
    seen.uid?.startsWith('1000\t') ? '' : `${name} runs as ${seen.uid}`,
    Number.parseInt(seen.caps ?? '1', 16) === 0 ? '' : `${name} has capabilities: ${seen.caps}`,
    Number.parseInt(seen.bound ?? '1', 16) === 0 ? '' : `${name} can get capabilities: ${seen.bound}`,
    seen.privs === '1' ? '' : `${name} can get more rights`,
    seen.seccomp === '2' ? '' : `${name} may call anything of the kernel`,
    ...seen.wrote.map((file) => `${name} wrote ${file}`),
  ].filter((problem) => problem !== '')
}

/** As the system does it when there is no memory left, not as the engine does, which would not start it again. */
async function killWorker({ podman }: Engine): Promise<void> {
  const pid = Number(await podman('inspect', '--format', '{{.State.Pid}}', 'worker'))
  process.kill(pid, 'SIGKILL')
  await until(
    'the worker is started again',
    async () => {
      const [state, now] = (await podman('inspect', '--format', '{{.State.Status}} {{.State.Pid}}', 'worker')).split(
        ' ',
      )
      return state === 'running' && Number(now) !== pid
    },
    { withinMs: 30_000, everyMs: 200 },
  )
}

async function stop({ podman }: Engine, name: string): Promise<{ seconds: number; code: number }> {
  const since = performance.now()
  await podman('stop', '-t', String(GRACE_SECONDS), name)
  const seconds = (performance.now() - since) / 1000
  return { seconds, code: Number(await podman('inspect', '--format', '{{.State.ExitCode}}', name)) }
}

type Rolling = { urls: ReadonlyMap<string, string>; shop: Shop; rounds: number; note: Run['note'] }

/** One API after the other goes and comes back, while people read and buy through a balancer. */
async function rollOver(engine: Engine, { urls, shop, rounds, note }: Rolling) {
  const balancer = await openBalancer()
  const stops: number[] = []
  let [requests, lost, unclean, isOver] = [0, 0, 0, false]
  try {
    for (const url of urls.values()) balancer.add(url)
    await until('both are ready', () => balancer.ready() === urls.size, { withinMs: 30_000 })
    const visit = async (client: number) => {
      for (let turn = 0; !isOver; turn++) {
        requests++
        await shop.visit(balancer.url, turn, `${client}-${turn}`).catch((error: Error) => {
          lost++
          note(error.message)
        })
        await sleep(20)
      }
    }
    const clients = Array.from({ length: CLIENTS }, (_, client) => visit(client))
    for (let round = 0; round < rounds; round++)
      for (const [name, url] of urls) {
        const { seconds, code } = await stop(engine, name)
        stops.push(seconds)
        if (code !== 0) unclean++
        await engine.podman('start', name)
        await ready(url)
        await until('both get requests again', () => balancer.ready() === urls.size, { withinMs: 30_000 })
      }
    isOver = true
    await Promise.all(clients)
    return { requests, lost, unclean, stops }
  } finally {
    isOver = true
    await balancer.close()
  }
}

/** The most that its control group has had; with new ones, what it has now. */
async function peakMib({ podman }: Engine, name: string): Promise<number> {
  const script = `for file in /sys/fs/cgroup/memory/memory.max_usage_in_bytes /sys/fs/cgroup/memory.peak /sys/fs/cgroup/memory.current; do
    if [ -r $file ]; then cat $file; exit; fi; done; exit 1`
  return Math.round(Number(await podman('exec', name, 'bash', '-c', script)) / 2 ** 20)
}

/** What is really installed in the image, held against what it says of itself. */
async function missingInBom({ podman }: Engine, image: string): Promise<string[]> {
  const inside = (program: string, ...words: string[]) =>
    podman('run', '--rm', '--entrypoint', program, image, ...words)
  const { components } = JSON.parse(await inside('cat', 'sbom.cdx.json')) as Bom
  const named = new Set(components.map(({ name, version }) => `${name}@${version}`))
  const script = `
    const fs = require('node:fs')
    const found = fs.globSync('node_modules/**/package.json')
      .filter((file) => /node_modules\\/(@[^/]+\\/)?[^/]+\\/package\\.json$/.test(file))
      .map((file) => JSON.parse(fs.readFileSync(file)))
      .filter(({ name, version }) => name && version)
    console.log(JSON.stringify(found.map(({ name, version }) => name + '@' + version)))`
  return (JSON.parse(await inside('node', '-e', script)) as string[]).filter((name) => !named.has(name))
}

/** The engine's own question, asked once: without systemd podman does not ask by itself. */
async function healthOf({ podman }: Engine): Promise<number> {
  let failed = 0
  for (const name of [...APIS, 'worker']) await podman('healthcheck', 'run', name).catch(() => void failed++)
  return failed
}
