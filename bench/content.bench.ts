import type { AddressInfo } from 'node:net'
import os from 'node:os'
import autocannon from 'autocannon'
import Fastify from 'fastify'
import pg from 'pg'
import { median, type Run } from '../scripts/measure.ts'
import { LIST } from '../src/modules/content/list-entries.ts'
import { GET_ENTRIES } from '../src/modules/content/queries.ts'
import { nameOf } from '../src/platform/database/hot.ts'
import { fillContent, filledId } from '../test/support/fill-content.ts'
import { createMake } from '../test/support/make.ts'
import { startApi } from '../test/support/start-api.ts'

export const title = 'Reading entries: Kontor against bare Fastify with the same SQL, and with ready text'

const CONNECTIONS = 32
const ENTRIES = 5_000
const READ = 500
const JSON_TYPE = 'application/json; charset=utf-8'

/** Side by side in one run, interleaved, all on this machine: the ratio is what counts. */
export async function run({ quick, note }: Run) {
  const api = await startApi()
  const make = createMake(api)
  const { id, db, path } = await make.business({ cell: 'main' })
  const guest = await make.guest()
  await fillContent(db, { businessId: id, entries: ENTRIES })
  const found = await Promise.all(
    Array.from({ length: READ }, async (_, index) => {
      const { status } = await guest.get(`${path}/entries/${filledId(index * 10 + 1)}`)
      return status === 200 ? [filledId(index * 10 + 1)] : [] // a draft is not there for guests
    }),
  )
  const ids = found.flat()
  const one = (await guest.get(`${path}/entries/${ids[0]}`)).text
  const list = (await guest.get(`${path}/entries`)).text
  note(`one: ${one.length} characters, a list of 20: ${list.length}`)

  const pool = new pg.Pool({ connectionString: api.databases.main.url, max: 2 * os.availableParallelism() + 4 })
  pool.on('error', () => {}) // a connection that is still closing when the database goes
  const bare = await startBare(pool, id, { one, list })
  const headers = { authorization: `Bearer ${guest.token}` }
  const pathsOf = (prefix: string) => ids.map((entry) => `${prefix}/${entry}`)
  const targets: Record<string, () => Promise<number>> = {
    'one: Kontor': () => load(api.url, pathsOf(`${path}/entries`), headers, quick),
    'one: bare Fastify + pg': () => load(bare.url, pathsOf('/one'), {}, quick),
    'one: bare Fastify, ready text': () => load(bare.url, ['/text/one'], {}, quick),
    'list 20: Kontor': () => load(api.url, [`${path}/entries`], headers, quick),
    'list 20: bare Fastify + pg': () => load(bare.url, ['/list'], {}, quick),
    'list 20: bare Fastify, ready text': () => load(bare.url, ['/text/list'], {}, quick),
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
    const aim = goal && { goal: `≥ ${goal}`, ok: value >= goal }
    return { name: `${what}: Kontor / ${other}`, value, unit: '×', ...aim }
  }
  return {
    figures: [
      ...Object.keys(targets).map((name) => ({ name, value: Math.round(rateOf(name)), unit: '/s' })),
      ratio('one', 'bare Fastify + pg', 0.8),
      ratio('list 20', 'bare Fastify + pg', 0.8),
      ratio('one', 'bare Fastify, ready text'),
      ratio('list 20', 'bare Fastify, ready text'),
    ],
  }
}

/** The least that a server can do: the same statements, no token, no access, no headers; or a text that is there already. */
async function startBare(pool: pg.Pool, businessId: string, ready: Record<string, string>) {
  const app = Fastify()
  const rows = async (text: string, values: unknown[]) =>
    (await pool.query<[unknown, string]>({ name: nameOf(text), text, values, rowMode: 'array' })).rows
  app.get<{ Params: { id: string } }>('/one/:id', async (request, reply) => {
    const [row] = await rows(GET_ENTRIES, [[businessId], [request.params.id]])
    return reply.header('content-type', JSON_TYPE).send(row?.[1])
  })
  app.get('/list', async (_request, reply) => {
    const page = await rows(LIST, [businessId, [], null, ['PUBLISHED'], 21, '~'])
    const items = page.slice(0, 20).map(([, document]) => document)
    return reply.header('content-type', JSON_TYPE).send(`{"items":[${items.join(',')}]}`)
  })
  app.get<{ Params: { what: string } }>('/text/:what', (request, reply) =>
    reply.header('content-type', JSON_TYPE).send(ready[request.params.what]),
  )
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
