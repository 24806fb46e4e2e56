import type { AddressInfo } from 'node:net'
import autocannon from 'autocannon'
import Fastify from 'fastify'
import pg from 'pg'
import { median, type Run } from '../scripts/measure.ts'
import { createMake } from '../test/support/make.ts'
import { startApi } from '../test/support/start-api.ts'

export const title = 'What guarding, validating and documenting a route costs'

const CONNECTIONS = 32

/** Side by side in one run, interleaved: bare Fastify with ready text, bare Fastify reading one row, Kontor with token and caches. */
export async function run({ quick, note }: Run) {
  const api = await startApi()
  const { path, admin, id } = await createMake(api).business()
  const text = (await admin.get(path)).text

  const pool = new pg.Pool({ connectionString: api.databases.main.url, max: 8 })
  const bare = Fastify()
  bare.get('/text', (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(text))
  bare.get('/row', async () => (await pool.query('select * from access.businesses where id = $1', [id])).rows[0])
  await bare.listen({ port: 0, host: '127.0.0.1' })
  const bareUrl = `http://127.0.0.1:${(bare.server.address() as AddressInfo).port}`

  const targets = {
    'bare Fastify, ready text': { url: `${bareUrl}/text` },
    'bare Fastify + pg, one row': { url: `${bareUrl}/row` },
    'Kontor, GET business': { url: api.url + path, headers: { authorization: `Bearer ${admin.token}` } },
  }
  const rates = new Map<string, number[]>(Object.keys(targets).map((name) => [name, []]))
  const rounds = quick ? 2 : 5
  for (let round = 0; round <= rounds; round++) {
    for (const [name, target] of Object.entries(targets)) {
      const { requests, non2xx, errors } = await autocannon({
        ...target,
        connections: CONNECTIONS,
        duration: quick ? 1 : 3,
        workers: 1,
      })
      if (non2xx > 0 || errors > 0) throw new Error(`${name}: ${non2xx} refused, ${errors} failed`)
      if (round > 0) rates.get(name)?.push(requests.average) // the first round is for warming up
    }
    note(`round ${round} of ${rounds}`)
  }
  await bare.close()
  await pool.end()
  await api.close()

  const rateOf = (name: string) => median(rates.get(name) ?? [])
  const kontor = rateOf('Kontor, GET business')
  return {
    figures: [
      ...Object.keys(targets).map((name) => ({ name, value: Math.round(rateOf(name)), unit: 'requests/s' })),
      { name: 'Kontor / bare Fastify, ready text', value: kontor / rateOf('bare Fastify, ready text'), unit: '×' },
      { name: 'Kontor / bare Fastify + pg', value: kontor / rateOf('bare Fastify + pg, one row'), unit: '×' },
    ],
  }
}
