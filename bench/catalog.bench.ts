import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import autocannon from 'autocannon'
import Fastify from 'fastify'
import pg from 'pg'
import { median, type Run } from '../scripts/measure.ts'
import { fillStock } from '../src/modules/catalog/document.ts'
import { GET_PRODUCTS, LIST } from '../src/modules/catalog/queries.ts'
import { nameOf } from '../src/platform/database/hot.ts'
import { createMake } from '../test/support/make.ts'
import { startApi } from '../test/support/start-api.ts'

export const title = 'Reading products: Kontor against bare Fastify with the same SQL, and against pgbench'

const CONNECTIONS = 32
const PRODUCTS = 500
const JSON_TYPE = 'application/json; charset=utf-8'

/** Side by side in one run, interleaved, all on this machine: the ratio is what counts. */
export async function run({ quick, note }: Run) {
  const api = await startApi()
  const make = createMake(api)
  const shop = await make.shop({ cell: 'main' })
  const guest = await make.guest()
  const ids: string[] = []
  for (let index = 0; index < PRODUCTS; index++) ids.push((await make.product(shop, exampleProduct(index))).id)
  note(`${PRODUCTS} products of ${(await guest.get(`${shop.products}/${ids[0]}`)).text.length} characters`)

  const pool = new pg.Pool({ connectionString: api.databases.main.url, max: 2 * os.availableParallelism() + 4 })
  const bare = await startBare(pool, shop.id)
  const headers = { authorization: `Bearer ${guest.token}` }
  const targets: Record<string, Measure> = {
    'one: Kontor': () =>
      load(
        api.url,
        ids.map((id) => `${shop.products}/${id}`),
        headers,
        quick,
      ),
    'one: bare Fastify + pg': () =>
      load(
        bare.url,
        ids.map((id) => `/one/${id}`),
        {},
        quick,
      ),
    'one: pgbench': () => pgbench(api.databases.main.url, GET_PRODUCTS, [`{${shop.id}}`, `{${ids[7]}}`], quick),
    'list 20: Kontor': () => load(api.url, [shop.products], headers, quick),
    'list 20: bare Fastify + pg': () => load(bare.url, ['/list'], {}, quick),
    'list 20: pgbench': () => pgbench(api.databases.main.url, LIST, [shop.id, '{ACTIVE}', '21', '~'], quick),
  }
  const rates = new Map<string, number[]>(Object.keys(targets).map((name) => [name, []]))
  const rounds = quick ? 2 : 5
  for (let round = 0; round <= rounds; round++) {
    for (const [name, measure] of Object.entries(targets)) {
      const rate = await measure()
      if (round > 0) rates.get(name)?.push(rate) // the first round is for warming up
    }
    note(`round ${round} of ${rounds}`)
  }
  await bare.close()
  await pool.end()
  await api.close()

  const rateOf = (name: string) => median(rates.get(name) ?? [])
  const ratio = (what: string, other: string, goal?: number) => {
    const value = rateOf(`${what}: Kontor`) / rateOf(`${what}: ${other}`)
    return {
      name: `${what}: Kontor / ${other}`,
      value,
      unit: '×',
      ...(goal && { goal: `≥ ${goal}`, ok: value >= goal }),
    }
  }
  return {
    figures: [
      ...Object.keys(targets).map((name) => ({ name, value: Math.round(rateOf(name)), unit: '/s' })),
      ratio('one', 'bare Fastify + pg', 0.8),
      ratio('list 20', 'bare Fastify + pg', 0.8),
      ratio('one', 'pgbench'),
      ratio('list 20', 'pgbench'),
    ],
  }
}

type Measure = () => Promise<number>

/** The least that a server can do: the same statements, the stock put in, no token, no access, no headers. */
async function startBare(pool: pg.Pool, businessId: string) {
  const app = Fastify()
  const rows = async (text: string, values: unknown[]) =>
    (await pool.query<[string, string, string | null]>({ name: nameOf(text), text, values, rowMode: 'array' })).rows
  app.get<{ Params: { id: string } }>('/one/:id', async (request, reply) => {
    const [row] = await rows(GET_PRODUCTS, [[businessId], [request.params.id]])
    return reply.header('content-type', JSON_TYPE).send(row && fillStock(row[1], row[2]))
  })
  app.get('/list', async (_request, reply) => {
    const page = (await rows(LIST, [businessId, ['ACTIVE'], 21, '~'])) as unknown as [string, string | null][]
    const texts = page.slice(0, 20).map(([document, stock]) => fillStock(document, stock))
    return reply.header('content-type', JSON_TYPE).send(`{"items":[${texts.join(',')}]}`)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  return { url, close: () => app.close() }
}

async function load(url: string, paths: string[], headers: Record<string, string>, quick: boolean) {
  const { requests, non2xx, errors } = await autocannon({
    url,
    headers,
    connections: CONNECTIONS,
    duration: quick ? 1 : 3,
    requests: paths.map((path) => ({ path })),
    workers: 1, // in a thread of its own: the server's loop is the server's
  })
  if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx} refused, ${errors} failed`)
  return requests.average
}

/** Transactions a second of one statement, prepared, by as many clients as the pool has connections. */
async function pgbench(url: string, statement: string, values: string[], quick: boolean): Promise<number> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'kontor-pgbench-'))
  const file = path.join(directory, 'statement.sql')
  const text = values.reduce((sql, value, index) => sql.replaceAll(`$${index + 1}`, `'${value}'`), statement)
  writeFileSync(file, `${text.replaceAll(/\s+/g, ' ').trim()};\n`)
  const clients = String(2 * os.availableParallelism() + 4)
  const args = ['-n', '-M', 'prepared', '-c', clients, '-j', '2', '-T', quick ? '1' : '3', '-f', file, url]
  const { stdout, stderr } = spawnSync(findPgbench(), args, { encoding: 'utf8' })
  rmSync(directory, { recursive: true })
  const rate = /tps = ([\d.]+)/.exec(stdout)?.[1]
  if (!rate) throw new Error(`pgbench: ${stderr}`)
  return Number(rate)
}

/** Debian keeps it beside the server, not on the PATH. */
function findPgbench(): string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => `${root}/${version}/bin/pgbench`).find((file) => existsSync(file)) ?? 'pgbench'
}

const exampleProduct = (index: number) => ({
  name: `Linen shirt ${index}`,
  category: 'shirts',
  description: 'Woven from long-staple linen, washed twice, with mother-of-pearl buttons and a straight hem. '.repeat(
    6,
  ),
  gallery: [1, 2, 3].map((n) => ({
    url: `https://cdn.example.com/linen-shirt-${index}-${n}.jpg`,
    mimeType: 'image/jpeg',
  })),
  variants: ['S', 'M', 'L', 'XL'].map((size, position) => ({
    id: size.toLowerCase(),
    name: `Size ${size}`,
    sku: `LS-${index}-${size}`,
    attributes: [
      { name: 'Size', value: size },
      { name: 'Colour', value: 'Natural' },
    ],
    pricing: {
      markets: [
        { marketId: 'us', price: 4900 + position, compareAtPrice: 5900 },
        { marketId: 'de', price: 4500 },
      ],
    },
    inventory: { tracked: true, quantity: 50 + position, lowStockThreshold: 5 },
  })),
})
