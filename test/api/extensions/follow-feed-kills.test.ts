import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { followFeed } from '#platform/extensions/follow-feed.ts'
import { startExtendedApi } from '../../support/extended-api.ts'
import { makeProject, OWN_URL } from '../../support/extension-project.ts'
import { item, openShop } from '../../support/shop.ts'
import { until } from '../../support/until.ts'

const project = makeProject()
project.write(
  'counter/migrations/0001_seen.sql',
  'create table ext_counter.seen (business_id text, event_id text, type text);',
)
const file = project.write(
  'counter/counter.ts',
  `import { extension, sql, type FeedEvent, type JobContext, type Cell } from 'kontor/extension'
const note = async ({ businessId, id, type }: FeedEvent, { db }: JobContext<Cell>) => {
  await sql\`insert into ext_counter.seen values (\${businessId}, \${id}, \${type})\`.execute(db)
}
export const counter = extension({
  name: 'counter',
  migrations: new URL('./migrations/', ${OWN_URL}),
  on: { 'order.created': note, 'order.paid': note },
})
`,
)

let used: Awaited<ReturnType<typeof startExtendedApi>>
before(async () => {
  used = await startExtendedApi([file])
})
after(async () => {
  await used.close()
  project.remove()
})

type Shop = Awaited<ReturnType<typeof openFreeShop>>

async function openFreeShop() {
  const shop = await openShop(used.make)
  const product = await shop.priced(0)
  const buyer = await used.make.user()
  return { ...shop, buy: () => shop.checkout(buyer, { items: [item(product)] }) }
}

const read = async ({ db, id }: Shop) => {
  const { rows: seen } = await sql<{ eventId: string }>`
    select event_id from ext_counter.seen where business_id = ${id} order by 1`.execute(db)
  const { rows: told } = await sql<{ id: string }>`
    select id from cell.events
     where business_id = ${id} and type in ('order.created', 'order.paid') order by 1`.execute(db)
  return { seen: seen.map(({ eventId }) => eventId), told: told.map((event) => event.id) }
}

test('whatever dies, each event is handed over, and made a job once', async () => {
  const shop = await openFreeShop()
  for (let round = 0; round < 3; round++) await shop.buy()
  // It dies when the jobs and the position are written, and not committed.
  const doomed = await used.startWorker({ 'extension.followed': 'kill' })
  const { signal } = await doomed.exited
  assert.equal(signal, 'SIGKILL')
  assert.deepEqual((await read(shop)).seen, [])
  for (let round = 0; round < 2; round++) await shop.buy()

  const [first, second] = await Promise.all([used.startWorker(), used.startWorker()])
  const settled = await until('every event was handled', async () => {
    const found = await read(shop)
    return found.told.length === 10 && found.seen.length >= 10 ? found : undefined
  })
  assert.deepEqual(settled.seen, settled.told)
  await Promise.all([first.stop(), second.stop()])
  assert.deepEqual((await read(shop)).seen, settled.told)
})

test('what happened before the extension came is not handed over; a later business is, from its start', async () => {
  const old = await openFreeShop()
  await old.buy()
  const worker = await used.startWorker()
  await until('the old events are handled', async () => (await read(old)).seen.length === 2)
  await worker.stop()

  // As if the extension came only now.
  for (const cell of used.bare.services.databases.cells.values())
    await sql`drop schema ext_counter cascade`.execute(cell)
  assert.equal((await used.migrate()).code, 0)
  await until('the API sees that', async () => (await old.admin.get(`${old.path}/products`)).status === 200)
  const later = await until('also in the cell of another', () => openFreeShop().catch(() => undefined))
  await later.buy()
  await old.buy()
  const next = await used.startWorker()
  await until('the new events are handled', async () => (await read(later)).seen.length === 2)
  await until('the old business goes on', async () => (await read(old)).seen.length === 2)
  const { seen, told } = await read(old)
  assert.deepEqual(seen, told.slice(2))
  await next.stop()
})

test('a business whose events have left the feed does not wait for them for ever', async () => {
  const shop = await openFreeShop()
  await shop.buy()
  const { db, id } = shop
  await until('they are numbered', async () => {
    await sequenceEvents(db)
    return (await read(shop)).told.length === 2
  })
  await sql`delete from cell.events where business_id = ${id}`.execute(db)
  const worker = await used.startWorker()
  await until('it is where the feed ends', async () => {
    const { rows } = await sql`
      select from ext_counter.feed_positions as position
        join cell.event_counters as counter using (business_id)
       where business_id = ${id} and position.number = counter.last_number`.execute(db)
    return rows.length === 1
  })
  await worker.stop()
})

test("businesses whose feed cannot be followed take nobody else's turn", async () => {
  const shop = await openFreeShop()
  await sql`
    insert into cell.event_counters (business_id, last_number)
    select 'refused_' || number, 1 from generate_series(1, 250) as number`.execute(shop.db)
  await sql`
    create function ext_counter.refuse() returns trigger language plpgsql as $$
    begin
      if starts_with(new.business_id, 'refused_') then raise exception 'not this one'; end if;
      return new;
    end $$`.execute(shop.db)
  await sql`
    create trigger refuse before insert on ext_counter.feed_positions
      for each row execute function ext_counter.refuse()`.execute(shop.db)
  await shop.buy()
  await until('all is numbered', async () => (await sequenceEvents(shop.db)) === 0)
  let failed = 0
  const log = pino({ level: 'error' }, { write: () => void failed++ })
  const counter = { name: 'counter', on: { 'order.created': async () => undefined } }
  assert.ok((await followFeed(shop.db, counter, log)) > 0)
  assert.equal(failed, 250)
  const { rows } = await sql<{ number: number }>`
    select number from ext_counter.feed_positions where business_id = ${shop.id}`.execute(shop.db)
  assert.ok((rows[0]?.number ?? 0) > 0)
})
