import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startReceiver } from '../../support/receiver.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ env: { OUTGOING_LOOPBACK: 'on' } })
const receiver = await startReceiver()
after(() => receiver.close())

async function open() {
  const business = await used.make.business()
  return { ...business, endpoints: `${business.path}/webhook-endpoints` }
}
const ORDERS = { url: 'https://8.8.8.8/hook', types: ['order.*', 'stock.low'] }

test('an endpoint is made, read, changed and deleted; its secret is shown once', async () => {
  const { admin, endpoints, id: businessId } = await open()
  const made = await admin.post(endpoints, { ...ORDERS, description: 'ERP' }, { 'idempotency-key': 'w' })
  assert.equal(made.status, 201, made.text)
  const { id, secret, ...rest } = made.body
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.deepEqual(
    { ...rest, createdAt: 0, updatedAt: 0 },
    {
      ...ORDERS,
      description: 'ERP',
      isEnabled: true,
      status: 'ACTIVE',
      disabledReason: null,
      disabledAt: null,
      failingSince: null,
      nextAttemptAt: null,
      lastNumber: 0,
      behind: 0,
      oldSecretUntil: null,
      replay: null,
      createdAt: 0,
      updatedAt: 0,
    },
  )
  const again = await admin.post(endpoints, { ...ORDERS, description: 'ERP' }, { 'idempotency-key': 'w' })
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.deepEqual([again.body.id, again.body.secret], [id, null])

  const at = `${endpoints}/${id}`
  const read = await admin.get(at)
  assert.ok(!('secret' in read.body) && !read.text.includes(secret))
  assert.deepEqual((await admin.get(endpoints)).body.items, [read.body])
  const etag = read.headers.get('etag') ?? ''
  assert.equal((await admin.get(at, { 'if-none-match': etag })).status, 304)
  const changed = await admin.put(at, { isEnabled: false, types: ['*'] }, { 'if-match': etag })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(
    [changed.body.status, changed.body.disabledReason, changed.body.types, changed.body.url],
    ['DISABLED', 'PERSON', ['*'], ORDERS.url],
  )
  assert.equal(refusal(await admin.put(at, { isEnabled: true }, { 'if-match': etag })), '412 PRECONDITION_FAILED')
  assert.equal((await admin.put(at, { isEnabled: true })).body.status, 'ACTIVE')

  const other = await open()
  for (const path of ['', '/deliveries']) {
    assert.equal(refusal(await other.admin.get(`${other.endpoints}/${id}${path}`)), '404 NOT_FOUND')
  }
  for (const word of ['rotate', 'replay'])
    assert.equal(refusal(await other.admin.post(`${other.endpoints}/${id}/${word}`, { after: 0 })), '404 NOT_FOUND')
  assert.equal((await admin.delete(at)).status, 200)
  assert.equal(refusal(await admin.get(at)), '404 NOT_FOUND')
  const events = await used.api.services.databases.cells
    .get((await cellOf(businessId)) ?? '')
    ?.selectFrom('cell.eventOutbox')
    .select('type')
    .where('businessId', '=', businessId)
    .where('subject', '=', id)
    .orderBy('position')
    .execute()
  assert.deepEqual(
    events?.map(({ type }) => type.split('.')[1]),
    ['created', 'updated', 'updated', 'deleted'],
  )
})

const cellOf = async (businessId: string) =>
  (
    await used.api.services.databases.control
      .selectFrom('access.businesses')
      .select('cell')
      .where('id', '=', businessId)
      .executeTakeFirst()
  )?.cell

test('nobody is told of what they could not read, nor sends it elsewhere', async () => {
  const { admin, id, endpoints } = await open()
  const clerk = await used.make.member(id, 'SETTINGS_WRITE', 'ORDERS_READ')
  const made = await clerk.post(endpoints, { ...ORDERS, types: ['order.*', 'payment.unexpected'] })
  assert.equal(made.status, 201, made.text)
  for (const type of ['*', 'product.created', 'newsletter.*', 'webhook_endpoint.disabled']) {
    const refused = await clerk.post(endpoints, { ...ORDERS, types: ['order.paid', type] })
    assert.equal(refusal(refused), '403 FORBIDDEN', type)
    assert.ok(refused.body.message.includes(type), refused.body.message)
  }
  const wide = `${endpoints}/${(await admin.post(endpoints, { ...ORDERS, types: ['*'] })).body.id}`
  assert.equal(refusal(await clerk.put(wide, { url: 'https://1.1.1.1/mine' })), '403 FORBIDDEN')
  assert.equal(refusal(await clerk.post(`${wide}/rotate`, {})), '403 FORBIDDEN')
  assert.equal(refusal(await clerk.post(`${wide}/replay`, { after: 0 })), '403 FORBIDDEN')
  assert.equal((await clerk.put(wide, { url: 'https://1.1.1.1/mine', types: ['order.*'] })).status, 200)
  assert.equal(refusal(await (await used.make.member(id, 'ORDERS_READ')).get(endpoints)), '403 FORBIDDEN')
})

test('types that there are not, and addresses that may not be asked, are refused', async () => {
  const { admin, endpoints } = await open()
  for (const types of [[], ['order'], ['order.nothing'], ['nothing.*'], ['order.paid', 'order.paid'], ['Order.paid']])
    assert.match(refusal(await admin.post(endpoints, { ...ORDERS, types })), /^422 VALIDATION_FAILED/, String(types))
  const urls = ['ftp://8.8.8.8/', 'https://u:p@8.8.8.8/', 'https://10.0.0.1/', 'https://8.8.8.8:8443/']
  for (const url of ['nonsense', '', ...urls])
    assert.match(refusal(await admin.post(endpoints, { ...ORDERS, url })), /^422 VALIDATION_FAILED/, url)
  const { body } = await admin.post(endpoints, ORDERS)
  assert.match(refusal(await admin.put(`${endpoints}/${body.id}`, { url: 'https://[fd00::1]/' })), /^422/)
})

test('a business has 20 endpoints at most, however many are made at once', async () => {
  const { admin, endpoints } = await open()
  const made = await Promise.all(Array.from({ length: 25 }, () => admin.post(endpoints, ORDERS)))
  assert.equal(made.filter(({ status }) => status === 201).length, 20)
  const refused = made.find(({ status }) => status !== 201)
  assert.equal(refused && refusal(refused), '409 CONFLICT url TOO_MANY')
})

test('a ping is signed, answers what came of it, and can be sent 10 times a minute', async () => {
  const { admin, endpoints, id: businessId } = await open()
  const { id, secret } = (await admin.post(endpoints, { ...ORDERS, url: `${receiver.url}/ping` })).body
  receiver.answer((_received, response) => void response.writeHead(418).end('x'.repeat(5_000)))
  const pinged = await admin.post(`${endpoints}/${id}/ping`, {})
  assert.equal(pinged.status, 200, pinged.text)
  assert.deepEqual([pinged.body.status, pinged.body.problem, pinged.body.answer], [418, 'REFUSED', 'x'.repeat(1_000)])
  receiver.answer((_received, response) => void response.writeHead(200).end('fine'))
  assert.equal((await admin.post(`${endpoints}/${id}/ping`, {})).body.problem, null)
  const [first] = receiver.received
  assert.ok(first)
  const verified = new Webhook(secret).verify(first.body, first.headers as Record<string, string>) as Record<
    string,
    unknown
  >
  assert.deepEqual(
    [verified['type'], verified['businessId'], verified['subject'], verified['number'], verified['id']],
    ['webhook_endpoint.ping', businessId, id, 0, first.headers['webhook-id']],
  )
  for (let count = 2; count < 10; count++) await admin.post(`${endpoints}/${id}/ping`, {})
  assert.equal(refusal(await admin.post(`${endpoints}/${id}/ping`, {})), '429 RATE_LIMITED')
})

test('after a rotation both secrets hold for as long as is said', async () => {
  const { admin, endpoints } = await open()
  receiver.answer((_received, response) => void response.writeHead(204).end())
  const { id, secret: old } = (await admin.post(endpoints, { ...ORDERS, url: `${receiver.url}/rotated` })).body
  const rotated = await admin.post(`${endpoints}/${id}/rotate`, { keepOldHours: 2 })
  assert.equal(rotated.status, 200, rotated.text)
  assert.notEqual(rotated.body.secret, old)
  assert.ok(rotated.body.oldSecretUntil > rotated.body.updatedAt + 7_000)
  const lastPing = async () => {
    await admin.post(`${endpoints}/${id}/ping`, {})
    const { body, headers } = receiver.received.at(-1) ?? assert.fail()
    return (secret: string) => {
      try {
        return Boolean(new Webhook(secret).verify(body, headers as Record<string, string>))
      } catch {
        return false
      }
    }
  }
  const holds = await lastPing()
  assert.deepEqual([holds(old), holds(rotated.body.secret)], [true, true])
  const now = await admin.post(`${endpoints}/${id}/rotate`, { keepOldHours: 0 })
  const holdsNow = await lastPing()
  assert.deepEqual([old, rotated.body.secret, now.body.secret].map(holdsNow), [false, false, true])
  assert.match(refusal(await admin.post(`${endpoints}/${id}/rotate`, { keepOldHours: 25 })), /^422/)
})

test('a replay says what it sends again, and only one thing', async () => {
  const { admin, endpoints } = await open()
  const { id } = (await admin.post(endpoints, ORDERS)).body
  const replay = (body: object) => admin.post(`${endpoints}/${id}/replay`, body)
  for (const body of [
    {},
    { before: 3 },
    { after: 1, failed: true },
    { after: 3, before: 4 },
    { failed: true, before: 9 },
  ])
    assert.match(refusal(await replay(body)), /^422/, JSON.stringify(body))
  assert.equal((await replay({ failed: true })).body.replay, null)
  await admin.put(`${endpoints}/${id}`, { isEnabled: false })
  assert.equal(refusal(await replay({ after: 0 })), '409 CONFLICT isEnabled WRONG_STATE')
})
