import { sql } from 'kysely'
import { markCustomers } from '#modules/customers/index.ts'
import { planRecipients } from '#modules/newsletter/sending/plan-recipients.ts'
import type { Db } from '#platform/database/database.ts'
import { openSendWorld, type SendWorld } from '../../test/scenarios/send-storm.ts'
import { createSendWorker, letter, openNewsletter } from '../../test/support/newsletter-api.ts'
import { market } from '../../test/support/shop.ts'
import { type Figure, median, type Run, sizeOf } from '../report/figures.ts'

export const title = 'Segments: a million readers, counted by three conditions, and planned as counted'

const MAX_SECONDS = 1
const ROUNDS = 9
/** Each within the time that a statement may take. */
const STEP = 25_000
const PRODUCTS = 4_000
const SENDS = 20

/** `--readers=200000` instead of the usual size. */
export async function run({ quick, note }: Run) {
  const readers = sizeOf('readers', quick ? 100_000 : 1_000_000)
  const world = await openSendWorld()
  try {
    const place = await open(world)
    await fill(place, readers, note)
    const figures: Figure[] = [{ name: 'readers', value: readers, unit: '' }]
    for (const [name, conditions] of Object.entries(segmentsOf(place))) {
      const { seconds, matching, total } = await countOften(place, conditions)
      const slowest = Math.max(...seconds)
      note(`${name}: ${matching} of ${total}, ${seconds.map((each) => each.toFixed(2)).join(' ')} s`)
      figures.push(
        { name: `${name}: readers who fit`, value: matching, unit: '' },
        { name: `${name}: count, median`, value: median(seconds), unit: 's' },
        {
          name: `${name}: count, slowest of ${ROUNDS}`,
          value: slowest,
          unit: 's',
          goal: `≤ ${MAX_SECONDS}`,
          ok: slowest <= MAX_SECONDS,
        },
      )
    }
    return { figures: [...figures, ...(await planOne(world, place, note))] }
  } finally {
    await world.close()
  }
}

type Place = Awaited<ReturnType<typeof open>>
type Condition = { field: string; [name: string]: unknown }

async function open({ make }: SendWorld) {
  const plans = ['free', 'friend'].map((id) => ({ id, name: id }))
  const newsletter = await openNewsletter(make, { cell: 'main', plans, countClicks: true })
  const { owner, path } = newsletter
  await owner.put(path, { markets: [market(), market({ id: 'de', name: 'Germany', currency: 'EUR' })] })
  const lamps = (await owner.post(`${path}/categories`, { name: 'Lamps' })).body.id as string
  await owner.post(`${path}/categories`, { name: 'Lanterns', parentId: lamps })
  return { ...newsletter, lamps }
}

async function inSteps(db: Db, number: number, insert: (from: number, to: number) => ReturnType<typeof sql>) {
  for (let from = 1; from <= number; from += STEP) await insert(from, Math.min(number, from + STEP - 1)).execute(db)
}

/**
 * Six of ten readers subscribed by themselves and are customers, two of ten are imported and customers by their address
 * only, the rest are no customers. Each customer bought four of the products; a tenth of these are lamps. One letter in
 * twenty was clicked.
 */
async function fill({ db, id, collection }: Place, readers: number, note: Run['note']): Promise<void> {
  const customers = Math.round(readers * 0.8)
  await inSteps(
    db,
    readers,
    (from, to) => sql`
      insert into newsletter.subscriptions (business_id, id, collection_id, email, email_key, name, status, plan_id, market,
                                            user_id, activated_at, created_at, updated_at)
      select ${id}, 'sub_' || lpad(n::text, 26, '0'), ${collection.id}, email, email, 'Reader ' || n,
             case when n % 50 = 0 then 'CANCELLED' else 'ACTIVE' end, case when n % 3 = 0 then 'friend' else 'free' end,
             (array['us', 'de', null])[1 + n % 3], case when n % 10 < 6 then 'usr_' || lpad(n::text, 26, '0') end,
             now() - n % 1000 * interval '1 day', now(), now()
        from generate_series(${from}::int, ${to}::int) as n,
             lateral (select 'reader' || n || '@readers.example' as email) as address`,
  )
  note(`${readers} readers`)
  await inSteps(
    db,
    customers,
    (from, to) => sql`
      insert into customers.customers (business_id, user_id, name, email, sort_name, addresses, words, tags, created_at, updated_at)
      select ${id}, 'usr_' || lpad(n::text, 26, '0'), 'Reader ' || n, 'Reader' || n || '@readers.example', 'reader ' || n,
             json_build_array(json_build_object('name', 'Reader ' || n, 'street', 'Hafenstraße ' || n, 'city', 'Hamburg')),
             array['reader', 'reader' || n || '@readers.example'], '{}', now(), now()
        from (select m / 8 * 10 + m % 8 as n from generate_series(${from}::int, ${to}::int) as m) as numbered
      on conflict do nothing`,
  )
  note(`${customers} customers`)
  await inSteps(
    db,
    customers,
    (from, to) => sql`
      insert into customers.words (business_id, word, user_id)
      select ${id}, 't:' || tag, 'usr_' || lpad((m / 8 * 10 + m % 8)::text, 26, '0')
        from generate_series(${from}::int, ${to}::int) as m,
             lateral (select unnest(array[case when m % 10 = 0 then 'regular' end, case when m % 3 = 0 then 'summer' end])) as of (tag)
       where tag is not null
      on conflict do nothing`,
  )
  await sql`
    insert into catalog.products (business_id, id, name, slug, description, category, gallery, blocks, statuses, status, version,
                                  document, public_document, created_at, updated_at)
    select ${id}, 'prod_' || n, 'Product ' || n, 'product-' || n, '',
           case when n % 20 = 0 then 'lamps' when n % 20 = 1 then 'lanterns' else '' end, '[]', '[]', '[]', 'ACTIVE', 1, '{}', '{}',
           now(), now()
      from generate_series(1, ${PRODUCTS}::int) as n`.execute(db)
  // In the order of the key, as a table has it that was filled over years by people who buy this and that.
  await inSteps(
    db,
    customers,
    (from, to) => sql`
      insert into customers.bought (business_id, product_id, user_id, last_at, order_id)
      select ${id}, 'prod_' || (1 + (m::bigint * 7919 + k * 1299709) % ${PRODUCTS}), 'usr_' || lpad((m / 8 * 10 + m % 8)::text, 26, '0'),
             now() - (m + k * 97) % 700 * interval '1 day', 'ord_' || m || '_' || k
        from generate_series(${from}::int, ${to}::int) as m, generate_series(1, 4) as k
      on conflict do nothing`,
  )
  note('what they bought')
  await sql`
    insert into newsletter.sends (business_id, id, entry_id, collection_id, status, on_uncertain, scheduled_at, is_planned, created_at, updated_at)
    select ${id}, 'snd_past' || n, 'ent_past' || n, ${collection.id}, 'DONE', 'SKIP', now(), true, now(), now()
      from generate_series(1, ${SENDS}::int) as n`.execute(db)
  await inSteps(
    db,
    readers,
    (from, to) => sql`
      insert into newsletter.clicks (business_id, send_id, subscription_id, link, clicks, first_at, last_at)
      select ${id}, 'snd_past' || (1 + n % ${SENDS}), 'sub_' || lpad(n::text, 26, '0'), 0, 1, now(), now() - n % 300 * interval '1 day'
        from generate_series(${from}::int, ${to}::int) as n`,
  )
  await sql`
    insert into newsletter.suppressions (business_id, email_key, reason, created_at)
    select ${id}, 'reader' || n * 97 || '@readers.example', 'BOUNCE', now()
      from generate_series(1, ${Math.round(readers / 200)}::int) as n`.execute(db)
  // As a database is that was not filled a minute ago.
  for (const table of ['newsletter.subscriptions', 'newsletter.clicks', 'customers.customers', 'customers.words'])
    await sql`vacuum analyze ${sql.raw(table)}`.execute(db)
  await sql`vacuum analyze customers.bought`.execute(db)
}

const segmentsOf = ({ lamps }: Place): Record<string, Condition[]> => ({
  'market, product, not tag': [
    { field: 'market', values: ['us'] },
    { field: 'bought', productIds: ['prod_7', 'prod_20'], withinDays: 365 },
    { field: 'tag', values: ['regular'], not: true },
  ],
  'plan, category, common tag': [
    { field: 'plan', values: ['friend'] },
    { field: 'bought', categoryId: lamps },
    { field: 'tag', values: ['summer'] },
  ],
  'not category, not common tag, reader since': [
    { field: 'bought', categoryId: lamps, not: true },
    { field: 'tag', values: ['summer'], not: true },
    { field: 'subscribed', from: Math.floor(Date.now() / 1_000) - 500 * 86_400 },
  ],
  'clicked lately, category lately, tag': [
    { field: 'clicked', withinDays: 90 },
    { field: 'bought', categoryId: lamps, withinDays: 180 },
    { field: 'tag', values: ['regular', 'summer'] },
  ],
  'clicked ever, plan, market': [
    { field: 'clicked' },
    { field: 'plan', values: ['free'] },
    { field: 'market', values: ['us', 'de'] },
  ],
})

/** More often than the five times after which PostgreSQL may settle for a plan without the values. */
async function countOften({ owner, collection }: Place, conditions: Condition[]) {
  const ask = async () => {
    const start = performance.now()
    const answer = await owner.post(`${collection.path}/subscribers/matching`, { conditions })
    if (answer.status !== 200) throw new Error(answer.text)
    return { ...(answer.body as { matching: number; total: number }), seconds: (performance.now() - start) / 1_000 }
  }
  const first = await ask() // brings the rows into memory
  const seconds: number[] = []
  for (let round = 0; round < ROUNDS; round++) seconds.push((await ask()).seconds)
  return { ...first, seconds }
}

/** The segment with the most readers: planning counts the same, and no batch keeps others waiting. */
async function planOne({ api }: SendWorld, place: Place, note: Run['note']): Promise<Figure[]> {
  const { db, id: businessId } = place
  const conditions = segmentsOf(place)['not category, not common tag, reader since'] ?? []
  const counted = await countOften(place, conditions)
  const entry = await place.entry(letter())
  const send = await place.send(entry, { conditions })
  const sendWorker = createSendWorker(api, { smtpUrl: 'smtp://127.0.0.1:1' }) // it starts it, and sends nothing
  await sendWorker.start(db)
  sendWorker.close()
  const seconds: number[] = []
  for (let isDone = false; !isDone; ) {
    const start = performance.now()
    isDone = (await planRecipients(db, { businessId, id: send.id }, markCustomers)) === 'DONE'
    seconds.push((performance.now() - start) / 1_000)
  }
  const { total } = await send.get()
  const all = seconds.reduce((sum, each) => sum + each, 0)
  note(`planned ${total} in ${seconds.length} batches, ${all.toFixed(1)} s`)
  const difference = Math.abs(total - counted.matching)
  return [
    {
      name: 'planned, but not counted, or the other way',
      value: difference,
      unit: '',
      goal: '0',
      ok: difference === 0,
    },
    { name: 'planning: recipients', value: total, unit: '' },
    { name: 'planning: seconds', value: all, unit: 's' },
    { name: 'planning: longest batch', value: Math.max(...seconds), unit: 's' },
  ]
}
