import Fastify from 'fastify'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import type { Run } from '../report/figures.ts'
import {
  bestFigures,
  clientCharts,
  clientTable,
  FASTIFY,
  JSON_TYPE,
  KONTOR,
  listen,
  load,
  openBarePool,
  PGBENCH,
  pgbench,
  ratio,
  takeTurns,
} from './support.ts'

export const title = 'What guarding, validating and documenting a route costs'

const READY = 'bare Fastify, ready text'
const WHAT = 'GET business'

/** Side by side in one run, interleaved: ready text, one row read anew each time, Kontor with its token and caches. */
export async function run(options: Run) {
  const api = await startApi()
  const { path, admin, id } = await createMake(api).business()
  const text = (await admin.get(path)).text

  const { url: databaseUrl } = api.databases.main
  const pool = openBarePool(databaseUrl)
  const bare = Fastify()
  bare.get('/text', (_request, reply) => reply.header('content-type', JSON_TYPE).send(text))
  bare.get('/row', async () => (await pool.query('select * from access.businesses where id = $1', [id])).rows[0])
  const url = await listen(bare)

  const headers = { authorization: `Bearer ${admin.token}` }
  const script = `select * from access.businesses where id = '${id}';\n`
  const contest = {
    [WHAT]: {
      [KONTOR]: (clients: number, seconds: number) =>
        load({ url: api.url, requests: [{ path }], headers, clients, seconds }),
      [FASTIFY]: (clients: number, seconds: number) => load({ url, requests: [{ path: '/row' }], clients, seconds }),
      [READY]: (clients: number, seconds: number) => load({ url, requests: [{ path: '/text' }], clients, seconds }),
      [PGBENCH]: (clients: number, seconds: number) => pgbench({ url: databaseUrl, script, clients, seconds }),
    },
  }
  const rates = await takeTurns(contest, { ...options, rounds: 5 })
  await bare.close()
  await pool.end()
  await api.close()
  return {
    figures: [
      ...bestFigures(rates, 'answers/s'),
      ...[FASTIFY, READY, PGBENCH].map((other) => ratio(rates, WHAT, other)),
    ],
    charts: clientCharts(rates, 'answers/s'),
    tables: [clientTable(rates, 'answers/s')],
  }
}
