import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { refreshPrices } from '#modules/catalog/products/refresh-prices.ts'
import { announceLowStock } from '#modules/catalog/stock/announce-low-stock.ts'
import { erasureJobs } from '#modules/customers/index.ts'
import { sweepMedia } from '#modules/media/sweep.ts'
import { startDue } from '#modules/newsletter/index.ts'
import type { Cell } from '#platform/database/database.ts'
import { createStorage, type Storage } from '#platform/storage/storage.ts'
import { newId } from '#vocabulary/ids.ts'
import { openCustomers } from '../../support/customers.ts'
import { createMake, type Make } from '../../support/make.ts'
import { type MediaStore, openStore } from '../../support/media-stores.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'

let api: TestApi
let make: Make
let store: MediaStore
const lines: string[] = []
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })

before(async () => {
  store = await openStore('folder')
  api = await startApi({ env: store.env })
  make = createMake(api)
})
after(async () => {
  await api.close()
  await store.close()
})

const main = () => api.services.databases.cells.get('main') as Cell
const context = () => ({
  db: main(),
  control: api.services.databases.control,
  services: { storage: createStorage(api.config) },
  signal: new AbortController().signal,
  log,
})
const open = () => openCustomers(api, make, { cell: 'main' })
const isLogged = (businessId: string) => lines.some((line) => line.includes(businessId))

/** A row as only an archive of an earlier version could bring it in. */
async function addFile(businessId: string, changes: { id?: string; sha256?: string } = {}): Promise<string> {
  const { id = newId('med'), sha256 = 'a'.repeat(64) } = changes
  await sql`
    insert into media.files (business_id, id, status, file_name, sort_name, mime_type, kind, size, sha256, alt, tags, words,
                             upload_expires_at, created_at, updated_at)
    values (${businessId}, ${id}, 'PENDING', 'a.png', 'a.png', 'image/png', 'image', 100, ${sha256}, '{}', '{}', '{}',
            now() - interval '40 hours', now() - interval '40 hours', now() - interval '40 hours')`.execute(main())
  return id
}

test('uploads and leftover files go although those of another business cannot', async () => {
  const [bad, good] = [await make.business({ cell: 'main' }), await make.business({ cell: 'main' })]
  await addFile(bad.id)
  await sql`insert into media.used (business_id, bytes) values (${bad.id}, 1)`.execute(main()) // less than the file frees
  const id = await addFile(good.id)
  await sql`insert into media.used (business_id, bytes) values (${good.id}, 100)`.execute(main())
  for (let number = 0; number < 8; number++)
    await sql`
      insert into media.leftovers (business_id, prefix, due_at)
      values (${bad.id}, ${`incoming/${bad.id}/../${number}`}, '1971-01-01')`.execute(main())
  const about = { mimeType: 'application/pdf', isAttachment: true, isImmutable: true, size: 4 }
  const storage = context().services.storage as Storage
  await storage.put(`public/${good.id}/a/file.pdf`, Buffer.from('%PDF'), about)
  await sql`insert into media.leftovers (business_id, prefix, due_at) values (${good.id}, ${`public/${good.id}/a/`}, '2020-01-01')`.execute(
    main(),
  )

  await sweepMedia.run({}, context() as never)
  assert.deepEqual(await store.keys(good.id), [])
  const { rows } = await sql`select from media.files where business_id = ${good.id} and id = ${id}`.execute(main())
  assert.equal(rows.length, 0)
  const { rows: left } = await sql`
    select from media.leftovers where business_id = ${bad.id} and prefix like '%..%'`.execute(main())
  assert.equal(left.length, 0, 'a prefix that is none is forgotten')
  assert.ok(isLogged(bad.id))
})

test('prices change in time although a product of another business cannot be read', async () => {
  const [bad, good] = [await open(), await open()]
  for (const { id } of [bad, good])
    await sql`update catalog.products set prices_change_at = now() - interval '1 minute' where business_id = ${id}`.execute(
      main(),
    )
  await sql`
    update catalog.products set prices_change_at = now() - interval '1 hour' where business_id = ${bad.id}`.execute(
    main(),
  )
  await sql`update catalog.variants set prices = '5' where business_id = ${bad.id}`.execute(main())
  await refreshPrices.run({}, context() as never)
  const { rows } = await sql<{ businessId: string }>`
    select business_id from catalog.products where prices_change_at <= now()`.execute(main())
  assert.deepEqual(
    rows.map(({ businessId }) => businessId),
    [bad.id],
  )
  assert.ok(isLogged(bad.id))
})

test('low stock is announced although a product of another business has no id', async () => {
  const [bad, good] = [await open(), await open()]
  for (const { id } of [bad, good])
    await sql`update catalog.stock set low_news_due = true, low_at = now() where business_id = ${id}`.execute(main())
  for (const table of ['variants', 'stock', 'products'])
    await sql`alter table ${sql.table(`catalog.${table}`)} disable trigger all`.execute(main())
  await sql`update catalog.stock set product_id = 'a/b' where business_id = ${bad.id}`.execute(main())
  for (const table of ['variants', 'stock', 'products'])
    await sql`alter table ${sql.table(`catalog.${table}`)} enable trigger all`.execute(main())
  await announceLowStock.run({}, context() as never)
  const { rows } = await sql`
    select from graphile_worker._private_jobs where payload ->> 'businessId' = ${good.id} and payload::jsonb ? 'variants'`.execute(
    main(),
  )
  assert.equal(rows.length, 1)
  assert.ok(isLogged(bad.id))
})

test('people are erased although an order of another business cannot be', async () => {
  const [bad, good] = [await open(), await open()]
  const ada = await make.user()
  for (const shop of [bad, good]) {
    const { id } = await shop.sell(ada.id)
    await sql`
      insert into customers.kept_orders (business_id, order_id, customer_id, due_at)
      values (${shop.id}, ${id}, ${ada.id}, now() - interval '1 day')`.execute(main())
  }
  await sql`
    insert into customers.erasures (business_id, user_id, ids, promo_customer, step, after, due_at, created_at)
    select business_id, user_id, '{}', '', 'READERS', '', now() - interval '1 day', now()
        from (values (${bad.id}, 'a/b'), (${good.id}, ${ada.id})) as erased (business_id, user_id)`.execute(main())
  const erasePayers = async (_tx: unknown, businessId: string) => {
    if (businessId === bad.id) throw new Error('The payment is damaged')
  }
  const others = { erasePayers, eraseEntries: async () => false }
  const sweep = erasureJobs(others as never).find(({ name }) => name === 'customers.sweep-erasures')
  await sweep?.run({}, context() as never)
  const { rows } = await sql<{ businessId: string }>`
    select business_id from customers.kept_orders where due_at <= now()`.execute(main())
  assert.deepEqual(
    rows.map(({ businessId }) => businessId),
    [bad.id],
  )
  const { rows: jobs } = await sql`
    select from graphile_worker._private_jobs where key = ${`erase ${good.id} ${ada.id}`}`.execute(main())
  assert.equal(jobs.length, 1)
})

test('a newsletter starts although many of another business cannot', async () => {
  const [bad, good] = [await make.business({ cell: 'main' }), await make.business({ cell: 'main' })]
  const add = (businessId: string, remainderOf: string | null, at: string) =>
    sql`
    insert into newsletter.sends (business_id, id, entry_id, collection_id, status, on_uncertain, scheduled_at, created_at,
                                  updated_at, remainder_of)
    values (${businessId}, ${newId('snd')}, ${newId('ent')}, 'col_none', 'SCHEDULED', 'SKIP', ${at}, now(), now(), ${remainderOf})`.execute(
      main(),
    )
  for (let number = 0; number < 20; number++) await add(bad.id, 'snd_none', '2020-01-01')
  await add(good.id, null, '2021-01-01')
  await startDue(api.services.databases.control, main(), 'http://localhost', log)
  const { rows } = await sql<{ status: string }>`
    select status from newsletter.sends where business_id = ${good.id}`.execute(main())
  assert.deepEqual(rows, [{ status: 'CANCELLED' }], 'its entry is gone, and it is told so')
})
