import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createKontor } from '../../packages/sdk/src/index.ts'
import { startProxy } from '../support/proxy.ts'
import { openShop } from '../support/shop.ts'
import { useWorld } from '../support/world.ts'
import { isError, openStub } from './support.ts'

const used = useWorld()

/** A client on a line that can break. */
async function openLine(context: TestContext) {
  const shop = await openShop(used.make)
  const { value: apiKey } = await used.make.apiKey(shop.admin.id)
  const proxy = await startProxy(used.api.url)
  context.after(() => proxy.close())
  const open = (retries: number) => createKontor({ baseUrl: proxy.url, businessId: shop.id, apiKey, retries })
  return { shop, proxy, open }
}

const refusal = (error: string) => ({ error, message: 'No.', details: [], requestId: 'r1' })
const unavailable = [503, { 'retry-after': '0' }, refusal('UNAVAILABLE')] as [number, object, unknown]
const product = { name: 'Shirt' }

test('a create whose answer was lost makes one record', async (context) => {
  const { proxy, open } = await openLine(context)
  const kontor = open(2)
  const lost = proxy.loseReplyWith('"prod_')
  const { id } = await kontor.products.create({ name: 'Shirt' })
  await lost
  assert.deepEqual(
    (await kontor.products.list().all()).map((one) => one.id),
    [id],
  )
})

test('a key of one’s own makes one record, also when the call is made anew', async (context) => {
  const { proxy, open } = await openLine(context)
  const kontor = open(0)
  const lost = proxy.loseReplyWith('"prod_')
  const create = () => kontor.products.create({ name: 'Shirt' }, { idempotencyKey: 'shirt-1' })
  await assert.rejects(create(), isError(0, 'NETWORK'))
  await lost
  const { id } = await create()
  assert.deepEqual(
    (await kontor.products.list().all()).map((one) => one.id),
    [id],
  )
})

test('a service that is gone is asked again, and then given up', async (context) => {
  const { proxy, open } = await openLine(context)
  proxy.cut()
  await assert.rejects(open(1).products.get('prod_1'), isError(0, 'NETWORK'))
  setTimeout(() => proxy.restore(), 100)
  assert.deepEqual((await open(4).products.list()).items, [])
})

test('what can be repeated is, with one key, until it is answered', async (context) => {
  const { seen, kontor } = await openStub(context, unavailable, unavailable, [201, {}, { id: 'prod_1' }])
  assert.equal((await kontor.products.create(product)).id, 'prod_1')
  assert.equal(seen.length, 3)
  assert.equal(new Set(seen.map(({ key }) => key)).size, 1)
  assert.match(seen[0]?.key ?? '', /^[0-9a-f]{32}$/)
})

test('a key that is still at work is waited for', async (context) => {
  const running = {
    ...refusal('CONFLICT'),
    details: [{ field: 'idempotency-key', error: 'STILL_RUNNING', message: '' }],
  }
  const { seen, kontor } = await openStub(context, [409, { 'retry-after': '0' }, running], [201, {}, { id: 'prod_1' }])
  assert.equal((await kontor.products.create(product)).id, 'prod_1')
  assert.equal(seen.length, 2)
})

test('a POST that takes no key is not sent twice, unless it was refused at the door', async (context) => {
  const body = { prompt: 'A title.', blocks: [] }
  const lost = await openStub(context, unavailable)
  await assert.rejects(lost.kontor.operations.generateBlocks({ body }), isError(503, 'UNAVAILABLE'))
  assert.equal(lost.seen.length, 1)
  const limited = [429, { 'retry-after': '0' }, refusal('RATE_LIMITED')] as [number, object, unknown]
  const refused = await openStub(context, limited, [200, {}, { blocks: [] }])
  assert.deepEqual(await refused.kontor.operations.generateBlocks({ body }), { blocks: [] })
})

test('a change of a certain version is not sent twice: the second would find the version of the first', async (context) => {
  const { seen, kontor } = await openStub(context, unavailable)
  await assert.rejects(kontor.products.update('x', product, { ifMatch: '"1"' }), isError(503, 'UNAVAILABLE'))
  assert.equal(seen.length, 1)
  const variant = { path: { businessId: 'biz_1', id: 'x', variantId: 'red' }, body: {} }
  await assert.rejects(kontor.operations.putVariant(variant, { ifNoneMatch: '*' }), isError(503, 'UNAVAILABLE'))
  assert.equal(seen.length, 2)
})

test('Retry-After is kept to; a long one is for the caller to decide', async (context) => {
  const soon = await openStub(context, [429, { 'retry-after': '1' }, refusal('RATE_LIMITED')], [200, {}, { id: 'x' }])
  const start = performance.now()
  await soon.kontor.products.get('x')
  assert.ok(performance.now() - start >= 990)

  const late = await openStub(context, [429, { 'retry-after': '60' }, refusal('RATE_LIMITED')])
  const refused = (error: { retryAfterSeconds?: number }) =>
    error.retryAfterSeconds === 60 && isError(429, 'RATE_LIMITED')(error)
  await assert.rejects(late.kontor.products.get('x'), refused)
  assert.equal(late.seen.length, 1)
})

test('there is nothing to wait for where a provider is missing, or the request is wrong', async (context) => {
  const missing = await openStub(context, [503, {}, refusal('PROVIDER_NOT_CONFIGURED')])
  await assert.rejects(missing.kontor.products.get('x'), isError(503, 'PROVIDER_NOT_CONFIGURED'))
  const wrong = await openStub(context, [422, {}, refusal('VALIDATION_FAILED')])
  await assert.rejects(wrong.kontor.products.get('x'), isError(422, 'VALIDATION_FAILED'))
  assert.deepEqual([missing.seen.length, wrong.seen.length], [1, 1])
})

test('what is not from the service is told apart', async (context) => {
  const page = { 'content-type': 'text/html' }
  const bad = await openStub(context, [502, page, '<h1>Bad gateway</h1>'], [200, {}, { id: 'x' }])
  assert.equal((await bad.kontor.products.get('x')).id, 'x')
  const other = await openStub(context, [502, {}, { error: 'Bad gateway' }], [200, {}, { id: 'x' }])
  assert.equal((await other.kontor.products.get('x')).id, 'x')
  const portal = await openStub(context, [200, page, '<h1>Welcome to our hotel</h1>'])
  await assert.rejects(portal.kontor.products.get('x'), isError(200, 'UNKNOWN_ANSWER'))
})

test('a call ends when its time is over, also in the middle of an answer, and when its signal says so', async (context) => {
  const { seen, kontor } = await openStub(context, [200, {}, 'never'])
  await assert.rejects(kontor.products.get('x', { timeoutMs: 50 }), isError(0, 'TIMEOUT'))
  assert.equal(seen.length, 3)

  const gone = new Error('The page was left.')
  const controller = new AbortController()
  setTimeout(() => controller.abort(gone), 50)
  await assert.rejects(kontor.products.get('x', { signal: controller.signal }), gone)
  await assert.rejects(kontor.products.get('x', { signal: controller.signal }), gone)
  const waiting = await openStub(context, [429, { 'retry-after': '9' }, refusal('RATE_LIMITED')])
  const start = performance.now()
  await assert.rejects(waiting.kontor.products.get('x', { signal: AbortSignal.timeout(100) }), { name: 'TimeoutError' })
  assert.ok(performance.now() - start < 2_000)
})
