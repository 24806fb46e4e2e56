import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { rebuildProducts } from '#modules/catalog/index.ts'
import { rebuildContent } from '#modules/content/index.ts'
import { startChild } from '../../support/child.ts'
import type { Answer } from '../../support/client.ts'
import { onServer } from '../../support/database.ts'
import { type SeededBusiness, seedBusiness } from '../../support/seed-business.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

// During an upgrade the database is ahead of processes that still run the version before.

const MAIL = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'hello@kontor.example' }
/** Written by nothing that is done here: of these only the text of their statements is looked at. */
const NOT_WRITTEN = [
  ...['guest_aliases', 'identities', 'known_addresses', 'oauth_flows', 'origins'].map(of('accounts')),
  ...['login_challenges', 'passkeys', 'phone_codes', 'recovery_codes'].map(of('accounts')),
  ...['second_factors', 'sign_in_domains', 'sign_in_providers'].map(of('accounts')),
  ...['used_challenges', 'verified_phones'].map(of('accounts')),
  'accounts.operators',
  'access.business_exports',
  'access.operator_log',
  'control.identity',
  'cell.identity',
  'cell.moves',
  'cell.changed_rows',
  'cell.moving_jobs',
  'cell.skipped_subjects',
  'control.moves',
  'cell.usage',
  'cell.usage_days',
  'callouts.answers',
  ...['broken', 'businesses', 'nights', 'runs', 'turns'].map(of('checks')),
  ...['import_keys', 'import_pictures', 'listing_stock'].map(of('catalog')),
  'content.generation_usage',
  ...['leftovers', 'sources', 'usages', 'words'].map(of('media')),
  'customers.aliases',
  ...['readers', 'rebuilding', 'subscriptions'].map(of('reports')),
  ...['checkouts', 'clicks', 'due_letters', 'feed_positions', 'opens', 'outbound', 'rates', 'recipients'].map(
    of('newsletter'),
  ),
  ...['unsubscribes', 'wishes'].map(of('newsletter')),
  ...['attempts', 'deliveries', 'endpoints', 'feeds', 'operator_endpoints', 'positions'].map(of('webhooks')),
]
function of(schema: string) {
  return (table: string) => `${schema}.${table}`
}

const used = useWorld({ providers: ['stripe'], own: true, env: MAIL })

const TABLES = `
  select oid::regclass::text as name
    from pg_class
   where relkind in ('r', 'p') and not relispartition and relname <> 'migrations'
     and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema', 'graphile_worker')
   order by 1`

async function addColumns(url: string): Promise<string[]> {
  return onServer(async (client) => {
    const { rows } = await client.query<{ name: string }>(TABLES)
    for (const { name } of rows)
      await client.query(`alter table ${name} add column of_next_version text not null default 'new'`)
    return rows.map(({ name }) => name)
  }, url)
}

/** One call for each table that a furnished shop has nothing in. */
async function writeTheRest({ admin, customer, path, id, bodies, records, newsletter }: SeededBusiness): Promise<void> {
  const call = async (answer: Promise<Answer>) => {
    const { status, text, body } = await answer
    assert.ok(status < 300, `${status} ${text}`)
    return body
  }
  const key = { 'idempotency-key': 'one' }
  await call(admin.put('/v1/users/update', { apiTokens: [{ name: 'till' }] }))
  await call(admin.put(`/v1/users/me/businesses/${id}`, bodies.updateMyBusinessConfig))
  await call(admin.post('/v1/users/forgot-password', { email: admin.email }))
  await call(admin.post('/v1/businesses', bodies.createBusiness, key))
  await call(admin.post(`${path}/products`, bodies.createProduct, key))
  const file = { raw: '{"name":""}\n', headers: { 'content-type': 'application/x-ndjson' } }
  await call(admin.send('POST', `${path}/products/imports`, file))
  await call(
    admin.post(`${path}/promo-codes`, { code: 'ONCE', type: 'FIXED', currency: 'USD', value: 1, maxPerCustomer: 1 }),
  )
  const bought = await call(customer.post(`${path}/orders/checkout`, { ...bodies.checkout, promoCode: 'ONCE' }))
  used.twin.pay(bought.checkoutUrl.split('/').at(-1))
  const order = `${path}/orders/${bought.orderId}`
  await until('it is paid', async () => (await admin.get(order)).body.paymentStatus.at(-1).status === 'PAID')
  const { lines } = await call(admin.get(order))
  await call(admin.post(`${order}/refunds`, { lines: [{ lineId: lines[0].id, quantity: 1 }] }))
  await call(admin.post(`${path}/collections/${newsletter.id}/automations`, bodies.createAutomation))
  const soldOut = { name: 'Sold out', statuses: [{ status: 'ACTIVE' }] }
  const none = { id: 'one', sku: 'NONE', inventory: { tracked: true, quantity: 0 } }
  const { id: productId } = await call(admin.post(`${path}/products`, { ...soldOut, variants: [none] }))
  const wish = { email: bodies.updateBusiness?.contactEmail, productId, variantId: 'one' }
  await call(admin.post(`${path}/collections/${newsletter.id}/wishes`, wish))
  await call(admin.put(`${path}/products/${records.products?.[0]}/variants/one/prices/us`, { price: 900 }))
  await call(admin.post('/v1/users/me/export', undefined))
}

test('a column with a default that the next version adds to any table breaks no write of this one', async (t) => {
  const { api, make } = used
  const { main } = api.databases
  const tables = await addColumns(main.url)
  const shop = await seedBusiness(make, { canary: 'Lantern' })
  const { admin, path, records, bodies, id, db } = shop
  await writeTheRest(shop)
  const [product, entry, imported] = [records.products?.[0], records.entries?.[0], records.imports?.[0]]
  for (const [at, body] of [
    [`/products/${product}`, bodies.updateProduct],
    [`/entries/${entry}`, bodies.updateEntry],
  ] as const) {
    const { status, text } = await admin.put(`${path}${at}`, body)
    assert.equal(status, 200, text)
  }
  const worker = await startChild('worker', { ...api.databases.env, ...MAIL })
  t.after(() => worker.kill())
  await until('the import is done', async () => {
    const { body } = await admin.get(`${path}/products/imports/${imported}`)
    return body.status === 'DONE'
  })
  await until('what was bought is kept', async () => {
    const { rows } = await sql`select from customers.bought where business_id = ${id}`.execute(db)
    return rows.length > 0
  })
  const left = await shop.customer.delete('/v1/users/me') // with an order in work, which waits
  assert.equal(left.status, 200, left.text)
  assert.ok((await rebuildProducts(db, { businessId: id })) >= 2)
  const rebuilt = await rebuildContent(db, { businessId: id })
  assert.ok(rebuilt.collections >= 2 && rebuilt.entries >= 2)
  const { body } = await admin.get(`${path}/products/imports/${imported}`)
  assert.equal(body.created, 1)

  // Those that are written and emptied again (outboxes, lines of an import) are counted as well; counts come a little later.
  const untouched = () =>
    onServer(async (client) => {
      const { rows } = await client.query<{ name: string }>(`
        select inhparent::regclass::text as name, n_tup_ins from pg_stat_user_tables join pg_inherits on inhrelid = relid where n_tup_ins > 0
         union select relid::regclass::text, n_tup_ins from pg_stat_user_tables where n_tup_ins > 0`)
      const written = new Set(rows.map(({ name }) => name))
      return tables.filter((name) => !written.has(name) && !NOT_WRITTEN.includes(name))
    }, main.url)
  await until('all that was written is counted', async () => (await untouched()).length === 0).catch(() => {})
  assert.deepEqual(await untouched(), [], 'write these here, too, or name them above')
})

/** Into a partition, from another one of the same table. */
const MOVED = 'insert into ${name}' // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source

test('every insert names its columns', () => {
  const files = globSync(path.join(import.meta.dirname, '../../../src/**/*.{ts,sql}'))
  const inserts = files.flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(/insert into [^`;]*?\b(?=(select|values|default)\b)/g),
  ])
  const unnamed = inserts.map(([text]) => text.trim()).filter((text) => !text.includes('(') && text !== MOVED)
  assert.ok(inserts.length > 20, `${inserts.length} were found`)
  assert.deepEqual(unnamed, [])
})
