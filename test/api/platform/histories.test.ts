import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { RouteInfo } from '#platform/http/access.ts'
import { PERMISSIONS, type Permission } from '#vocabulary/permissions.ts'
import type { Client } from '../../support/client.ts'
import { type SeededBusiness, seedBusiness } from '../../support/seed-business.ts'
import { useWorld } from '../../support/world.ts'

// Every record that has a history of its status, wherever it can be read × everybody who can read it: who of the staff has
// changed it is told only to those who may change it, too.

const used = useWorld({
  providers: ['stripe'],
  env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'hello@kontor.example' },
})

type Kind = 'prod' | 'col' | 'ent' | 'ord'
const TOLD: Record<Kind, Permission[]> = {
  prod: ['PRODUCTS_WRITE'],
  col: ['CONTENT_WRITE'],
  ent: ['CONTENT_WRITE'],
  ord: ['ORDERS_READ', 'ORDERS_WRITE'],
}
type Reader = Client & { name: string; id: string; holds: readonly Permission[] }
type Seen = { kind: Kind; userIds: string[] }

type World = { shop: SeededBusiness; readers: Reader[]; note: { id: string } }

let made: Promise<World> | undefined
const world = () => (made ??= makeWorld())

async function makeWorld(): Promise<World> {
  const shop = await seedBusiness(used.make, { canary: 'Lantern' })
  const { admin, path, records, customer, id } = shop
  const [product = '', collection = ''] = [records.products?.[0], records.collections?.[0]]
  const blocks = [
    { id: 'title', type: 'TEXT', value: '"statuses":[{"userId":"usr_quoted"}]' },
    { id: 'link', type: 'RELATIONSHIP', value: product },
  ]
  const post = (at: string, body: object) => admin.post(`${path}${at}`, body)
  await post('/entries', { collectionId: collection, blocks, statuses: [{ status: 'PUBLISHED' }] })
  const note = (await post('/entries', { owner: `order:${records.orders?.[0]}`, blocks })).body
  for (const orderId of records.orders ?? []) await admin.put(`${path}/orders/${orderId}/status`, { status: 'SHIPPED' })

  const member = async (name: string, ...holds: Permission[]) => ({
    ...(await used.make.member(id, ...holds)),
    name,
    holds,
  })
  const readers = [
    { ...(await used.make.guest()), name: 'a guest', holds: [] },
    { ...(await used.make.user()), name: 'a stranger', holds: [] },
    { ...customer, name: 'the customer', holds: [] },
    { ...admin, name: 'the ADMIN', holds: PERMISSIONS },
    await member('a member without permissions'),
    ...(await Promise.all(
      PERMISSIONS.filter((permission) => permission !== 'ADMIN').map((permission) => member(permission, permission)),
    )),
  ]
  return { shop, readers, note }
}

/** The histories anywhere in an answer, with the kind of record that each belongs to. */
function* historiesIn(value: unknown): Generator<Seen> {
  if (typeof value !== 'object' || value === null) return
  const record = value as Record<string, unknown>
  for (const name of ['statuses', 'paymentStatus']) {
    const history = record[name]
    if (!Array.isArray(history) || typeof record.id !== 'string') continue
    const entries = history as { changedBy?: string; userId?: string }[]
    assert.ok(entries.every(({ changedBy }) => changedBy !== undefined))
    yield { kind: record.id.split('_')[0] as Kind, userIds: entries.flatMap(({ userId }) => userId ?? []) }
  }
  for (const part of Object.values(record)) yield* historiesIn(part)
}

/** Every address that a route may be read at, lists also searched and with what their records point at. */
function addressesOf({ shop, note }: World, { url, method }: RouteInfo): string[] {
  if (method !== 'GET' || !url.startsWith('/v1/businesses/:businessId')) return []
  const ids = (name: string) => (name === 'entries' ? [...(shop.records.entries ?? []), note.id] : shop.records[name])
  const parts = url.split('/')
  const paths = parts.reduce<string[]>(
    (made, part, index) =>
      part.startsWith(':')
        ? made.flatMap((path) => (ids(parts[index - 1] ?? '') ?? ['one']).map((id) => `${path}/${id}`))
        : made.map((path) => (index === 0 ? '' : `${path}/${part}`)),
    [''],
  )
  const isList = ['products', 'collections', 'entries', 'orders'].includes(parts.at(-1) ?? '')
  const queries = isList ? ['query=lantern', `owner=order:${shop.records.orders?.[0]}`] : []
  return paths.flatMap((path) =>
    ['', '?include=relations', ...queries.map((query) => `?${query}`)].map((query) => `${path}${query}`),
  )
}

async function readHistories({ get }: Pick<Client, 'get'>, path: string): Promise<Seen[]> {
  const { status, text, body } = await get(path)
  if (status !== 200) return []
  const lines = path.includes('/export') ? text.split('\n').filter((line) => line.startsWith('{')) : []
  return [...historiesIn([body, ...lines.map((line) => JSON.parse(line) as unknown)])]
}

test('who of the staff has changed a status is told only to those who may change it', async () => {
  const made = await world()
  const { admin } = made.shop
  const addresses = used.api.app.routeTable
    .filter(({ isStream }) => !isStream) // tells what the feed tells, and has no end
    .flatMap((route) => addressesOf(made, route))
  const known = await Promise.all(addresses.map(async (path) => ({ path, found: await readHistories(admin, path) })))
  const paths = known.filter(({ found }) => found.length > 0).map(({ path }) => path) // nobody sees more than the ADMIN
  assert.ok(paths.length > 15, paths.join('\n'))

  for (const reader of made.readers) {
    const found = (await Promise.all(paths.map((path) => readHistories(reader, path)))).flat()
    const isTold = (kind: Kind) => reader.holds.some((permission) => TOLD[kind].includes(permission))
    const leaks = found.filter(({ kind, userIds }) => !isTold(kind) && userIds.some((id) => id !== reader.id))
    assert.deepEqual(leaks, [], reader.name)
    for (const kind of ['prod', 'col', 'ent'] as const) {
      const ofKind = found.filter((seen) => seen.kind === kind)
      assert.ok(ofKind.length > 1, `${reader.name} reads ${kind}`)
      assert.equal(
        ofKind.some(({ userIds }) => userIds.includes(admin.id)),
        isTold(kind),
        `${reader.name}: ${kind}`,
      )
    }
  }
})

test('a customer reads what became of an order, but not who of the staff did it', async () => {
  const { shop } = await world()
  const path = `${shop.path}/orders/${shop.records.orders?.[0]}`
  const { body } = await shop.customer.get(path)
  const last = body.statuses.at(-1)
  assert.deepEqual([last.status, last.changedBy, last.userId], ['SHIPPED', 'USER', undefined])
  const first = body.statuses[0]
  assert.ok(first.userId === undefined || first.userId === shop.customer.id)
  assert.equal((await shop.admin.get(path)).body.statuses.at(-1).userId, shop.admin.id)
})

test('a history keeps everything else: id, status, changedBy and timestamp', async () => {
  const { shop } = await world()
  const guest = await used.make.guest()
  for (const at of ['products', 'collections', 'entries']) {
    const path = `${shop.path}/${at}/${shop.records[at]?.[0]}`
    const [told, hidden] = [(await shop.admin.get(path)).body, (await guest.get(path)).body]
    const { staleEntries: _, ...whole } = told
    const statuses = told.statuses.map((entry: object) => ({ ...entry, userId: undefined }))
    assert.deepEqual(hidden, JSON.parse(JSON.stringify({ ...whole, statuses })))
  }
})

test('a text that looks like a history stays what it is', async () => {
  const { shop } = await world()
  const guest = await used.make.guest()
  const { body } = await guest.get(`${shop.path}/entries?limit=100`)
  const titles = body.items.flatMap(({ blocks }: { blocks: { value: unknown }[] }) => blocks.map(({ value }) => value))
  assert.ok(titles.includes('"statuses":[{"userId":"usr_quoted"}]'))

  const text = '"statuses":[{"id":"x","userId":"usr_quoted"}]'
  const blocks = [{ id: 'note', type: 'TEXT', value: text }]
  const variants = [{ id: 'one', name: text, attributes: [{ name: text, value: text }] }]
  const product = await used.make.product(shop, { name: text, description: text, category: text, variants, blocks })
  const { statuses, ...whole } = (await shop.admin.get(product.path)).body
  const { statuses: hidden, ...seen } = (await guest.get(product.path)).body
  assert.deepEqual(seen, whole)
  assert.deepEqual([statuses.length, hidden.length, hidden[0].userId], [1, 1, undefined])
})

test('what was stored long ago is covered as well: nothing has to be rebuilt first', async () => {
  const { shop } = await world()
  const guest = await used.make.guest()
  const product = await used.make.product(shop)
  const { rows } = await sql<{ document: string }>`
    select document from catalog.products where business_id = ${shop.id} and id = ${product.id}`.execute(shop.db)
  assert.ok(rows[0]?.document.includes(shop.admin.id), 'one text is stored, with the id in it')
  assert.ok(!(await guest.get(product.path)).text.includes(shop.admin.id))
})

test('the two texts have two ETags, so that a 304 is never about the other one', async () => {
  const { shop } = await world()
  const guest = await used.make.guest()
  for (const at of ['products', 'collections', 'entries', 'orders']) {
    const path = `${shop.path}/${at}/${shop.records[at]?.[0]}`
    const reader = at === 'orders' ? shop.customer : guest
    const tagOf = async ({ get }: Pick<Client, 'get'>) => (await get(path)).headers.get('etag') ?? ''
    const [told, hidden] = [await tagOf(shop.admin), await tagOf(reader)]
    assert.notEqual(told, hidden, at)
    const status = async ({ get }: Pick<Client, 'get'>, tag: string) =>
      (await get(path, { 'if-none-match': tag })).status
    assert.deepEqual([await status(reader, hidden), await status(reader, told)], [304, 200], at)
    assert.deepEqual([await status(shop.admin, told), await status(shop.admin, hidden)], [304, 200], at)
  }
})

test('an ETag from a read without permissions still guards a change', async () => {
  const { shop } = await world()
  const guest = await used.make.guest()
  for (const [at, change] of [
    ['products', { name: 'Renamed' }],
    ['collections', { name: 'Renamed' }],
    ['entries', { locale: 'fr' }],
  ] as const) {
    const path = `${shop.path}/${at}/${shop.records[at]?.[0]}`
    const tag = (await guest.get(path)).headers.get('etag') ?? ''
    assert.equal((await shop.admin.put(path, change, { 'if-match': tag })).status, 200, at)
    assert.equal((await shop.admin.put(path, change, { 'if-match': tag })).status, 412, at)
  }
})
