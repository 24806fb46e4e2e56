import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ControlDb, Db } from '#platform/database/database.ts'
import { type OpenApi, operationsOf, realPath } from '../../scenarios/fuzz-requests.ts'
import { createClient } from '../../support/client.ts'
import { type SeededBusiness, seedBusiness } from '../../support/seed-business.ts'
import { startApi } from '../../support/start-api.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({
  providers: ['stripe'],
  env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'hello@kontor.example' },
})

/** No request stores these. An earlier version, an import, or an operator may have. */
const ODD = [
  '"bob@example.com"@e.test',
  'neither an email address nor a URL',
  '',
  `${'a'.repeat(300)}@e.test`,
  'http://[',
]

/** Email addresses and URLs; keys, which are unique, stay. */
const COLUMNS = '(^|_)(email|url|issuer)$'

async function writeOdd(db: ControlDb | Db, value: string): Promise<string[]> {
  const { rows } = await sql<{ schema: string; table: string; column: string }>`
    select table_schema as schema, table_name as table, column_name as column
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_type = 'BASE TABLE' and data_type = 'text' and column_name ~ ${COLUMNS}`.execute(db)
  for (const { schema, table, column } of rows)
    await sql`update ${sql.table(`${schema}.${table}`)} set ${sql.ref(column)} = ${value}`.execute(db)
  return rows.map(({ schema, table, column }) => `${schema}.${table}.${column}`)
}

/** Those inside of documents. */
async function writeOddInside(control: ControlDb, { id, db }: SeededBusiness, value: string): Promise<void> {
  const address = JSON.stringify({ street: 'Quay 1', city: 'Leith', state: '', zip: '1', country: value })
  const media = JSON.stringify([{ id: 'one', url: value, mimeType: value }])
  await sql`
    update orders.orders set shipping_address = ${address}, billing_address = ${address}
     where business_id = ${id}`.execute(db)
  await sql`update customers.customers set addresses = ${`[${address}]`} where business_id = ${id}`.execute(db)
  await sql`update catalog.products set gallery = ${media} where business_id = ${id}`.execute(db)
  await sql`update catalog.categories set image = ${media}::jsonb -> 0 where business_id = ${id}`.execute(db)
  await sql`
    update access.businesses
       set logo = ${media}::jsonb -> 0,
           callouts = jsonb_set(callouts::jsonb, '{tax.calculate,url}', to_jsonb(${value}::text))
     where id = ${id}`.execute(control)
  await sql`update accounts.users set addresses = ${`[${address}]`}`.execute(control)
}

async function makeShop() {
  const { make, api } = used
  const shop = await seedBusiness(make, { canary: 'Lantern' })
  const { admin, path, id } = shop
  const endpoint = await admin.post(`${path}/webhook-endpoints`, { url: 'https://8.8.8.8/', types: ['*'] })
  assert.equal(endpoint.status, 201, endpoint.text)
  const callout = await admin.put(`${path}/callouts/tax.calculate`, { url: 'https://8.8.8.8/' })
  assert.equal(callout.status, 200, callout.text)
  const provider = { clientId: 'kontor', roleClaim: 'groups', roles: '[]', sealedSecret: Buffer.alloc(8) }
  const at = { createdAt: now(), updatedAt: now() }
  await api.services.databases.control
    .insertInto('accounts.signInProviders')
    .values({ ...provider, ...at, businessId: id, issuer: '', secretLast4: 'last', trustsSecondFactor: false })
    .execute()
  const records: SeededBusiness['records'] = {
    ...shop.records,
    'webhook-endpoints': [endpoint.body.id],
    callouts: ['tax.calculate'],
  }
  return { ...shop, records }
}

test('stored values that fit no format › appear in every read', async () => {
  const { control } = used.api.services.databases
  const shop = await makeShop()
  const people = { admin: shop.admin, customer: shop.customer, operator: await used.make.operator() }
  const document = used.api.app.openApiDocument() as unknown as OpenApi
  const reads = operationsOf(document).filter(({ method, id }) => method === 'GET' && id !== 'streamEvents')
  const [order = ''] = shop.records.orders ?? []
  const failed = new Set<string>()
  const shown = new Set<string>()
  const note = (what: string, { status }: { status: number }) => void (status === 500 && failed.add(what))

  for (const value of ODD) {
    const columns = [...(await writeOdd(control, value)), ...(await writeOdd(shop.db, value))]
    assert.ok(columns.includes('orders.orders.contact_email') && columns.includes('accounts.users.email'))
    await writeOddInside(control, shop, value)
    // A process that has none of it in its caches.
    const api = await startApi({ databases: used.api.databases, env: used.env })
    try {
      for (const [name, { token }] of Object.entries(people)) {
        const client = createClient(api.url, { authorization: `Bearer ${token}` })
        for (const read of reads) {
          const answer = await client.get(realPath(read, shop.records))
          note(`${name} ${read.id}`, answer)
          if (answer.text.includes(JSON.stringify(value)) && value !== '') shown.add(read.id)
        }
        note(`${name} listOrders ?query`, await client.get(`${shop.path}/orders?query=mug`))
        note(`${name} listOrders ?limit`, await client.get(`${shop.path}/orders?limit=1`))
        note(`${name} updateOrder`, await client.put(`${shop.path}/orders/update`, { id: order, tags: [name] }))
      }
    } finally {
      await api.close()
    }
  }
  assert.deepEqual([...failed], [])
  for (const id of ['listOrders', 'getOrder', 'listMembers', 'getMe', 'listWebhookEndpoints', 'getBusiness'])
    assert.ok(shown.has(id), `${id} shows none of them`)
})
