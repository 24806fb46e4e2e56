import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DRY_RUNS } from '#apps/mcp/dry-runs.ts'
import { callTool, connectMcp, type McpClient, namesOf } from '../../support/mcp.ts'
import { item, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

let shop: Awaited<ReturnType<typeof openShop>>
let orderId: string
const used = useWorld({}, async ({ make }) => {
  shop = await openShop(make)
  const product = await shop.priced(0)
  const { body } = await shop.checkout(await make.user(), { items: [item(product)] })
  orderId = body.orderId
})
const open: McpClient[] = []
after(() => Promise.all(open.map((client) => client.close())))

async function connect(key: string, query = '', mode: 'auto' | 'legacy' = 'auto') {
  const client = await connectMcp(used.api.url, key, query, mode)
  open.push(client)
  return client
}

const keyOf = async (...permissions: Parameters<typeof used.make.apiKey>[2] & string[]) => {
  const { value } = await used.make.apiKey(shop.admin.id, undefined, permissions.length > 0 ? permissions : undefined)
  return value
}

for (const mode of ['auto', 'legacy'] as const) {
  test(`a client lists tools, and reads an order as the API shows it (${mode})`, async () => {
    const client = await connect(await keyOf(), '', mode)
    const { tools } = await client.listTools()
    assert.ok(tools.length > 40 && tools.length < 100, `${tools.length} tools`)
    const getOrder = tools.find(({ name }) => name === 'getOrder')
    assert.deepEqual(getOrder?.inputSchema.required, ['businessId', 'id'])
    assert.equal(getOrder?.annotations?.readOnlyHint, true)
    assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint))

    const { first, isError } = await callTool(client, 'getOrder', { businessId: shop.id, id: orderId })
    assert.equal(isError, false)
    assert.deepEqual(JSON.parse(first), (await shop.admin.get(`${shop.orders}/${orderId}`)).body)
  })
}

test('repeated and plain query values reach the route', async () => {
  const client = await connect(await keyOf())
  const listed = await callTool(client, 'listOrders', {
    businessId: shop.id,
    status: ['PENDING', 'PROCESSING'],
    limit: 1,
  })
  assert.equal(JSON.parse(listed.first).items[0].id, orderId)
  const none = await callTool(client, 'listOrders', { businessId: shop.id, status: ['CANCELLED'] })
  assert.deepEqual(JSON.parse(none.first).items, [])
})

test('without write=on nothing that changes something is offered, or done', async () => {
  const client = await connect(await keyOf())
  assert.ok(!(await namesOf(client)).includes('createPromoCode'))
  const { isError, text } = await callTool(client, 'createPromoCode', {
    businessId: shop.id,
    body: { code: 'SPRING', kind: 'PERCENT', percentBps: 1_000 },
  })
  assert.ok(isError)
  assert.match(text, /^Tool createPromoCode not available/)
  assert.deepEqual((await shop.admin.get(`${shop.path}/promo-codes`)).body.items, [])
})

test('with write=on a tool writes, as the key, once for an idempotency key', async () => {
  const client = await connect(await keyOf(), '?write=on&tags=products,events')
  const given = { businessId: shop.id, idempotencyKey: 'one-lamp', body: { name: 'Lamp', colour: 'red' } }
  const first = await callTool(client, 'createProduct', given)
  const again = await callTool(client, 'createProduct', given)
  assert.equal(first.isError, false, first.text)
  assert.match(first.text, /These fields of the body do not exist and were ignored: colour/)
  const { id } = JSON.parse(first.first)
  assert.equal(JSON.parse(again.first).id, id)

  const read = await callTool(client, 'getProduct', { businessId: shop.id, id })
  const [, etag] = /ETag: (\S+)/.exec(read.text) ?? []
  const changed = await callTool(client, 'updateProduct', {
    businessId: shop.id,
    id,
    ifMatch: etag,
    body: { name: 'Lantern' },
  })
  assert.equal(changed.isError, false, changed.text)
  const late = await callTool(client, 'updateProduct', {
    businessId: shop.id,
    id,
    ifMatch: etag,
    body: { name: 'Torch' },
  })
  assert.ok(late.isError)
  assert.match(late.text, /412 PRECONDITION_FAILED/)
  assert.equal((await shop.admin.get(`${shop.products}/${id}`)).body.name, 'Lantern')
})

test('errors of a route are errors of the tool, in our words', async () => {
  const client = await connect(await keyOf(), '?write=on&tags=products')
  const { isError, text } = await callTool(client, 'createProduct', { businessId: shop.id, body: { name: 7 } })
  assert.ok(isError)
  assert.match(text, /^The name must be (a )?text/)
  assert.match(text, /\(422 VALIDATION_FAILED, request /)
  const odd = await callTool(client, 'getProduct', { businessId: shop.id, id: 'x', colour: 'red' })
  assert.match(odd.text, /^Unknown argument "colour"\. Accepted arguments: businessId, id/)
  assert.match((await callTool(client, 'getProduct', { businessId: shop.id })).text, /The argument id is missing/)
})

test('what belongs to another business is refused by its route', async () => {
  const theirs = await openShop(used.make)
  const client = await connect(await keyOf(), '?write=on')
  const read = await callTool(client, 'listCustomers', { businessId: theirs.id })
  assert.ok(read.isError)
  assert.match(read.text, /ORDERS_READ/)
  assert.match(read.text, /403 FORBIDDEN/)
  const written = await callTool(client, 'createProduct', { businessId: theirs.id, body: { name: 'Lamp' } })
  assert.match(written.text, /403 FORBIDDEN/)
  const order = await callTool(client, 'getOrder', { businessId: theirs.id, id: orderId })
  assert.match(order.text, /404 NOT_FOUND/)
})

test('an id cannot lead to another route', async () => {
  const client = await connect(await keyOf(), '?write=on&tags=products,orders')
  for (const id of ['..', '.', ''])
    assert.match(
      (await callTool(client, 'deleteProduct', { businessId: shop.id, id })).text,
      /The argument id is not an id/,
    )
  const { text } = await callTool(client, 'getOrder', { businessId: shop.id, id: '../products' })
  assert.match(text, /422 VALIDATION_FAILED/)
  const header = await callTool(client, 'updateProduct', {
    businessId: shop.id,
    id: 'x',
    ifMatch: 'a\r\nx-api-key: b',
    body: {},
  })
  assert.match(header.text, /The argument ifMatch may hold plain letters only/)
})

test('only what the key may do is listed', async () => {
  const orders = await namesOf(await connect(await keyOf('ORDERS_READ'), '?write=on'))
  assert.ok(orders.includes('listCustomers'))
  for (const name of ['createProduct', 'refundOrder', 'listAudit', 'updateBusiness', 'createKey'])
    assert.ok(!orders.includes(name), name)
  const nobody = await used.make.user()
  const { value } = await used.make.apiKey(nobody.id)
  assert.ok(!(await namesOf(await connect(value))).includes('listCustomers'))
  const member = await used.make.member(shop.id, 'PROMOS_WRITE')
  const promos = await namesOf(await connect(member.token, '?write=on'))
  assert.ok(promos.includes('createPromoCode') && !promos.includes('createProduct'))
})

test('credentials are never tools', async () => {
  const all = await namesOf(await connect(shop.admin.token, '?write=on'))
  for (const name of ['loginUser', 'login', 'refresh', 'createKey', 'beginSecondFactor', 'updateMe'])
    assert.ok(!all.includes(name), name)
  const refused = connect(shop.admin.token, '?tags=sign-in')
  await assert.rejects(refused)
})

test('what would put a new secret into the conversation is no tool, whoever asks', async () => {
  const { paths } = (await used.make.anonymous().get('/openapi.json')).body as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const all = await namesOf(await connect(shop.admin.token, '?write=on&tags=webhooks,callouts,accounts'))
  const known = new Set(
    Object.values(paths).flatMap((each) => Object.values(each).map(({ operationId }) => operationId)),
  )
  for (const name of ['createWebhookEndpoint', 'rotateWebhookSecret', 'saveCallout', 'updateMe', 'createKey']) {
    assert.ok(known.has(name), name)
    assert.ok(!all.includes(name), name)
  }
  for (const name of ['updateWebhookEndpoint', 'removeCallout', 'listCallouts', 'getMe'])
    assert.ok(all.includes(name), name)
})

test('a key of one business needs no businessId, and `business` chooses one', async () => {
  const { value } = await used.make.apiKey(shop.admin.id, shop.id)
  const other = await openShop(used.make)
  for (const client of [await connect(value), await connect(await keyOf(), `?business=${shop.id}`)]) {
    const { tools } = await client.listTools()
    assert.deepEqual(tools.find(({ name }) => name === 'getOrder')?.inputSchema.required, ['id'])
    const { first } = await callTool(client, 'getOrder', { id: orderId })
    assert.equal(JSON.parse(first).id, orderId)
  }
  const elsewhere = await connect(value, `?business=${other.id}`)
  assert.ok(!(await namesOf(elsewhere)).includes('listCustomers'))
  assert.match((await callTool(elsewhere, 'getOrder', { id: orderId })).text, /404 NOT_FOUND/)
})

test('tags choose chapters', async () => {
  const names = await namesOf(await connect(await keyOf(), '?tags=orders,promo-codes'))
  assert.ok(names.includes('listOrders') && names.includes('listPromoCodes'))
  assert.ok(!names.includes('listProducts'))
  assert.ok(names.length < 25, `${names.length}`)
})

test('what can be tried first is tried first', async () => {
  const client = await connect(await keyOf(), '?write=on')
  const { tools } = await client.listTools()
  for (const [dryRun, operations] of Object.entries(DRY_RUNS))
    for (const name of operations) {
      assert.match(tools.find((tool) => tool.name === name)?.description ?? name, new RegExp(`Call ${dryRun} first`))
      assert.equal(tools.find((tool) => tool.name === dryRun)?.annotations?.readOnlyHint, true, dryRun)
    }
  const given = { businessId: shop.id, file: '{"name":"From a file"}\n', fileType: 'application/x-ndjson' }
  const tried = await callTool(client, 'importProducts', given)
  assert.equal(tried.isError, false, tried.text)
  assert.equal(JSON.parse(tried.first).isDryRun, true, tried.first)
  const reading = await connect(await keyOf())
  const names = await namesOf(reading)
  assert.ok(names.includes('quoteRefund') && !names.includes('importProducts'))
})

test('every tool has a schema that is an object without references', async () => {
  const { tools } = await (await connect(shop.admin.token, '?write=on')).listTools()
  assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length)
  for (const { name, inputSchema } of tools) {
    assert.equal(inputSchema.type, 'object')
    assert.doesNotMatch(JSON.stringify(inputSchema), /\$ref|"x-/, name)
  }
})
