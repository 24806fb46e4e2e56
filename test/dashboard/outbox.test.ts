import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KontorError } from '../../packages/sdk/src/index.ts'
import { dashboardSdk, dashboardSource } from '../support/dashboard-source.ts'

type Entry = { id: string; userId: string; askedAt: number; isLost: boolean; refused?: object; [more: string]: unknown }
type Outcome = { is: string; answer?: unknown; error?: unknown }
type World = {
  now: () => number
  userId: () => string | undefined
  reread: (entry: Entry) => Promise<Entry | 'gone'>
  send: (entry: Entry) => Promise<unknown>
  isLost: (error: unknown) => boolean
  keep: (entry: Entry) => Promise<void>
  pause: (attempt: number) => Promise<void>
}
type Read = (operation: string, path: object) => Promise<unknown>

const { isLost } = (await dashboardSource('outbox/is-lost.ts')) as { isLost: (error: unknown) => boolean }
const { isOurs } = (await dashboardSource('outbox/is-ours.ts')) as {
  isOurs: (entry: object, error: KontorError, read: Read) => Promise<unknown>
}
const { insist } = (await dashboardSource('outbox/insist.ts')) as {
  insist: (entry: Entry, world: World) => Promise<Outcome>
}

type Words = { field: string; add: string[]; remove: string[] }
const { changeWords } = (await dashboardSource('outbox/change-words.ts')) as {
  changeWords: (entry: object, words: Words, read: Read, write: (body: object) => Promise<unknown>) => Promise<unknown>
}

const HOUR_MS = 3_600_000
const failed = (status: number, code: string, detail?: string) =>
  new dashboardSdk.KontorError({
    status,
    code,
    message: code,
    details: detail === undefined ? [] : [{ field: '', error: detail, message: detail }],
  })

test('what the service decided is an answer; what nobody knows is lost', () => {
  const lost = [
    failed(0, 'NETWORK'),
    failed(0, 'TIMEOUT'),
    failed(200, 'UNKNOWN_ANSWER'),
    failed(401, 'UNAUTHENTICATED'),
    failed(408, 'UNKNOWN_ANSWER'),
    failed(409, 'CONFLICT', 'STILL_RUNNING'),
    failed(429, 'RATE_LIMITED'),
    failed(502, 'UNKNOWN_ANSWER'),
    failed(503, 'UNAVAILABLE'),
    failed(524, 'UNKNOWN_ANSWER'),
    new TypeError('Something broke.'),
  ]
  const answers = [
    failed(0, 'MISUSE'),
    failed(403, 'FORBIDDEN'),
    failed(409, 'CONFLICT', 'ORDER_FINAL'),
    failed(412, 'PRECONDITION_FAILED'),
    failed(422, 'VALIDATION_FAILED'),
    failed(500, 'INTERNAL'),
    failed(502, 'PROVIDER_FAILED'),
    failed(503, 'PROVIDER_NOT_CONFIGURED'),
  ]
  for (const error of lost) assert.equal(isLost(error), true, String(error))
  for (const error of answers) assert.equal(isLost(error), false, String(error))
})

test('a status whose answer was lost is looked up in the history of the order', async () => {
  const order = {
    id: 'ord_1',
    statuses: [{ status: 'PENDING' }, { status: 'SHIPPED' }],
    paymentStatus: [{ status: 'PENDING' }],
  }
  const asked: unknown[] = []
  const read: Read = async (...given) => {
    asked.push(given)
    return order
  }
  const entry = (operation: string, status: string) => ({
    operation,
    businessId: 'biz_1',
    input: { path: { id: 'ord_1' }, body: { status, id: 'sts_1' } },
  })
  const older = failed(412, 'PRECONDITION_FAILED')
  assert.equal(await isOurs(entry('setOrderStatus', 'SHIPPED'), older, read), order)
  assert.equal(await isOurs(entry('setOrderStatus', 'DELIVERED'), older, read), undefined)
  assert.equal(await isOurs(entry('setPaymentStatus', 'PENDING'), older, read), order)
  assert.equal(await isOurs(entry('setPaymentStatus', 'PAID'), older, read), undefined)
  assert.deepEqual(asked[0], ['getOrder', { businessId: 'biz_1', id: 'ord_1' }])
  assert.equal(await isOurs(entry('setOrderStatus', 'SHIPPED'), failed(403, 'FORBIDDEN'), read), undefined)
  assert.equal(asked.length, 4)
})

test('what takes away was done if nothing is left; what gives something was not', async () => {
  const gone = failed(404, 'NOT_FOUND')
  const read: Read = async () => ({})
  const entry = (operation: string, body?: object) => ({
    operation,
    businessId: 'biz_1',
    input: { path: { id: 'x_1' }, ...(body && { body }) },
  })
  const done = { success: true }
  assert.deepEqual(await isOurs(entry('deleteRole'), gone, read), done)
  assert.deepEqual(await isOurs(entry('revokeInvitation'), gone, read), done)
  assert.deepEqual(await isOurs(entry('setMemberRoles', { roleIds: [] }), gone, read), done)
  assert.equal(await isOurs(entry('setMemberRoles', { roleIds: ['role_1'] }), gone, read), undefined)
  assert.equal(await isOurs(entry('updateRole', {}), gone, read), undefined)
})

/** A browser with one entry in it. */
function browser({ answers = [], userId = 'usr_a' }: { answers?: unknown[]; userId?: string | undefined } = {}) {
  const entry: Entry = { id: 'key', userId: 'usr_a', askedAt: 0, isLost: false }
  const it: { now: number; userId: string | undefined; kept: Entry | 'gone'; sent: Entry[] } = {
    now: HOUR_MS,
    userId,
    kept: entry,
    sent: [],
  }
  const world: World = {
    now: () => it.now,
    userId: () => it.userId,
    reread: async () => it.kept,
    send: async (given) => {
      it.sent.push(given)
      const answer = answers.shift()
      if (answer instanceof Error) throw answer
      return answer
    },
    isLost,
    keep: async (given) => {
      it.kept = given
    },
    pause: async () => {},
  }
  return Object.assign(it, { entry, world })
}

test('a lost answer is asked for again until there is one', async () => {
  const it = browser({ answers: [failed(0, 'NETWORK'), failed(503, 'UNAVAILABLE'), 'done'] })
  assert.deepEqual(await insist(it.entry, it.world), { is: 'answered', answer: 'done' })
  assert.deepEqual(
    it.sent.map((entry) => entry.isLost),
    [false, true, true],
  )
})

test('nothing is sent in the name of somebody else', async () => {
  const other = browser({ userId: 'usr_b' })
  assert.deepEqual(await insist(other.entry, other.world), { is: 'left' })
  assert.equal(other.sent.length, 0)

  const leaving = browser({ answers: [failed(0, 'NETWORK')] })
  const { send } = leaving.world
  leaving.world.send = (entry) => {
    leaving.userId = undefined
    return send(entry)
  }
  assert.deepEqual(await insist(leaving.entry, leaving.world), { is: 'left' })
  assert.equal(leaving.sent.length, 1)
  assert.equal((leaving.kept as Entry).isLost, true)
})

test('what another tab has ended is left alone', async () => {
  const gone = browser()
  gone.kept = 'gone'
  assert.deepEqual(await insist(gone.entry, gone.world), { is: 'gone' })
  const refused = browser()
  refused.kept = { ...refused.entry, refused: { code: 'FORBIDDEN' } }
  assert.deepEqual(await insist(refused.entry, refused.world), { is: 'gone' })
  assert.equal(gone.sent.length + refused.sent.length, 0)
})

test('what is older than the memory of the service is not sent, also after a long sleep', async () => {
  const old = browser()
  old.now = 23 * HOUR_MS + 1
  assert.deepEqual(await insist(old.entry, old.world), { is: 'forgotten' })
  assert.equal(old.sent.length, 0)

  const asleep = browser({ answers: [failed(0, 'NETWORK'), 'a second time'] })
  asleep.world.pause = async () => {
    asleep.now += 24 * HOUR_MS
  }
  assert.deepEqual(await insist(asleep.entry, asleep.world), { is: 'forgotten' })
  assert.equal(asleep.sent.length, 1)
})

test('a refusal ends it with its reason', async () => {
  const no = failed(403, 'FORBIDDEN')
  const it = browser({ answers: [no] })
  assert.deepEqual(await insist(it.entry, it.world), { is: 'refused', error: no })
})

test('words are added to what is there now; an attempt whose answer was lost is found to be done', async () => {
  const orders = await serveOrders()
  const entry = { operation: 'updateOrder', businessId: 'biz_1', input: { body: { id: 'ord_1' } } }
  const words = { field: 'tags', add: ['fragile'], remove: ['gift'] }
  orders.tags = ['gift', 'theirs']
  orders.loseNext = true
  await assert.rejects(changeWords(entry, words, orders.read, orders.write), { code: 'NETWORK' })
  assert.deepEqual(orders.tags, ['theirs', 'fragile'])
  await changeWords(entry, words, orders.read, orders.write)
  assert.equal(orders.written, 1)

  orders.tags = ['theirs']
  orders.isOlder = true
  await changeWords(entry, words, orders.read, orders.write)
  assert.deepEqual(orders.tags, ['theirs', 'another', 'fragile'])
})

/** An order with tags, read and written through the SDK, so that it has a version. */
async function serveOrders() {
  const it = { tags: [] as string[], written: 0, loseNext: false, isOlder: false }
  const kontor = dashboardSdk.createKontor({
    baseUrl: 'http://service.test',
    apiKey: 'key',
    fetch: async () => Response.json({ id: 'ord_1', tags: it.tags }, { headers: { etag: '"1"' } }),
  })
  const read: Read = () => kontor.operations.getOrder({ path: { businessId: 'biz_1', id: 'ord_1' } })
  const write = async (body: object) => {
    if (it.isOlder) {
      it.isOlder = false
      it.tags.push('another')
      throw failed(412, 'PRECONDITION_FAILED')
    }
    it.tags = (body as { tags: string[] }).tags
    it.written++
    if (it.loseNext) {
      it.loseNext = false
      throw failed(0, 'NETWORK')
    }
  }
  return Object.assign(it, { read, write })
}
