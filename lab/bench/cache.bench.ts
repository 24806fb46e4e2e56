import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKontor } from '../../packages/sdk/src/index.ts'
import { startChild } from '../../test/support/child.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { median, type Run } from '../report/figures.ts'
import { load } from './support.ts'

export const title = 'Public reads behind a cache (Varnish), and how soon a price change is through'

const PRODUCTS = 200
const CLIENTS = 64
const CHANGES = 20

/**
 * Keeps what the service says may be kept, and drops what has a tag. Answers to a purge only to this machine. Tags are
 * between commas, so that one is never a part of another.
 */
const VCL = (port: number) => `
vcl 4.1;
backend service { .host = "127.0.0.1"; .port = "${port}"; }
acl here { "127.0.0.1"; }
sub vcl_recv {
  if (req.method == "PURGE") {
    if (client.ip !~ here) { return (synth(405)); }
    ban("obj.http.x-tags ~ ," + req.http.x-tag + ",");
    return (synth(200));
  }
  unset req.http.cookie;
  unset req.http.authorization;
}
sub vcl_backend_response { set beresp.http.x-tags = "," + beresp.http.cache-tag + ","; }
sub vcl_deliver { unset resp.http.x-tags; }
`

export async function run({ quick, note }: Run) {
  const varnishd = ['/usr/sbin/varnishd', '/usr/local/sbin/varnishd'].find((file) => existsSync(file))
  if (!varnishd)
    return { figures: [{ name: 'behind a cache', value: null, unit: '', note: 'Varnish is not installed here' }] }
  const api = await startApi()
  const worker = await startChild('worker', api.databases.env) // numbers the events
  const make = createMake(api)
  const shop = await make.shop({ cell: 'main' })
  await shop.admin.put(shop.path, { storefront: { isPublic: true } })
  const ids: string[] = []
  for (let count = 0; count < PRODUCTS; count++)
    ids.push((await make.product(shop, { name: `Product ${count}`, category: `shelf-${count % 10}` })).id)
  const window = `/v1/storefront/${shop.id}/products`
  const cache = await startVarnish(varnishd, Number(new URL(api.url).port))
  const following = new AbortController()
  try {
    // A crowd: mostly products, some category pages and facets.
    const paths = [
      ...ids.map((id) => `${window}/${id}?market=us`),
      ...Array.from({ length: 10 }, (_, shelf) => `${window}?market=us&sort=price&category=shelf-${shelf}`),
      ...Array.from({ length: 10 }, (_, shelf) => `${window}/facets?facets=price&market=us&category=shelf-${shelf}`),
    ]
    const requests = paths.map((address) => ({ path: address }))
    const seconds = quick ? 2 : 5
    const crowd = (url: string) => load({ url, requests, headers: {}, clients: CLIENTS, seconds })
    const rounds: { direct: number; cached: number; share: number }[] = []
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      const direct = await crowd(api.url)
      const before = await cache.counts()
      const cached = await crowd(cache.url)
      const after = await cache.counts()
      const hits = after.hits - before.hits
      rounds.push({ direct, cached, share: (100 * hits) / (hits + after.misses - before.misses) })
    }

    // A price is changed; somebody who follows the feed drops what the event names; a stranger looks until it is there.
    const staff = createKontor({
      baseUrl: api.url,
      businessId: shop.id,
      apiKey: (await make.apiKey(shop.admin.id)).value,
    })
    const purging = purge(staff, cache.url, shop.id, following.signal)
    const taken: number[] = []
    for (let change = 0; change < (quick ? 3 : CHANGES); change++) {
      const id = ids[change * 7] as string
      const watched = [`${window}/${id}?market=us`, `${window}?market=us&category=shelf-${(change * 7) % 10}&limit=100`]
      for (const address of watched) await (await fetch(cache.url + address)).text() // kept from now on
      const price = 20_000 + change
      await shop.admin.put(`${shop.products}/${id}/variants/one/prices/us`, { price })
      const since = performance.now()
      for (const address of watched)
        while (!(await (await fetch(cache.url + address)).text()).includes(`"price":${price}`)) await sleep(20)
      taken.push(performance.now() - since)
    }
    following.abort()
    await purging
    const slowest = Math.max(...taken) / 1_000
    note(`seen after ${taken.map((ms) => Math.round(ms)).join(', ')} ms`)
    const of = (value: (round: (typeof rounds)[number]) => number) => Math.round(median(rounds.map(value)))
    return {
      figures: [
        { name: 'without a cache', value: of(({ direct }) => direct), unit: '/s' },
        { name: 'behind the cache', value: of(({ cached }) => cached), unit: '/s' },
        { name: 'served by the cache', value: median(rounds.map(({ share }) => share)), unit: '%' },
        { name: 'price changes', value: taken.length, unit: '' },
        { name: 'a new price is seen after, median', value: median(taken) / 1_000, unit: 's' },
        { name: 'a new price is seen after, longest', value: slowest, unit: 's', goal: '≤ 2', ok: slowest <= 2 },
      ],
    }
  } finally {
    following.abort()
    await cache.close()
    await worker.kill()
    await api.close()
  }
}

/** What a shop runs beside its cache: the tags of a change are those of the answers that it makes old. */
async function purge(
  kontor: ReturnType<typeof createKontor>,
  url: string,
  businessId: string,
  signal: AbortSignal,
): Promise<void> {
  const drop = (tag: string) => fetch(url, { method: 'PURGE', headers: { 'x-tag': tag } })
  try {
    for await (const { subject, type } of kontor.events.stream({ after: 0 }, { signal })) {
      await drop(subject)
      if (type.startsWith('product.')) await drop(`${businessId}:products`)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function startVarnish(program: string, servicePort: number) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kontor-varnish-'))
  const file = path.join(folder, 'shop.vcl')
  writeFileSync(file, VCL(servicePort))
  const port = await freePort()
  const child = spawn(
    program,
    ['-F', '-n', folder, '-f', file, '-a', `127.0.0.1:${port}`, '-s', 'malloc,256m', '-j', 'none'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries++) {
    const isUp = await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) break
    if (tries > 100 || child.exitCode !== null) throw new Error('Varnish does not start.')
    await sleep(100)
  }
  async function counts() {
    const stat = spawn('varnishstat', ['-n', folder, '-1', '-f', 'MAIN.cache_hit', '-f', 'MAIN.cache_miss'])
    let text = ''
    stat.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await once(stat, 'close')
    const valueOf = (name: string) => Number(new RegExp(`${name}\\s+(\\d+)`).exec(text)?.[1] ?? 0)
    return { hits: valueOf('MAIN.cache_hit'), misses: valueOf('MAIN.cache_miss') }
  }
  async function close() {
    child.kill()
    if (child.exitCode === null) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  return { url, counts, close }
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
