import Fastify from 'fastify'
import type pg from 'pg'
import { LIST } from '../../src/modules/content/entries/list-entries.ts'
import { GET_ENTRIES } from '../../src/modules/content/queries.ts'
import { fillContent, filledId } from '../../test/scenarios/fill-content.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import type { Run } from '../report/figures.ts'
import {
  bestFigures,
  type Contest,
  clientCharts,
  clientTable,
  FASTIFY,
  inline,
  JSON_TYPE,
  KONTOR,
  listen,
  load,
  nameOf,
  openBarePool,
  PGBENCH,
  pgbench,
  ratio,
  takeTurns,
} from './support.ts'

export const title = 'Reading entries: Kontor, bare Fastify with the same SQL and with ready text, and pgbench'

const READY = 'bare Fastify, ready text'
const ENTRIES = 5_000
const READ = 500

/** Side by side in one run, interleaved, all on this machine: the ratio is what counts. */
export async function run(options: Run) {
  const { note } = options
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

  const { url: databaseUrl } = api.databases.main
  const pool = openBarePool(databaseUrl)
  const bare = await startBare(pool, id, { one, list })
  const headers = { authorization: `Bearer ${guest.token}` }
  const get = (url: string, paths: string[], headers = {}) => {
    const requests = paths.map((path) => ({ path }))
    return (clients: number, seconds: number) => load({ url, requests, headers, clients, seconds })
  }
  const say = (text: string, values: unknown[]) => (clients: number, seconds: number) =>
    pgbench({ url: databaseUrl, script: inline({ text, values }), clients, seconds })
  const pathsOf = (prefix: string) => ids.map((entry) => `${prefix}/${entry}`)
  const contest: Contest = {
    one: {
      [KONTOR]: get(api.url, pathsOf(`${path}/entries`), headers),
      [FASTIFY]: get(bare.url, pathsOf('/one')),
      [READY]: get(bare.url, ['/text/one']),
      [PGBENCH]: say(GET_ENTRIES, [[id], [ids[7]]]),
    },
    'list 20': {
      [KONTOR]: get(api.url, [`${path}/entries`], headers),
      [FASTIFY]: get(bare.url, ['/list']),
      [READY]: get(bare.url, ['/text/list']),
      [PGBENCH]: say(LIST, [id, [], null, ['PUBLISHED'], 21, '~']),
    },
  }
  const rates = await takeTurns(contest, options)
  await bare.close()
  await pool.end()
  await api.close()
  return {
    figures: [
      ...bestFigures(rates, '/s'),
      ratio(rates, 'one', FASTIFY, 0.8),
      ratio(rates, 'list 20', FASTIFY, 0.8),
      ...[READY, PGBENCH].flatMap((other) => ['one', 'list 20'].map((what) => ratio(rates, what, other))),
    ],
    charts: clientCharts(rates, 'answers/s'),
    tables: [clientTable(rates, 'answers/s')],
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
  return { url: await listen(app), close: () => app.close() }
}
