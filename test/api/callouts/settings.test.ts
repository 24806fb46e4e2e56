import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSigned, useReceiver } from '../../support/callout-receiver.ts'
import { openCalloutShop } from '../../support/callout-shop.ts'
import { createClient } from '../../support/client.ts'
import { PRIVATE_HOSTS } from '../../support/private-hosts.ts'
import { refusal } from '../../support/refusal.ts'
import { startApi } from '../../support/start-api.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'], env: { OUTGOING_LOOPBACK: 'on' } })
const receiver = useReceiver()
const open = () => openCalloutShop(used.make, receiver.url)

test('the first PUT answers the secret, and nothing after it does', async () => {
  const { admin, at, path } = await open()
  assert.equal((await admin.get(at('tax.calculate'))).status, 404)
  const first = await admin.put(at('tax.calculate'), { url: receiver.url })
  assert.equal(first.status, 200, first.text)
  const { secret, createdAt, updatedAt, ...settings } = first.body
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.deepEqual(settings, {
    point: 'tax.calculate',
    url: receiver.url,
    timeoutMs: 1_000,
    onFailure: 'FAIL',
    isEnabled: true,
  })
  const second = await admin.put(at('tax.calculate'), { timeoutMs: 3_000, onFailure: 'FALLBACK', isEnabled: false })
  assert.deepEqual(
    { ...second.body, updatedAt },
    {
      ...settings,
      timeoutMs: 3_000,
      onFailure: 'FALLBACK',
      isEnabled: false,
      secret: null,
      createdAt,
      updatedAt,
    },
  )
  assert.deepEqual((await admin.get(at('tax.calculate'))).body, second.body)
  assert.deepEqual((await admin.get(`${path}/callouts`)).body, { items: [second.body] })
  const log = await admin.get(`${path}/audit`)
  const saved = log.body.items.filter(({ action }: { action: string }) => action === 'callout.saved')
  assert.equal(saved.length, 2)
  assert.equal(log.text.includes('whsec_'), false)

  assert.deepEqual((await admin.delete(at('tax.calculate'))).body, { success: true })
  assert.equal((await admin.get(at('tax.calculate'))).status, 404)
  assert.equal((await admin.delete(at('tax.calculate'))).status, 404)
  assert.match((await admin.put(at('tax.calculate'), { url: receiver.url })).body.secret, /^whsec_/)
})

test('the settings of the business neither show callouts nor lose them', async () => {
  const { admin, path, attach, at, configure } = await open()
  await attach('cart.validate')
  const { status, text, body } = await admin.get(path)
  assert.equal(status, 200)
  assert.equal(/callouts|sealed/.test(text), false)
  await configure({ name: 'Another name' })
  assert.equal((await admin.get(at('cart.validate'))).body.url, receiver.url)
  assert.ok(body.id)
})

test('what cannot be a callout is refused', async () => {
  const { admin, at } = await open()
  const put = async (body: object, point = 'tax.calculate') => refusal(await admin.put(at(point), body))
  assert.match(await put({}), /^422 VALIDATION_FAILED url REQUIRED/)
  assert.match(await put({ url: receiver.url }, 'tax.guess'), /^422 VALIDATION_FAILED point/)
  for (const timeoutMs of [0, 99, 3_001, 1.5, '1000'])
    assert.match(await put({ url: receiver.url, timeoutMs }), /^422 VALIDATION_FAILED timeoutMs/)
  assert.match(await put({ url: receiver.url, onFailure: 'ZERO' }), /^422 VALIDATION_FAILED onFailure/)
  const NEVER = [
    'ftp://tax.example/',
    'not an address',
    'https://ada:secret@tax.example/',
    'https://tax.example/#part',
    'http://10.0.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00::1]/',
    'https://93.184.215.14:22/',
  ]
  for (const url of NEVER) assert.match(await put({ url }), /^422 VALIDATION_FAILED url/, url)
  assert.equal((await admin.get(at('tax.calculate'))).status, 404)
})

test('a callout to this machine or its network is refused by name', async (t) => {
  const strict = await startApi({ databases: used.api.databases, env: { ...used.env, OUTGOING_LOOPBACK: 'off' } })
  t.after(() => strict.close())
  const { at, admin } = await open()
  const client = createClient(strict.url, { authorization: `Bearer ${admin.token}` })
  for (const host of PRIVATE_HOSTS.filter((each) => !each.endsWith('.test')))
    assert.match(
      refusal(await client.put(at('tax.calculate'), { url: `https://${host}/` })),
      /^422 VALIDATION_FAILED url/,
      host,
    )
})

test('only an ADMIN of this business may see or change callouts', async () => {
  const [mine, other] = [await open(), await open()]
  await mine.attach('tax.calculate')
  const guest = await used.make.guest()
  for (const caller of [other.admin, guest]) {
    assert.equal((await caller.get(mine.at('tax.calculate'))).status, 403)
    assert.equal((await caller.get(`${mine.path}/callouts`)).status, 403)
    assert.equal((await caller.put(mine.at('tax.calculate'), { url: receiver.url })).status, 403)
    assert.equal((await caller.post(`${mine.at('tax.calculate')}/test`, {})).status, 403)
    assert.equal((await caller.delete(mine.at('tax.calculate'))).status, 403)
  }
  assert.equal((await other.admin.get(other.at('tax.calculate'))).status, 404)
})

test('a test call sends a made-up cart, signed, and says what came', async () => {
  receiver.forget()
  const { admin, at, attach, id } = await open()
  const { secret } = await attach('tax.calculate', { isEnabled: false })
  const answer = await admin.post(`${at('tax.calculate')}/test`, {})
  assert.equal(answer.status, 200, answer.text)
  const { isUsable, status, ms, sent, received, problems } = answer.body
  assert.deepEqual([isUsable, status, problems], [true, 200, []])
  assert.ok(ms >= 0 && ms < 1_000, String(ms))
  const [asked] = receiver.asked
  assert.ok(asked)
  assert.deepEqual(sent, asked.body)
  assert.equal(isSigned(asked, secret), true)
  assert.equal(asked.headers['content-type'], 'application/json')
  assert.equal(
    Object.keys(sent).join(' '),
    'point businessId requestId market currency pricesIncludeTax customerId shippingAddress billingAddress shippingMethodId shipping discount lines',
  )
  assert.equal(
    Object.keys(sent.lines[0] ?? {}).join(' '),
    'id productId variantId sku quantity unitPrice totalPrice discount taxClass',
  )
  assert.deepEqual([sent.point, sent.businessId, sent.currency], ['tax.calculate', id, 'USD'])
  assert.equal(JSON.parse(received).lines.length, 2)
})

test('a test call says what is wrong', async () => {
  const { admin, at, attach } = await open()
  await attach('tax.calculate')
  await attach('shipping.rates', { url: 'http://127.0.0.1:9/' })
  const run = async (point: string) => {
    const { status, body, text } = await admin.post(`${at(point)}/test`, {})
    assert.equal(status, 200, text)
    assert.equal(body.isUsable, false)
    return body
  }
  receiver.answers.set('tax.calculate', { lines: [{ id: '1', taxBps: 1_900, tax: -1 }], shippingTax: 0, taxes: [] })
  const wrong = await run('tax.calculate')
  assert.deepEqual([wrong.status, wrong.problems[0].field], [200, 'lines.0.tax'])
  receiver.answers.set('tax.calculate', { lines: [{ id: '1', taxBps: 1_900, tax: 1 }], shippingTax: 0, taxes: [] })
  assert.deepEqual(
    (await run('tax.calculate')).problems.map(({ message }: { message: string }) => message),
    ['Line 2 is missing.', 'The taxes add up to 0, those of lines and shipping to 1.'],
  )
  receiver.answers.set(
    'tax.calculate',
    (_asked: object, response: { writeHead: Function }) => response.writeHead(418).end('teapot') && undefined,
  )
  const teapot = await run('tax.calculate')
  assert.deepEqual(
    [teapot.status, teapot.received, teapot.problems],
    [418, 'teapot', [{ field: '', message: 'It answers 418 instead of 200.' }]],
  )
  receiver.answers.set('tax.calculate', { lines: [], shippingTax: 0, taxes: [], ['n'.repeat(500_000)]: 1 })
  for (const { message } of (await run('tax.calculate')).problems) assert.ok(message.length <= 300)
  const dead = await run('shipping.rates')
  assert.deepEqual([dead.status, dead.received], [null, null])
  receiver.forget()
})

test('ten test calls a minute are enough', async () => {
  const { admin, at, attach } = await open()
  await attach('cart.validate')
  const statuses: number[] = []
  for (let count = 0; count < 11; count++) statuses.push((await admin.post(`${at('cart.validate')}/test`, {})).status)
  assert.deepEqual(statuses, [...Array(10).fill(200), 429])
})
