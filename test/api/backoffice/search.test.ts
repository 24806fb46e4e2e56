import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { indexOrders } from '#modules/orders/index.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import type { Client } from '../../support/client.ts'
import { PUBLISHED, TITLE } from '../../support/content.ts'
import { openCustomers } from '../../support/customers.ts'
import { item } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const silent = pino({ level: 'silent' })

async function open() {
  const shop = await openCustomers(used.api, used.make)
  const business = shop.path.replace('/customers', '')
  const ada = await used.make.user()
  const order = await shop.sell(ada.id, {
    contactEmail: 'lantern@example.com',
    shippingAddress: { name: 'Lina Lantern', country: 'DE' },
  })
  const shown = await shop.product({ name: 'Harbour lantern' })
  const draft = await shop.product({ name: 'Secret lantern', statuses: [{ status: 'DRAFT' }] })
  const collection = await shop.admin.post(`${business}/collections`, {
    name: 'Pages',
    blocks: [TITLE],
    statuses: PUBLISHED,
  })
  const write = async (title: string, statuses?: object) => {
    const made = await shop.admin.post(`${business}/entries`, {
      collectionId: collection.body.id,
      blocks: [{ id: 'title', type: 'TEXT', value: title }],
      ...(statuses && { statuses }),
    })
    assert.equal(made.status, 201, made.text)
    return made.body.id as string
  }
  const [published, hidden] = [await write('All about lanterns', PUBLISHED), await write('Lantern plans')]
  await sequenceEvents(shop.db, ['order', { topic: 'customers-orders', of: 'order' }])
  await indexOrders(shop.db, silent)
  await shop.follow()
  const find = async (caller: Pick<Client, 'get'>, query: string) => {
    const answer = await caller.get(`${business}/search?query=${encodeURIComponent(query)}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const idsOf = async (caller: Pick<Client, 'get'>, query: string) => {
    const found = (await find(caller, query)) as Record<string, { id: string }[]>
    return Object.fromEntries(Object.entries(found).map(([list, rows]) => [list, rows.map(({ id }) => id).sort()]))
  }
  return { ...shop, business, ada, order, shown, draft, published, hidden, collection, find, idsOf }
}

test('one search finds orders, products, customers and entries', async () => {
  const shop = await open()
  const found = await shop.find(shop.admin, 'lantern')
  assert.deepEqual(Object.keys(found), ['orders', 'products', 'customers', 'entries'])
  const { number, createdAt } = (await shop.admin.get(`${shop.orders}/${shop.order.id}`)).body
  assert.deepEqual(found.orders, [
    {
      id: shop.order.id,
      number,
      email: 'lantern@example.com',
      status: 'PENDING',
      paymentStatus: 'PAID',
      total: 1_000,
      currency: 'USD',
      createdAt,
    },
  ])
  assert.deepEqual(
    found.customers.map((row: Record<string, unknown>) => [row.id, row.name, row.email, row.orders]),
    [[shop.ada.id, 'Lina Lantern', 'lantern@example.com', 1]],
  )
  assert.deepEqual(
    found.products.find(({ id }: { id: string }) => id === shop.draft.id),
    {
      id: shop.draft.id,
      name: 'Secret lantern',
      slug: shop.draft.slug,
      status: 'DRAFT',
      sku: shop.draft.body.variants[0].sku,
    },
  )
  assert.deepEqual(
    found.entries.find(({ id }: { id: string }) => id === shop.published),
    { id: shop.published, collectionId: shop.collection.body.id, title: 'All about lanterns', status: 'PUBLISHED' },
  )
  assert.deepEqual(await shop.find(shop.admin, 'nowhere'), { orders: [], products: [], customers: [], entries: [] })
})

test('everybody finds what they may see, and nothing else', async () => {
  const shop = await open()
  const member = (permission: Permission) => used.make.member(shop.id, permission)
  const [products, all] = [[shop.shown.id], [shop.shown.id, shop.draft.id].sort()]
  const [entries, drafts] = [[shop.published], [shop.published, shop.hidden].sort()]
  const nothing = { orders: [], customers: [] }
  const clerk = await member('ORDERS_READ')
  assert.deepEqual(await shop.idsOf(clerk, 'lantern'), {
    orders: [shop.order.id],
    customers: [shop.ada.id],
    products,
    entries,
  })
  const seller = await member('PRODUCTS_WRITE')
  assert.deepEqual(await shop.idsOf(seller, 'lantern'), { ...nothing, products: all, entries })
  const editor = await member('CONTENT_READ_DRAFTS')
  assert.deepEqual(await shop.idsOf(editor, 'lantern'), { ...nothing, products, entries: drafts })
  const stranger = await used.make.user()
  assert.equal((await stranger.get(`${shop.business}/search?query=lantern`)).status, 403)
  const other = await open()
  assert.equal((await other.admin.get(`${shop.business}/search?query=lantern`)).status, 403)
  assert.deepEqual((await other.idsOf(other.admin, 'lantern')).customers, [other.ada.id])
})

test('five of each at most, and a query that says something', async () => {
  const shop = await open()
  for (let count = 0; count < 6; count++) {
    const { id } = await used.make.user()
    await shop.sell(id, { shippingAddress: { name: `Lantern ${count}`, country: 'DE' } })
    await shop.product({ name: `Lantern ${count}` })
  }
  await shop.checkout(await used.make.user(), { items: [item(shop.goods)] })
  await sequenceEvents(shop.db, ['order', { topic: 'customers-orders', of: 'order' }])
  await indexOrders(shop.db, silent)
  await shop.follow()
  const { orders, products, customers } = await shop.find(shop.admin, 'lantern')
  assert.deepEqual([orders.length, products.length, customers.length], [5, 5, 5])
  for (const query of ['', '%20', 'x'.repeat(201)])
    assert.equal((await shop.admin.get(`${shop.business}/search?query=${query}`)).status, 422)
  assert.equal((await shop.admin.get(`${shop.business}/search`)).status, 422)
})
