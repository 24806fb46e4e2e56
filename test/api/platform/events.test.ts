import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { AUDIT_LOG } from '#modules/access/index.ts'
import { orderPaid } from '#modules/orders/index.ts'
import { now } from '#platform/clock.ts'
import { loadConfig } from '#platform/config.ts'
import { type Databases, type Db, openDatabases } from '#platform/database/database.ts'
import { migrate } from '#platform/database/migrate.ts'
import { maintainPartitions } from '#platform/database/partitions.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { EVENT_LOG, sequenceEvents } from '#platform/events/sequencer.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import { EVENTS } from '../../../src/apps/events.ts'
import { happened, testEvent } from '../../support/check-events.ts'
import { holdClock } from '../../support/clock.ts'
import { cloneTemplate, onServer, withScratchDatabase } from '../../support/database.ts'
import { refusal } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

type Event = { id: string; number: number; type: string; subject: string }
type Business = Awaited<ReturnType<typeof used.make.business>>

class Changed extends Error {}

const write = (db: Db, businessId: string, subjects: string[], type: `test.${string}` = 'test.happened') =>
  transaction(db, async (tx) => {
    for (const subject of subjects) await record(tx, testEvent(type)({ businessId, subject }))
  })

/** Everything that is committed, numbered. */
async function sequenceAll(db: Db) {
  await until('there is nothing left to number', async () => (await sequenceEvents(db)) === 0, { everyMs: 5 })
}

const subjectsOf = (items: Event[]) => items.map(({ subject }) => subject)
const numbersOf = (items: Event[]) => items.map(({ number }) => number)
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

async function makeFeed(
  count: number,
  { types = ['test.happened'], owner }: { types?: `test.${string}`[]; owner?: Business['admin'] } = {},
) {
  const business = await used.make.business(owner ? { owner } : {})
  for (const number of upTo(count)) {
    await write(business.db, business.id, [`thing-${number}`], types[(number - 1) % types.length])
  }
  await sequenceAll(business.db)
  return { ...business, events: `${business.path}/events` }
}

test('an event tells who did what, and when', async () => {
  const { id, db, admin, path } = await used.make.business()
  const before = Math.floor(Date.now() / 1000)
  const data = { number: 'K7Q2-M9X3', total: 1999, currency: 'USD' }
  await transaction(db, async (tx) => {
    await record(tx, orderPaid({ businessId: id, subject: 'ord_1', actor: admin.actor, data }))
    await record(tx, happened({ businessId: id, subject: 'thing' }))
  })
  await sequenceAll(db)

  const { status, body, text } = await admin.get(`${path}/events?after=0`)
  assert.equal(status, 200, text)
  const [paid, other] = body.items
  assert.match(paid.id, /^evt_[0-9a-z]{26}$/)
  assert.ok(paid.timestamp >= before && paid.timestamp <= Date.now() / 1000)
  assert.deepEqual(
    { ...paid, id: '', timestamp: 0 },
    {
      id: '',
      number: 1,
      type: 'order.paid',
      businessId: id,
      subject: 'ord_1',
      actorId: admin.id,
      actorKind: 'user',
      data,
      timestamp: 0,
    },
  )
  assert.deepEqual([other.number, other.actorId, other.actorKind, other.data], [2, null, 'system', {}])
})

test('each type is one of its own, of words joined by dots, and a shape of the reference', () => {
  const types = EVENTS.map(({ type }) => type)
  assert.deepEqual([...new Set(types)], types)
  for (const type of types) assert.match(type, /^[a-z0-9_]+(\.[a-z0-9_]+)+$/)

  const { components } = used.api.app.openApiDocument() as {
    components: { schemas: { Event: { discriminator: { mapping: Record<string, string> } } } }
  }
  const { mapping } = components.schemas.Event.discriminator
  assert.deepEqual(Object.keys(mapping).sort(), types.sort())
  for (const address of Object.values(mapping)) assert.ok((address.split('/').at(-1) ?? '') in components.schemas)
})

test('what was rolled back never happened', async () => {
  const { id, db, admin, path } = await used.make.business()
  const failing = transaction(db, async (tx) => {
    await record(tx, happened({ businessId: id, subject: 'undone' }))
    throw new Changed()
  })
  await assert.rejects(failing, Changed)
  await write(db, id, ['done'])
  await sequenceAll(db)

  const { body } = await admin.get(`${path}/events?after=0`)
  assert.deepEqual(subjectsOf(body.items), ['done'])
  assert.deepEqual(numbersOf(body.items), [1])
})

test('a transaction that commits late is numbered late, so who follows the feed does not miss it', async () => {
  const { id, db, admin, path } = await used.make.business()
  const follow = async (after: number) => (await admin.get(`${path}/events?after=${after}`)).body.items as Event[]
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
  const { promise: recorded, resolve: hasRecorded } = Promise.withResolvers<void>()
  const late = transaction(db, async (tx) => {
    await record(tx, happened({ businessId: id, subject: 'early written, late committed' }))
    hasRecorded()
    await mayCommit
  })
  await recorded
  await write(db, id, ['late written, early committed'])
  await sequenceAll(db)
  assert.deepEqual(subjectsOf(await follow(0)), ['late written, early committed'])

  commit()
  await late
  await sequenceAll(db)
  assert.deepEqual(
    (await follow(1)).map(({ number, subject }) => [number, subject]),
    [[2, 'early written, late committed']],
  )
})

test('while one sequencer works, another leaves at once', async () => {
  const { db } = await used.make.business()
  await transaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('kontor.events', 0))`.execute(tx)
    assert.equal(await sequenceEvents(db), undefined)
  })
  assert.notEqual(await sequenceEvents(db), undefined)
})

const WRITERS = 8
const TRANSACTIONS = 40

test('readers of the feed get each committed event once, in order, while many write and two number', async (t) => {
  const businesses: Business[] = []
  for (const cell of ['main', 'second', 'main', 'second', 'second']) businesses.push(await used.make.business({ cell }))
  const { databases: addresses } = loadConfig({ NODE_ENV: 'test', ...used.api.databases.env })
  const opened: Databases[] = []
  const open = (max: number) => {
    const databases = openDatabases(addresses, { max })
    opened.push(databases)
    return databases
  }
  t.after(() => Promise.all(opened.map((databases) => databases.close())))

  const committed = new Map(businesses.map(({ id }) => [id, [] as string[]]))
  let rolledBack = 0
  const writing = open(WRITERS)
  async function writer(name: number) {
    for (const step of upTo(TRANSACTIONS)) {
      const business = businesses[Math.floor(Math.random() * businesses.length)] as Business
      const subjects = upTo(1 + Math.floor(Math.random() * 3)).map((part) => `${name}/${step}/${part}`)
      const fails = Math.random() < 0.25
      try {
        await transaction(writing.cells.get(business.cell) as Db, async (tx) => {
          for (const subject of subjects) {
            await record(tx, happened({ businessId: business.id, subject }))
            await sleep(Math.random() * 8)
          }
          if (fails) throw new Changed()
        })
        committed.get(business.id)?.push(...subjects)
      } catch (error) {
        if (!(error instanceof Changed)) throw error
        rolledBack++
      }
    }
  }

  let written = false
  let numbered = false
  async function sequencer(db: Db) {
    for (;;) {
      const lastRound = written
      const moved = await sequenceEvents(db)
      if (lastRound && moved === 0) return
      if (moved === undefined) await sleep(Math.random() * 3)
    }
  }

  async function follower({ admin, path }: Business): Promise<Event[]> {
    const seen: Event[] = []
    for (;;) {
      const lastRound = numbered
      const limit = 1 + Math.floor(Math.random() * 40)
      const { body, status, text } = await admin.get(`${path}/events?after=${seen.length}&limit=${limit}`)
      assert.equal(status, 200, text)
      seen.push(...body.items)
      assert.deepEqual(numbersOf(seen), upTo(seen.length))
      if (lastRound && body.items.length === 0) return seen
    }
  }

  // Whatever is numbered meanwhile: from the newest event that it met first, a walk goes down to number 1 without a gap.
  let walks = 0
  async function walker({ admin, path }: Business): Promise<void> {
    while (!numbered) {
      const seen: Event[] = []
      const limit = 10 + Math.floor(Math.random() * 40)
      let cursor: string | null = ''
      do {
        const page: { items: Event[]; cursor: string | null } = (
          await admin.get(`${path}/events?limit=${limit}&cursor=${cursor}`)
        ).body
        seen.push(...page.items)
        cursor = page.cursor
      } while (cursor !== null)
      assert.deepEqual(numbersOf(seen), upTo(seen.length).toReversed())
      walks++
    }
  }

  const sequencing = [open(2), open(2)].flatMap(({ cells }) => [...cells.values()].map(sequencer))
  const following = Promise.all(businesses.map(follower))
  const walking = Promise.all(businesses.map(walker))
  const working = Promise.all(upTo(WRITERS).map(writer)).then(async () => {
    written = true
    await Promise.all(sequencing)
    numbered = true
  })
  const [feeds] = await Promise.all([following, walking, working, ...sequencing])

  for (const [index, { id }] of businesses.entries()) {
    const feed = feeds[index] ?? []
    const expected = committed.get(id) ?? []
    assert.deepEqual(numbersOf(feed), upTo(expected.length))
    assert.deepEqual(subjectsOf(feed).sort(), [...expected].sort())
    for (const name of upTo(WRITERS)) {
      const own = (subjects: string[]) => subjects.filter((subject) => subject.startsWith(`${name}/`))
      assert.deepEqual(own(subjectsOf(feed)), own(expected), 'what one writer did stays in its order')
    }
  }
  assert.ok(rolledBack > 0 && walks > 0)
  t.diagnostic(`${[...committed.values()].flat().length} events, ${rolledBack} rolled back, ${walks} walks`)
})

test('the list is newest first, and its cursor leads through all of it', async () => {
  const { admin, events } = await makeFeed(7)
  const first = (await admin.get(`${events}?limit=3`)).body
  const second = (await admin.get(`${events}?limit=3&cursor=${first.cursor}`)).body
  const third = (await admin.get(`${events}?limit=3&cursor=${second.cursor}`)).body

  assert.deepEqual(
    [first, second, third].map(({ items }) => numbersOf(items)),
    [[7, 6, 5], [4, 3, 2], [1]],
  )
  assert.equal(third.cursor, null)
})

test('following goes on by cursor as well as by number', async () => {
  const { admin, events } = await makeFeed(5)
  const first = (await admin.get(`${events}?after=1&limit=2`)).body
  const second = (await admin.get(`${events}?after=1&limit=2&cursor=${first.cursor}`)).body

  assert.deepEqual([numbersOf(first.items), numbersOf(second.items), second.cursor], [[2, 3], [4, 5], null])
  assert.deepEqual((await admin.get(`${events}?after=5`)).body, { items: [], cursor: null })
})

test('`type` leaves only events of that type, in both directions and across pages', async () => {
  const { admin, events } = await makeFeed(9, { types: ['test.a', 'test.b', 'test.c'] })
  const first = (await admin.get(`${events}?type=test.b&limit=2`)).body
  const second = (await admin.get(`${events}?type=test.b&limit=2&cursor=${first.cursor}`)).body

  assert.deepEqual([numbersOf(first.items), numbersOf(second.items), second.cursor], [[8, 5], [2], null])
  assert.deepEqual(numbersOf((await admin.get(`${events}?type=test.b&after=2`)).body.items), [5, 8])
  assert.deepEqual((await admin.get(`${events}?type=test.none`)).body, { items: [], cursor: null })
})

test('`type` several times leaves events of any of them; the cursor belongs to all of them', async () => {
  const { admin, events } = await makeFeed(9, { types: ['test.a', 'test.b', 'test.c'] })
  const both = `${events}?type=test.b&type=test.c`
  const first = (await admin.get(`${both}&limit=4`)).body
  const second = (await admin.get(`${both}&limit=4&cursor=${first.cursor}`)).body

  assert.deepEqual([numbersOf(first.items), numbersOf(second.items), second.cursor], [[9, 8, 6, 5], [3, 2], null])
  assert.deepEqual(numbersOf((await admin.get(`${both}&after=5`)).body.items), [6, 8, 9])
  for (const other of [`${events}?type=test.b`, `${both}&type=test.a`, events])
    assert.match(
      refusal(await admin.get(`${other}${other.includes('?') ? '&' : '?'}cursor=${first.cursor}`)),
      /^422 VALIDATION_FAILED cursor/,
    )
  const many = Array.from({ length: 21 }, (_, index) => `type=test.a${index}`).join('&')
  assert.match(refusal(await admin.get(`${events}?${many}`)), /^422 VALIDATION_FAILED type/)
})

test('a cursor of another business, another filter, another list or of no list at all is refused', async () => {
  const { admin, events, path } = await makeFeed(3)
  const other = await makeFeed(3, { owner: admin })
  const cursorOf = async (url: string) => (await admin.get(url)).body.cursor as string
  const own = await cursorOf(`${events}?limit=1`)
  assert.equal(refusal(await admin.get(`${events}?cursor=${own}`)), '200')

  await admin.post(`${path}/roles`, { name: 'Second', permissions: [] })
  const wrong = [
    `${events}?cursor=${await cursorOf(`${other.events}?limit=1`)}`,
    `${events}?cursor=${await cursorOf(`${path}/roles?limit=1`)}`,
    `${events}?cursor=${await cursorOf(`${events}?limit=1&type=test.happened`)}`,
    `${events}?cursor=${await cursorOf(`${events}?limit=1&after=0`)}`,
    `${events}?type=test.happened&cursor=${own}`,
    `${events}?after=0&cursor=${own}`,
    `${events}?cursor=nonsense`,
  ]
  for (const url of wrong) assert.equal(refusal(await admin.get(url)), '422 VALIDATION_FAILED cursor INVALID', url)
})

test('`subject` leaves only what happened to that record', async () => {
  const { id, db, admin, events } = await makeFeed(3)
  await write(db, id, ['thing-2', 'other', 'thing-2'])
  await sequenceAll(db)
  assert.deepEqual(numbersOf((await admin.get(`${events}?subject=thing-2`)).body.items), [6, 4, 2])
  const first = (await admin.get(`${events}?subject=thing-2&after=0&limit=2`)).body
  const second = (await admin.get(`${events}?subject=thing-2&after=0&limit=2&cursor=${first.cursor}`)).body
  assert.deepEqual([numbersOf(first.items), numbersOf(second.items), second.cursor], [[2, 4], [6], null])
  assert.deepEqual((await admin.get(`${events}?subject=nothing`)).body, { items: [], cursor: null })
  assert.equal(refusal(await admin.get(`${events}?cursor=${first.cursor}`)), '422 VALIDATION_FAILED cursor INVALID')
})

test('strangers, guests and members without a fitting permission get nothing of the feed', async () => {
  const { id, events } = await makeFeed(1)
  const { admin: stranger } = await makeFeed(1)
  const others = ['SETTINGS_WRITE', 'ORDERS_WRITE', 'CONTENT_WRITE', 'NEWSLETTER_SEND'] as const
  for (const caller of [stranger, await used.make.member(id, ...others), await used.make.guest()]) {
    assert.equal(refusal(await caller.get(events)), '403 FORBIDDEN')
  }
})

/** Writes events straight into the feed, as if they had been numbered: `typeOf` is SQL, with the number as `n`. */
async function fill({ id, db }: Business, count: number, typeOf: string) {
  await sql`
    insert into cell.events (business_id, number, id, type, subject, actor_kind, data, occurred_at, sequenced_at)
    select ${id}, n, 'evt_' || n, ${sql.raw(typeOf)}, 'thing', 'system', '{}', now(), now()
      from generate_series(1, ${count}::bigint) as n`.execute(db)
  await sql`
    insert into cell.event_counters (business_id, last_number) values (${id}, ${count})`.execute(db)
}

test('each permission shows the events of its records, and ADMIN shows all', async () => {
  const business = await used.make.business()
  const types = [...new Set([...EVENTS.map(({ type }) => type), 'media.ready', 'category.created', 'member.added'])]
  await fill(business, types.length, `(array[${types.map((type) => `'${type}'`).join(', ')}])[n]`)
  const topicsOf = (all: string[]) => [...new Set(all.map((type) => type.split('.')[0] ?? ''))].sort()
  const seenBy = async (...permissions: Permission[]) => {
    const member = await used.make.member(business.id, ...permissions)
    const { body, text } = await member.get(`${business.path}/events?after=0&limit=100`)
    assert.ok(body.items, text)
    return topicsOf((body.items as Event[]).map(({ type }) => type))
  }
  assert.deepEqual(await seenBy('ORDERS_READ'), ['customer', 'order', 'payment'])
  assert.deepEqual(await seenBy('PRODUCTS_WRITE'), ['bulk_edit', 'category', 'import', 'media', 'product', 'stock'])
  assert.deepEqual(await seenBy('PROMOS_WRITE'), ['promo'])
  assert.deepEqual(await seenBy('CONTENT_READ_DRAFTS'), ['collection', 'entry', 'media'])
  assert.deepEqual(await seenBy('SUBSCRIBERS_READ'), ['newsletter', 'subscriber_import', 'subscription'])
  assert.deepEqual(await seenBy('PROMOS_WRITE', 'ORDERS_READ'), ['customer', 'order', 'payment', 'promo'])
  assert.deepEqual(await seenBy('ADMIN'), topicsOf(types))

  const member = await used.make.member(business.id, 'PROMOS_WRITE')
  assert.equal((await member.get(`${business.path}/events?type=promo.created`)).body.items.length, 1)
  for (const type of ['order.paid', 'member.added', 'unheard.of'])
    for (const types of [`type=${type}`, `type=promo.created&type=${type}`])
      assert.equal(refusal(await member.get(`${business.path}/events?${types}`)), '403 FORBIDDEN', types)
})

test('a page moves over thousands of events that the caller may not see, and misses none of theirs', async () => {
  const business = await used.make.business()
  await fill(
    business,
    45_001,
    `case when n in (3, 19999, 20000, 20001, 45001) then 'order.paid' else 'product.updated' end`,
  )
  const member = await used.make.member(business.id, 'ORDERS_READ')
  async function walk(query: string) {
    const pages: number[][] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: { body: { items: Event[]; cursor: string | null } } = await member.get(
        `${business.path}/events?limit=2${query}&cursor=${cursor}`,
      )
      pages.push(numbersOf(body.items))
      cursor = body.cursor
    }
    return pages
  }
  assert.deepEqual(await walk('&after=0'), [[3, 19_999], [20_000, 20_001], [45_001]])
  assert.deepEqual(await walk('&after=20001'), [[], [45_001]])
  assert.deepEqual(await walk(''), [[45_001], [20_001, 20_000], [19_999, 3]])
})

const MONTH_SECONDS = 31 * 24 * 3600

async function withDatabase(work: (databases: Databases) => Promise<void>) {
  const database = await cloneTemplate('full')
  const address = { url: database.url, directUrl: database.url }
  const databases = openDatabases({ control: address, cells: {} }, { max: 4 })
  const clock = holdClock()
  try {
    await work(databases)
  } finally {
    clock.release()
    await databases.close()
    await database.drop()
  }
}

async function partitionsOf(db: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = ${table}::regclass order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

const monthsOf = (table: string, date: Date) =>
  [0, 1, 2].map((offset) => {
    const month = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1)).toISOString()
    return `${table.split('.')[1]}_y${month.slice(0, 4)}m${month.slice(5, 7)}`
  })

test('partitions are made ahead and dropped past their keep, and repeating that changes nothing', () =>
  withDatabase(async ({ control, cells }) => {
    const db = cells.get('main') as Db
    for (const [log, of] of [
      [EVENT_LOG, db],
      [AUDIT_LOG, control],
    ] as const) {
      const clock = holdClock()
      const start = monthsOf(log.table, now())
      const fallback = `${log.table.split('.')[1]}_default`
      assert.deepEqual(await partitionsOf(db, log.table), [fallback, ...start], 'migrating has made the first ones')
      assert.deepEqual(await maintainPartitions(of, log), [])
      assert.deepEqual(await partitionsOf(db, log.table), [fallback, ...start])

      clock.advance((log.keepMonths + 6) * MONTH_SECONDS)
      const ahead = monthsOf(log.table, now())
      assert.deepEqual((await maintainPartitions(of, log)).sort(), start)
      assert.deepEqual(await partitionsOf(db, log.table), [fallback, ...ahead])
      assert.deepEqual(await maintainPartitions(of, log), [])
      assert.deepEqual(await partitionsOf(db, log.table), [fallback, ...ahead])
    }
  }))

test('an event that is old enough is forgotten with its month, a younger one stays, and counting goes on', () =>
  withDatabase(async ({ cells }) => {
    const db = cells.get('main') as Db
    const clock = holdClock()
    const numbers = async () =>
      (await db.selectFrom('cell.events').select('number').orderBy('number').execute()).map(({ number }) => number)
    const happen = async () => {
      await write(db, 'biz_1', ['thing'])
      await sequenceAll(db)
    }
    await happen()
    for (let month = 0; month < EVENT_LOG.keepMonths; month++) {
      clock.advance(30 * 24 * 3600)
      assert.deepEqual(await maintainPartitions(db, EVENT_LOG), [])
    }
    await happen()
    assert.deepEqual(await numbers(), [1, 2])
    clock.advance(3 * MONTH_SECONDS)
    await maintainPartitions(db, EVENT_LOG)
    await happen()
    assert.deepEqual(await numbers(), [2, 3])
  }))

test('partitions are made for months in which events already had to do without', () =>
  withDatabase(async ({ cells }) => {
    const db = cells.get('main') as Db
    holdClock().advance(5 * MONTH_SECONDS) // nobody has made partitions for so long
    await write(db, 'biz_1', ['thing'])
    await sequenceAll(db)
    await maintainPartitions(db, EVENT_LOG)
    const months = monthsOf(EVENT_LOG.table, now())
    assert.deepEqual(
      (await partitionsOf(db, EVENT_LOG.table)).filter((name) => months.includes(name)),
      months,
    )
    assert.equal((await db.selectFrom('cell.events').select('number').execute()).length, 1)
  }))

test('of two migrations of an empty database one applies everything; the other waits, and applies nothing', () =>
  withScratchDatabase(async (url) => {
    const both = await Promise.all([migrate(url, ['control', 'cell']), migrate(url, ['control', 'cell'])])
    const [idle, busy] = both.sort((a, b) => a.length - b.length)
    assert.deepEqual(idle, [])
    assert.ok(busy?.includes('control/0001_control.sql') && busy.includes('cell/0001_cell.sql'), String(busy))
    assert.deepEqual(await migrate(url, ['control', 'cell']), [])
  }))

test('a migration that was changed after it had been applied is refused, with what to do about it', async (t) => {
  const database = await cloneTemplate('full')
  t.after(() => database.drop())
  await onServer(
    (client: pg.Client) => client.query("update cell.migrations set checksum = 'x' where name = '0001_cell.sql'"),
    database.url,
  )
  await assert.rejects(migrate(database.url, ['control', 'cell']), {
    message:
      'Migration cell/0001_cell.sql was changed after it had been applied. ' +
      'Restore the file and put the change in a new migration.',
  })
})
