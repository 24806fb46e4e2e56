import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { revokeSessionsOf } from '#modules/accounts/credentials/sessions.ts'
import { transaction } from '#platform/database/transaction.ts'
import { createKontor, type KontorOptions, type Session } from '../../packages/sdk/src/index.ts'
import { createClient } from '../support/client.ts'
import { holdClock } from '../support/clock.ts'
import { createPeople, PASSWORD, type People } from '../support/people.ts'
import { item, openShop } from '../support/shop.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'
import { createStorage, isError, watchRequests } from './support.ts'

const LOGIN = 'POST /v1/users/login'
const REFRESH = 'POST /v1/users/refresh'
const HOUR = 3_600

const used = useWorld({ own: true })
let people: People
let requests: ReturnType<typeof watchRequests> | undefined
beforeEach(() => {
  people ??= createPeople(used.api)
  requests ??= watchRequests(used.api)
  requests.clear()
})
const countOf = (request: string) => requests?.count(request)
const forgetRequests = () => requests?.clear()

const clock = holdClock()
after(() => clock.release())

const open = (options: Partial<KontorOptions> = {}) => createKontor({ baseUrl: used.api.url, market: 'us', ...options })
type Client = ReturnType<typeof open>

const hundred = (call: () => Promise<unknown>) => Promise.all(Array.from({ length: 100 }, call))

async function openMember(options: Partial<KontorOptions> = {}) {
  const { id, email } = await people.person()
  const kontor = open(options)
  await kontor.session.login({ email, password: PASSWORD })
  return { id, email, kontor }
}

/** Revocations are heard a moment later. */
async function isRefused(stored: Map<string, string>) {
  const [text = ''] = stored.values()
  const { accessToken } = JSON.parse(text) as { accessToken: string }
  const { get } = createClient(used.api.url, { authorization: `Bearer ${accessToken}` })
  await until('the token is refused', async () => (await get('/v1/users/me')).status === 401)
}

/** As seen by a listener, once it had the time to be told. */
function watchSession(kontor: Client) {
  const seen: (Session | undefined)[] = []
  kontor.session.onChange((session) => seen.push(session))
  return seen
}

test('a hundred first calls at once are one guest', async () => {
  const kontor = open()
  const users = (await hundred(() => kontor.me.get())) as { id: string }[]
  assert.equal(new Set(users.map(({ id }) => id)).size, 1)
  assert.equal(countOf(LOGIN), 1)
  const session = await kontor.session.current()
  assert.deepEqual([session?.isGuest, session?.userId], [true, users[0]?.id])
})

test('a hundred calls with a token that the service no longer takes are one refresh', async () => {
  const kontor = open()
  const { id } = await kontor.me.get()
  clock.advance(HOUR + 1)
  forgetRequests()
  const users = (await hundred(() => kontor.me.get())) as { id: string }[]
  assert.ok(users.every((user) => user.id === id))
  assert.deepEqual([countOf(REFRESH), countOf(LOGIN)], [1, 0])
})

test('a token that is about to expire is refreshed before it is used, once for all tabs', async () => {
  const { storage, edit } = createStorage()
  const tabs = [open({ storage }), open({ storage })] as const
  const { id } = await tabs[0].me.get()
  edit((session) => ({ ...session, freshUntil: Date.now() - 1 }))
  forgetRequests()
  await hundred(async () => assert.equal((await tabs[Math.random() < 0.5 ? 0 : 1].me.get()).id, id))
  assert.deepEqual([countOf(REFRESH), countOf('GET /v1/users/me')], [1, 100])
})

test('a clock that is hours ahead does not refresh with every call', async () => {
  const { storage, edit } = createStorage()
  const kontor = open({ storage })
  await kontor.me.get()
  clock.advance(-2 * HOUR) // what the service says is long ago to this machine
  edit((session) => ({ ...session, freshUntil: 0 }))
  forgetRequests()
  for (let count = 0; count < 3; count++) await kontor.me.get()
  clock.advance(2 * HOUR)
  assert.equal(countOf(REFRESH), 1)
})

test('nor does one that is an hour ahead, which is as long as a token lives', async () => {
  clock.advance(-HOUR + 30)
  const kontor = open()
  for (let count = 0; count < 3; count++) await kontor.me.get()
  clock.advance(HOUR - 30)
  assert.deepEqual([countOf(LOGIN), countOf(REFRESH)], [1, 0])
})

test('a guest who logs in keeps their orders, and who listens is told', async () => {
  const shop = await openShop(used.make)
  const product = await shop.priced(0)
  const kontor = open({ businessId: shop.id })
  const seen = watchSession(kontor)
  const { orderId } = await kontor.checkout({ items: [item(product)] })
  const guest = await kontor.session.current()

  const { id, email } = await people.person()
  await assert.rejects(kontor.session.login({ email, password: 'not this one' }), isError(422, 'VALIDATION_FAILED'))
  assert.deepEqual(await kontor.session.current(), guest)
  await kontor.session.login({ email, password: PASSWORD })
  assert.deepEqual(
    (await kontor.orders.list().all()).map((order) => order.id),
    [orderId],
  )
  assert.deepEqual(
    seen.map((session) => session?.userId),
    [guest?.userId, id],
  )
})

test('also a guest whose token has expired is merged', async () => {
  const shop = await openShop(used.make)
  const product = await shop.priced(0)
  const { storage, edit } = createStorage()
  const kontor = open({ businessId: shop.id, storage })
  await kontor.checkout({ items: [item(product)] })
  clock.advance(HOUR + 1)
  edit((session) => ({ ...session, freshUntil: Date.now() - 1 }))
  const { email } = await people.person()
  await kontor.session.login({ email, password: PASSWORD })
  assert.equal((await kontor.orders.list().all()).length, 1)
})

test('calls under way while somebody logs in are finished as the account', async () => {
  const kontor = open()
  await kontor.me.get()
  const { id, email } = await people.person()
  const calls = Array.from({ length: 20 }, () => kontor.me.get())
  await kontor.session.login({ email, password: PASSWORD })
  await Promise.all(calls)
  assert.equal((await kontor.me.get()).id, id)
  assert.equal(countOf(LOGIN), 2)
})

test('an account whose session was ended elsewhere is signed out, and nothing is done in another name', async () => {
  const { storage, values } = createStorage()
  const { id, email, kontor } = await openMember({ storage })
  const seen = watchSession(kontor)
  const elsewhere = await people.session(email)
  assert.equal((await elsewhere.delete('/v1/users/sessions')).status, 200)
  await isRefused(values)
  forgetRequests()

  const results = await hundred(() => kontor.me.get().catch((error: unknown) => error))
  for (const result of results) isError(401, 'UNAUTHENTICATED')(result)
  assert.deepEqual([countOf(REFRESH), countOf(LOGIN)], [1, 0])
  assert.deepEqual(seen, [undefined])
  assert.equal(await kontor.session.current(), undefined)
  assert.notEqual((await kontor.me.get()).id, id)
  assert.equal((await kontor.session.current())?.isGuest, true)
})

test('what an account began is not finished as a guest who came after', async () => {
  const { storage, values } = createStorage()
  const left = Promise.withResolvers<void>()
  const holding: typeof fetch = async (...request) => {
    if ((request[0] as string).endsWith('/me')) await left.promise
    return fetch(...request)
  }
  const { kontor } = await openMember({ storage, fetch: holding })
  const kept = new Map(values)
  const begun = assert.rejects(kontor.me.get(), isError(401, 'UNAUTHENTICATED'))
  await kontor.session.logout()
  await isRefused(kept)
  left.resolve()
  await begun
  assert.equal(await kontor.session.current(), undefined)
})

test('a 401 that a proxy wrote signs nobody out', async () => {
  let isShut = false
  const proxied: typeof fetch = async (...request) =>
    isShut ? new Response('<h1>Who are you?</h1>', { status: 401 }) : fetch(...request)
  const { id, kontor } = await openMember({ fetch: proxied })
  isShut = true
  await assert.rejects(kontor.me.get(), isError(401, 'UNKNOWN_ANSWER'))
  isShut = false
  assert.equal((await kontor.me.get()).id, id)
})

test('who ends a call does not wait for the login that it needs', async () => {
  const kontor = open({ fetch: () => new Promise(() => {}) })
  const gone = new Error('The page was left.')
  const controller = new AbortController()
  const begun = assert.rejects(kontor.me.get({ signal: controller.signal }), gone)
  setTimeout(() => controller.abort(gone), 20)
  await begun
  await assert.rejects(kontor.me.get({ signal: controller.signal }), gone)
})

test('a guest whose session was ended elsewhere becomes a new guest', async () => {
  const { storage, values } = createStorage()
  const kontor = open({ storage })
  const { id } = await kontor.me.get()
  await transaction(used.api.services.databases.control, (tx) => revokeSessionsOf(tx, id))
  await isRefused(values)
  const users = (await hundred(() => kontor.me.get())) as { id: string }[]
  assert.equal(new Set(users.map((user) => user.id)).size, 1)
  assert.notEqual(users[0]?.id, id)
})

test('logging out ends the session here and at the service', async () => {
  const { storage, values } = createStorage()
  const { kontor } = await openMember({ storage })
  const [kept] = values.values()
  await kontor.session.logout()
  await kontor.session.logout()
  assert.equal(values.size, 0)
  assert.equal(await kontor.session.current(), undefined)
  await isRefused(new Map([['kept', kept ?? '']]))
})

test('a session outlives the page, and other tabs see who logs in', async () => {
  const { storage } = createStorage()
  const first = open({ storage })
  const second = open({ storage })
  const guest = await first.me.get()
  assert.equal((await second.me.get()).id, guest.id)
  const seen = watchSession(second)
  const { id, email } = await people.person()
  await first.session.login({ email, password: PASSWORD })
  assert.equal((await second.me.get()).id, id)
  assert.equal(seen.at(-1)?.userId, id)
  assert.equal((await open({ storage }).session.current())?.userId, id)
})

test('a storage that throws, or holds nonsense, is as good as none', async () => {
  const refuse = () => {
    throw new Error('The operation is insecure.')
  }
  for (const storage of [
    refuse,
    { getItem: refuse, setItem: refuse, removeItem: refuse },
    { getItem: () => null, setItem: refuse, removeItem: refuse },
    { getItem: () => Promise.resolve('{"accessToken":'), setItem: async () => {}, removeItem: async () => {} },
  ]) {
    const kontor = open({ storage })
    assert.match((await kontor.me.get()).id, /^usr_/)
  }
})

test('a storage that is full keeps no token of before, which would end the session', async () => {
  const { storage, values } = createStorage()
  const kontor = open({ storage })
  const { id } = await kontor.me.get()
  storage.setItem = () => {
    throw new Error('The quota has been exceeded.')
  }
  clock.advance(HOUR + 1)
  assert.equal((await kontor.me.get()).id, id)
  assert.equal(values.size, 0)
})

test('a page that keeps the session itself is asked for the token, and once more when it was refused', async () => {
  const { email } = await people.person()
  const { accessToken } = await people.session(email)
  forgetRequests()
  const asked: (string | undefined)[] = []
  const kontor = open({
    accessToken: async (refused) => {
      asked.push(refused)
      return refused === undefined ? 'stale' : accessToken
    },
  })
  assert.equal((await kontor.operations.getMe()).email, email)
  assert.deepEqual(asked, [undefined, 'stale'])
  assert.equal(countOf(LOGIN), 0)
  assert.equal(countOf(REFRESH), 0)

  const hopeless = open({ accessToken: async () => 'stale' })
  await assert.rejects(hopeless.operations.getMe(), isError(401, 'UNAUTHENTICATED'))
})
