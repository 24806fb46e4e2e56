import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { wakeForgotten } from '#modules/webhooks/hold-feeds.ts'
import type { Db } from '#platform/database/database.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { startChild } from '../../test/support/child.ts'
import { onServer } from '../../test/support/database.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { until } from '../../test/support/until.ts'
import { type Figure, median, none, percentile, type Run, sizeOf } from '../report/figures.ts'

export const title = 'Is every event delivered, in order, beside broken receivers and killed workers?'

const MANY_MS = 3_600_000
const ENDPOINTS = 1_000
const BUSINESSES = 500
const IDLE = 100_000
const ROUND_MS = 2_000
const PARTS = 20
const LOOPBACK = { OUTGOING_LOOPBACK: 'on' }

type Arrival = { number: number; at: number; occurredMs: number }

/** All receivers in one: the path says which endpoint is meant. Those that are broken answer 500, redirect, or never. */
async function startReceivers() {
  const first = new Map<string, Map<number, Arrival>>()
  const state = { requests: 0, repeated: 0, toBroken: 0 }
  const hanging = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const [, kind = '', endpoint = ''] = (request.url ?? '').split('/')
      if (kind !== 'healthy') {
        state.toBroken++
        if (kind === 'hangs') return void hanging.add(response)
        return void response.writeHead(kind === 'redirects' ? 302 : 500, { location: '/' }).end()
      }
      const { number, data } = JSON.parse(Buffer.concat(chunks).toString()) as { number: number; data: { ms: number } }
      const seen = first.get(endpoint) ?? new Map<number, Arrival>()
      first.set(endpoint, seen)
      state.requests++
      if (seen.has(number)) state.repeated++
      else seen.set(number, { number, at: Date.now(), occurredMs: data.ms })
      response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    first,
    state,
    count: () => [...first.values()].reduce((sum, seen) => sum + seen.size, 0),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Two endpoints for each business; a tenth of the second ones is broken. Beside them many to which nothing happens. */
async function seed(db: Db, url: string, silentUrl: string): Promise<{ broken: number }> {
  const addresses = Array.from({ length: ENDPOINTS }, (_, index) => {
    const business = Math.floor(index / 2)
    if (index % 2 === 0 || business % 10 !== 0) return `${url}/healthy/${index}`
    return (
      [`${url}/fails/${index}`, `${url}/hangs/${index}`, `${url}/redirects/${index}`, silentUrl][(business / 10) % 4] ??
      ''
    )
  })
  await sql`
    insert into webhooks.endpoints (business_id, id, url, types, description, is_enabled, secret, version, created_at, updated_at)
    select 'biz_proof' || (index - 1) / 2, 'whe_proof' || index, address, '{*}', '', true, template.secret, 1, now(), now()
      from unnest(${addresses}::text[]) with ordinality as wanted (address, index),
           (select secret from webhooks.endpoints limit 1) as template`.execute(db)
  await sql`
    insert into webhooks.endpoints (business_id, id, url, types, description, is_enabled, secret, version, created_at, updated_at)
    select 'biz_idle' || index, 'whe_idle' || index, ${`${url}/healthy/idle`}, '{*}', '', true, template.secret, 1, now(), now()
      from generate_series(1, ${IDLE}::integer) as index, (select secret from webhooks.endpoints limit 1) as template`.execute(
    db,
  )
  await sql`
    insert into webhooks.positions (business_id, endpoint_id, number)
    select business_id, id, 0 from webhooks.endpoints on conflict do nothing`.execute(db)
  await sql`
    insert into webhooks.feeds (business_id) select distinct business_id from webhooks.endpoints on conflict do nothing`.execute(
    db,
  )
  return { broken: addresses.filter((address) => !address.includes('/healthy/')).length }
}

/** So many events in each business; or in one of `parts` of them. */
const happen = (db: Db, each: number, part = 0, parts = 1) =>
  sql`
    insert into cell.event_outbox (business_id, id, type, subject, actor_kind, data, occurred_at)
    select 'biz_proof' || business, 'evt_' || replace(gen_random_uuid()::text, '-', ''), 'order.commented', 'ord_1', 'system',
           json_build_object('ms', ${Date.now()}::bigint), now()
      from generate_series(${part}::integer, ${BUSINESSES - 1}::integer, ${parts}::integer) as business,
           generate_series(1, ${each}::integer)
     order by random()`.execute(db)

/** An event in each business, one after another: some 475 deliveries a second. */
async function flow(db: Db): Promise<void> {
  for (let part = 0; part < PARTS; part++) await Promise.all([happen(db, 1, part, PARTS), sleep(ROUND_MS / PARTS)])
}

/** Four are under way at once: an event that more than three later ones have overtaken was begun out of turn. */
function outOfTurn(arrivals: Iterable<Arrival>): number {
  const newest: number[] = []
  let count = 0
  for (const { number } of arrivals) {
    if (newest.filter((other) => other > number).length > 3) count++
    newest.push(number)
    newest.sort((a, b) => b - a)
    newest.length = Math.min(newest.length, 8)
  }
  return count
}

/** How long it takes to number a full batch, with and without telling webhooks of it. */
async function timeSequencer(db: Db): Promise<[alone: number, telling: number]> {
  const { wakeFeeds } = await import('#modules/webhooks/hold-feeds.ts')
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < 10; round++) {
    await sql`
      insert into cell.event_outbox (business_id, id, type, subject, actor_kind, data, occurred_at)
      select 'biz_timed' || n % 2000, 'evt_t' || n || '_' || ${round}::integer, 'order.commented', 'ord_1', 'system', '{}', now()
        from generate_series(1, 5000) as n`.execute(db)
    const which = round % 2
    const begun = performance.now()
    await sequenceEvents(db, [], which === 0 ? undefined : (ids) => wakeFeeds(db, ids, false))
    times[which]?.push(performance.now() - begun)
  }
  return [median(times[0]), median(times[1])]
}

export async function run({ quick, note }: Run) {
  const [steady, burst] = quick ? [10, 10] : [200, 1_400]
  const kills = sizeOf('kills', quick ? 5 : 100)
  const api = await startApi({ env: LOOPBACK })
  const receivers = await startReceivers()
  const silent = createTcpServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  try {
    const env = { ...api.databases.env, ...LOOPBACK }
    const shop = await createMake(api).business({ cell: 'main' })
    const { body } = await shop.admin.post(`${shop.path}/webhook-endpoints`, {
      url: `${receivers.url}/healthy/own`,
      types: ['*'],
    })
    const db = api.services.databases.cells.get('main')
    if (!db) throw new Error('There is no cell')
    const { broken } = await seed(db, receivers.url, `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`)
    const healthy = ENDPOINTS - broken
    await onServer((client) => client.query('vacuum analyze'), api.databases.main.url)
    note(`${ENDPOINTS} endpoints are there, ${broken} of them broken, and ${IDLE} to which nothing happens`)
    const [alone, telling] = await timeSequencer(db)
    const looked = performance.now()
    await wakeForgotten(db, false)
    const lookingMs = performance.now() - looked
    await sql`update webhooks.feeds set due_at = null`.execute(db)

    // As it comes: how long after it happened is it there?
    let workers = [await startChild('worker', env), await startChild('worker', env)]
    for (let count = 0; count < steady; count++) await flow(db)
    await until('all have come', () => receivers.count() >= steady * healthy, { withinMs: MANY_MS, everyMs: 100 })
    // The first second of a worker is not what is asked: it begins cold.
    const delays = [...receivers.first.values()].flatMap((seen) =>
      [...seen.values()].filter(({ number }) => number > 2).map(({ at, occurredMs }) => at - occurredMs),
    )
    const p95 = percentile(delays, 95)
    note(
      `${steady * healthy} deliveries as they came, p95 ${Math.round(p95)} ms; ${receivers.state.toBroken} to broken ones`,
    )

    // All at once: how many a second?
    const before = receivers.count()
    const begun = performance.now()
    for (let count = 0; count < burst; count += 10) await happen(db, 10)
    const happenedMs = performance.now() - begun
    await until('all have come', () => receivers.count() >= before + burst * healthy, {
      withinMs: MANY_MS,
      everyMs: 20,
    })
    const rate = (burst * healthy) / ((performance.now() - begun) / 1_000)
    note(
      `${burst * healthy} deliveries at once: ${Math.round(rate)} a second, all had happened after ${Math.round(happenedMs)} ms`,
    )

    // While workers are killed, one after another, in the middle of it.
    const eachKill = 4
    let wanted = before + burst * healthy
    const { requests: requestsBefore, repeated: repeatedBefore } = receivers.state
    for (let kill = 0; kill < kills; kill++) {
      const flowing = (async () => {
        for (let count = 0; count < eachKill; count++) await flow(db)
      })()
      wanted += eachKill * healthy
      await sleep(ROUND_MS + Math.random() * ROUND_MS)
      await workers.shift()?.kill()
      workers.push(await startChild('worker', env))
      await flowing
    }
    await until('all have come', () => receivers.count() >= wanted, { withinMs: MANY_MS, everyMs: 100 })
    await sleep(20_000) // what a killed worker held is sent once more
    const repeated = receivers.state.repeated - repeatedBefore
    const requests = receivers.state.requests - requestsBefore

    // A range once more.
    const events = quick ? 2_000 : 20_000
    const replayed = await replay(db, { shop, endpointId: body.id as string, events }, receivers)
    await Promise.all(workers.map((worker) => worker.stop()))

    const numbers = steady + burst + kills * eachKill
    let [lost, disordered] = [0, 0]
    for (const [endpoint, seen] of receivers.first) {
      if (endpoint === 'own' || endpoint === 'idle') continue
      for (let number = 1; number <= numbers; number++) if (!seen.has(number)) lost++
      disordered += outOfTurn(seen.values())
    }
    if (receivers.first.size - 1 < healthy) lost += 1
    const share = (100 * repeated) / (requests || 1)
    const shown = (name: string, value: number, unit: string): Figure => ({ name, value, unit })
    return {
      figures: [
        shown('endpoints to which something happened', ENDPOINTS, ''),
        shown('broken ones among them', broken, ''),
        shown('endpoints beside them to which nothing happened', IDLE, ''),
        shown('events', numbers * BUSINESSES, ''),
        shown('deliveries', numbers * healthy, ''),
        none('deliveries that did not come', lost),
        none('events begun out of turn', disordered),
        shown('deliveries a second, two workers', rate, ''),
        { name: 'from happening to arriving, p95', value: p95, unit: 'ms', goal: '≤ 2,000', ok: p95 <= 2_000 },
        shown('from happening to arriving, median', median(delays), 'ms'),
        shown('requests to broken ones', receivers.state.toBroken, ''),
        shown('workers killed', kills, ''),
        none('requests for what had come already, without kills', repeatedBefore),
        {
          name: 'requests for what had come already, while a worker is killed every eight seconds',
          value: share,
          unit: '%',
          goal: '≤ 1',
          ok: share <= 1,
        },
        shown('the same for each kill', repeated / kills, ''),
        shown('the same as a share of all deliveries of this run', (100 * repeated) / (numbers * healthy), '%'),
        none('replayed events that differ from the feed', replayed),
        shown('numbering 5,000 events of 2,000 businesses', alone, 'ms'),
        shown('numbering them and telling webhooks', telling, 'ms'),
        shown(`looking through ${IDLE} endpoints, every five minutes`, lookingMs, 'ms'),
      ],
    }
  } finally {
    receivers.close()
    silent.close()
    await api.close()
  }
}

type Replayed = {
  shop: {
    id: string
    admin: { post(path: string, body: unknown): Promise<{ status: number; text: string }> }
    path: string
  }
  endpointId: string
  events: number
}

/** How many events of a replayed range are missing, or are others than those of the feed. */
async function replay(
  db: Db,
  { shop, endpointId, events }: Replayed,
  receivers: Awaited<ReturnType<typeof startReceivers>>,
): Promise<number> {
  await sql`
    insert into cell.event_outbox (business_id, id, type, subject, actor_kind, data, occurred_at)
    select ${shop.id}, 'evt_r' || n, 'order.commented', 'ord_1', 'system', json_build_object('ms', n), now()
      from generate_series(1, ${events}::integer) as n`.execute(db)
  const own = () => receivers.first.get('own')
  await until('all have come', () => (own()?.size ?? 0) >= events + 1, { withinMs: MANY_MS, everyMs: 50 })
  await sleep(2_000) // its position is written
  own()?.clear()
  const [after, before] = [Math.floor(events / 4), Math.floor((events * 3) / 4)]
  const begun = await shop.admin.post(`${shop.path}/webhook-endpoints/${endpointId}/replay`, { after, before })
  if (begun.status !== 200) throw new Error(begun.text)
  await until('the range has come', () => (own()?.size ?? 0) >= before - after - 1, { withinMs: MANY_MS, everyMs: 50 })
  await sleep(1_000)
  const { rows } = await sql<{ number: number; ms: number }>`
    select number, (data->>'ms')::bigint as ms from cell.events
     where business_id = ${shop.id} and number > ${after} and number < ${before}`.execute(db)
  const wrong = rows.filter(({ number, ms }) => own()?.get(number)?.occurredMs !== ms).length
  return wrong + Math.max(0, (own()?.size ?? 0) - rows.length)
}
