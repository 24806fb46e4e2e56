import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { type Answer, type Client, createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { linkIn } from '../../support/mail-server.ts'
import { createPeople, PASSWORD, type People } from '../../support/people.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

let world: StartedWorld<'mail' | 'sms'>
let second: TestApi
let proxied: TestApi
let unlimited: TestApi
let people: People
before(async () => {
  world = await startWorld({ providers: ['mail', 'sms'], worker: 'accounts', env: { RATE_LIMITS: 'on' } })
  const { databases } = world.api
  ;[second, proxied, unlimited] = await Promise.all([
    startApi({ databases, env: world.env }),
    startApi({ databases, env: { ...world.env, TRUST_PROXY: '127.0.0.1' } }),
    startApi({ databases, env: { ...world.env, RATE_LIMITS: 'off' } }),
  ])
  people = createPeople(world.api)
})
after(async () => {
  await Promise.all([second.close(), proxied.close(), unlimited.close()])
  await world.close()
})

const WRONG = 'wrong horse battery staple'
const PER_MINUTE = 10
const PER_DAY = 100

/** Failed logins count by address as well: each test has one of its own. */
let tests = 0
const own = () => ({ 'x-forwarded-for': `198.18.0.${tests}` })
const from = (forwarded: string) => ({ url: proxied.url, headers: { 'x-forwarded-for': forwarded } })
const direct = () => ({ url: world.api.url, headers: {} })

type From = { url?: string; headers?: Record<string, string>; password?: string }
const guess = (email: string, { url = proxied.url, headers = own(), password = WRONG }: From = {}) =>
  people.login(email, password, url, headers)
const statuses = (answers: Answer[]) => answers.map(({ status }) => status)

async function guesses(email: string, count: number, from?: From): Promise<number[]> {
  return statuses(await Promise.all(Array.from({ length: count }, () => guess(email, from))))
}
const inOrder = (numbers: number[]) => numbers.toSorted((a, b) => a - b)
const all = (count: number, status: number) => Array<number>(count).fill(status)

function assertLimited({ status, body, headers }: Answer, mostSeconds: number): void {
  assert.deepEqual([status, body?.error], [429, 'RATE_LIMITED'])
  const wait = headers.get('retry-after') ?? ''
  assert.match(wait, /^\d+$/)
  assert.ok(Number(wait) >= 1 && Number(wait) <= mostSeconds, `Retry-After is ${wait}`)
}

function heldClock(t: TestContext) {
  tests++
  const clock = holdClock()
  t.after(clock.release)
  return clock
}

test('ten wrong guesses a minute at one account from one address, and then not even the right password', async (t) => {
  const clock = heldClock(t)
  const { email } = await people.person()
  const bystander = await people.person()
  assert.deepEqual(await guesses(email, PER_MINUTE), all(PER_MINUTE, 422))
  assertLimited(await guess(email), 60)
  assertLimited(await guess(email, { password: PASSWORD }), 60)
  assertLimited(await guess(email.toUpperCase(), { password: PASSWORD }), 60)
  assert.equal((await guess(bystander.email, { password: PASSWORD })).status, 200, 'another account is not concerned')

  clock.advance(59)
  assertLimited(await guess(email, { password: PASSWORD }), 1)
  clock.advance(1)
  assert.equal((await guess(email, { password: PASSWORD })).status, 200)
})

test('fifty guesses at once are ten guesses', async (t) => {
  heldClock(t)
  const { email } = await people.person()
  const got = await guesses(email, 50)
  assert.deepEqual(inOrder(got), [...all(PER_MINUTE, 422), ...all(40, 429)])
})

test('an address that nobody has is limited like one that somebody has', async (t) => {
  heldClock(t)
  const email = `nobody-${process.pid}@example.com`
  assert.deepEqual(await guesses(email, PER_MINUTE), all(PER_MINUTE, 422))
  assertLimited(await guess(email), 60)
})

test('a hundred guesses a day at one account, however patient', async (t) => {
  const clock = heldClock(t)
  const { email } = await people.person()
  for (let count = 0; count < PER_DAY; count += PER_MINUTE) {
    const got = await guesses(email, PER_MINUTE, from(`198.19.0.${count}`))
    assert.deepEqual(got, all(PER_MINUTE, 422), `after ${count} guesses`)
    clock.advance(61)
  }
  assertLimited(await guess(email, { password: PASSWORD }), 86_400)
  assertLimited(await guess(email, { ...from('198.51.100.7'), password: PASSWORD }), 86_400)
  clock.advance(86_400 - 10 * 61)
  assert.equal((await guess(email, { password: PASSWORD })).status, 200)
})

test('the limits hold across nodes, and for a node that has just started', async (t) => {
  heldClock(t)
  const { email } = await people.person()
  assert.deepEqual(await guesses(email, 5, direct()), all(5, 422))
  assert.deepEqual(await guesses(email, 5, { url: second.url }), all(5, 422))
  for (const url of [world.api.url, second.url]) assertLimited(await guess(email, { url, password: PASSWORD }), 60)
  const restarted = await startApi({ databases: world.api.databases, env: world.env })
  try {
    assertLimited(await guess(email, { url: restarted.url, password: PASSWORD }), 60)
  } finally {
    await restarted.close()
  }
})

test('logging in successfully uses up nothing', async (t) => {
  heldClock(t)
  const { email } = await people.person()
  for (let count = 0; count < 15; count++) assert.equal((await guess(email, { password: PASSWORD })).status, 200)
  assert.deepEqual(await guesses(email, PER_MINUTE - 1), all(PER_MINUTE - 1, 422))
  for (let count = 0; count < 3; count++) assert.equal((await guess(email, { password: PASSWORD })).status, 200)
  assert.equal((await guess(email)).status, 422)
  assertLimited(await guess(email, { password: PASSWORD }), 60)
})

test('without a trusted proxy, headers that name an address change nothing', async (t) => {
  heldClock(t)
  const { email } = await people.person()
  assert.deepEqual(await guesses(email, PER_MINUTE, direct()), all(PER_MINUTE, 422))
  for (const headers of [
    { 'x-forwarded-for': '203.0.113.1' },
    { 'x-forwarded-for': '203.0.113.2, 203.0.113.3' },
    { 'x-real-ip': '203.0.113.4' },
    { forwarded: 'for=203.0.113.5' },
    { 'x-client-ip': '203.0.113.6', 'cf-connecting-ip': '203.0.113.6', 'true-client-ip': '203.0.113.6' },
  ] as Record<string, string>[]) {
    assertLimited(await guess(email, { ...direct(), headers, password: PASSWORD }), 60)
  }
})

test('behind a trusted proxy only the address that the proxy saw counts', async (t) => {
  heldClock(t)
  const { email } = await people.person()
  for (let count = 0; count < PER_MINUTE; count++) {
    assert.equal((await guess(email, from(`203.0.113.${count}, 198.51.100.20`))).status, 422)
  }
  assertLimited(await guess(email, from('198.51.100.20')), 60)
  assertLimited(await guess(email, from('10.0.0.1, 127.0.0.1, 203.0.113.77, 198.51.100.20')), 60)
  assertLimited(await guess(email, from('203.0.113.78, 198.51.100.20, 127.0.0.1')), 60)
  assertLimited(await guess(email, from('::ffff:198.51.100.20')), 60)
  assert.equal((await guess(email, { ...from('198.51.100.21'), password: PASSWORD })).status, 200)
})

test('the addresses of one IPv6 network count as one', async (t) => {
  heldClock(t)
  const { email } = await people.person()
  for (let count = 0; count < PER_MINUTE; count++) {
    assert.equal((await guess(email, from(`2001:db8:0:7::${count + 1}`))).status, 422)
  }
  assertLimited(await guess(email, from('2001:0db8:0000:0007:ffff:1:2:3')), 60)
  assert.equal((await guess(email, { ...from('2001:db8:0:8::1'), password: PASSWORD })).status, 200)
})

test('RATE_LIMITS=off does not make guessing any easier', async (t) => {
  heldClock(t)
  const { email } = await people.person()
  const from = { url: unlimited.url }
  assert.deepEqual(await guesses(email, PER_MINUTE, from), all(PER_MINUTE, 422))
  assertLimited(await guess(email, { ...from, password: PASSWORD }), 60)

  const { token } = await world.make.guest()
  const guest = createClient(unlimited.url, { authorization: `Bearer ${token}` })
  const number = newNumber()
  assert.equal((await askForCode(guest, number)).status, 200)
  assertLimited(await askForCode(guest, number), 60)
})

test('guessing the old password is limited like guessing at login', async (t) => {
  heldClock(t)
  const { email } = await people.person()
  const session = await people.session(email)
  const change = (oldPassword: string) =>
    session.post('/v1/users/reset-password', { oldPassword, newPassword: 'seventeen quiet umbrellas' })
  const answers = await Promise.all(Array.from({ length: PER_MINUTE }, () => change(WRONG)))
  assert.deepEqual(statuses(answers), all(PER_MINUTE, 422))
  assertLimited(await change(PASSWORD), 60)
})

/** As many as a day has, each ten from another address. */
async function useUpTheDay(email: string) {
  for (let count = 0; count < PER_DAY; count += PER_MINUTE) {
    await guesses(email, PER_MINUTE, from(`203.0.${tests}.${count}`))
  }
  assertLimited(await guess(email, { ...from(`203.0.${tests}.200`), password: PASSWORD }), 86_400)
}

test('guesses made elsewhere do not lock an owner out where they have logged in before', async (t) => {
  const clock = heldClock(t)
  const { id, email } = await people.person()
  assert.equal((await guess(email, { password: PASSWORD })).status, 200)
  await useUpTheDay(email)

  assert.equal((await guess(email, { password: PASSWORD })).status, 200)
  assert.deepEqual(await guesses(email, PER_MINUTE), all(PER_MINUTE, 422))
  assertLimited(await guess(email, { password: PASSWORD }), 60)
  clock.advance(60)
  assert.equal((await guess(email, { password: PASSWORD })).status, 200)

  const { control } = world.api.services.databases
  const known = await control.selectFrom('accounts.knownAddresses').selectAll().where('userId', '=', id).execute()
  assert.equal(known.length, 1)
  assert.ok(!known[0]?.addressHash.toString().includes('198.18'), 'the address itself is not kept')
})

test('a reset of the password lets its owner in again, wherever they are', async (t) => {
  heldClock(t)
  const { email } = await people.person()
  await useUpTheDay(email)
  assert.equal((await createClient(world.api.url).post('/v1/users/forgot-password', { email })).status, 200)
  const token = linkIn(await world.mailServer.mailTo(email), '/reset-password').searchParams.get('token')
  const password = 'seventeen quiet umbrellas'
  const reset = await createClient(proxied.url, own()).post('/v1/users/reset-forgot-password', { token, password })
  assert.equal(reset.status, 200, reset.text)
  assert.equal((await guess(email, { password })).status, 200)
  assert.equal((await guess(email, { ...from(`203.0.${tests}.201`), password })).status, 200)
})

test('the ten addresses that an account used last are known, and none from before a new password', async (t) => {
  const clock = heldClock(t)
  const { id, email } = await people.person()
  for (let count = 0; count < 12; count++) {
    clock.advance(1)
    assert.equal((await guess(email, { ...from(`203.1.0.${count}`), password: PASSWORD })).status, 200)
  }
  const { control } = world.api.services.databases
  const known = () => control.selectFrom('accounts.knownAddresses').select('seenAt').where('userId', '=', id).execute()
  assert.equal((await known()).length, 10)
  const session = await people.session(email)
  const change = { oldPassword: PASSWORD, newPassword: 'seventeen quiet umbrellas' }
  assert.equal((await session.post('/v1/users/reset-password', change)).status, 200)
  assert.equal((await known()).length, 1)
})

test('one address has fifty failed logins an hour, over all accounts', async (t) => {
  const clock = heldClock(t)
  const [{ email }, owner] = [await people.person(), await people.person()]
  assert.equal((await guess(owner.email, { password: PASSWORD })).status, 200)
  const spray = (count: number) => guess(`sprayed${count}-${tests}@example.com`)
  for (let count = 0; count < 50; count++) assert.equal((await spray(count)).status, 422)
  assertLimited(await spray(50), 3_600)
  assertLimited(await guess(email, { password: PASSWORD }), 3_600)
  assert.equal((await guess(owner.email, { password: PASSWORD })).status, 200, 'who logged in here before still can')
  assert.equal((await guess(email, { ...from('203.0.113.99'), password: PASSWORD })).status, 200)
  clock.advance(3_600)
  assert.equal((await spray(51)).status, 422)
})

test('logging in to an account of one’s own forgives no guesses at those of others', async (t) => {
  heldClock(t)
  const mine = await people.person()
  const spray = (count: number) => guess(`forgiven${count}-${tests}@example.com`)
  for (let count = 0; count < 49; count++) {
    assert.equal((await spray(count)).status, 422)
    if (count % 10 === 0) assert.equal((await guess(mine.email, { password: PASSWORD })).status, 200)
  }
  assert.equal((await spray(49)).status, 422)
  assertLimited(await spray(50), 3_600)
})

test('a flood of failed logins leaves few rows in the audit log', async (t) => {
  const clock = heldClock(t)
  const { id, email } = await people.person()
  for (let minute = 0; minute < 2; minute++) {
    for (let count = 0; count < 3; count++) await guesses(email, PER_MINUTE, from(`203.2.${minute}.${count}`))
    clock.advance(60)
  }
  const { control } = world.api.services.databases
  const failed = await control
    .selectFrom('access.auditLog')
    .select('id')
    .where('subject', '=', id)
    .where('action', '=', 'login.failed')
    .execute()
  assert.equal(failed.length, 12, 'ten, then one a minute')
})

test('registering is limited before a password is judged', async (t) => {
  heldClock(t)
  const register = (count: number) =>
    createClient(proxied.url, own()).post('/v1/users/register', {
      provider: 'EMAIL_REGISTER',
      email: `weak${count}-${tests}@example.com`,
      password: 'weak',
    })
  const answers = await Promise.all(Array.from({ length: 65 }, (_, count) => register(count)))
  assert.deepEqual(inOrder(statuses(answers)), [...all(60, 422), ...all(5, 429)])
})

test('mails to one address are five an hour, whether or not somebody has it', async (t) => {
  const clock = heldClock(t)
  const { email } = await people.person()
  for (const address of [email, `nobody-mail-${process.pid}@example.com`]) {
    const ask = () => createClient(world.api.url).post('/v1/users/forgot-password', { email: address })
    for (let count = 0; count < 5; count++) assert.equal((await ask()).status, 200)
    assertLimited(await ask(), 3_600)
    clock.advance(3_600)
    assert.equal((await ask()).status, 200)
  }
})

let numbers = 0
const newNumber = () => `+4915112${String(++numbers).padStart(6, '0')}`
const anotherCode = (code: string) => (code === '000000' ? '000001' : '000000')
const askForCode = (client: Client, phoneNumber: string) => client.post('/v1/users/phone-number', { phoneNumber })
const tryCode = (client: Client, phoneNumber: string, code: string) =>
  client.post('/v1/users/phone-number/confirm', { phoneNumber, code })

test('a code by SMS takes five tries: the sixth is refused even when it is right, with limits on or off', async (t) => {
  heldClock(t)
  for (const { url } of [world.api, unlimited]) {
    const { token } = await world.make.guest()
    const guest = createClient(url, { authorization: `Bearer ${token}` })
    const number = newNumber()
    assert.equal((await askForCode(guest, number)).status, 200)
    const code = await world.sms.codeTo(number)
    for (let count = 0; count < 5; count++) {
      const { status, body } = await tryCode(guest, number, anotherCode(code))
      assert.deepEqual([status, body.details[0].error], [422, 'CODE_WRONG'])
    }
    assertLimited(await tryCode(guest, number, code), 60)
    assertLimited(await tryCode(guest, number, code), 60)
    assert.deepEqual((await guest.get('/v1/users/me')).body.phoneNumbers, [])
  }
})

test('of thirty wrong codes at once five are looked at', async (t) => {
  heldClock(t)
  const guest = await world.make.guest()
  const number = newNumber()
  await askForCode(guest, number)
  const code = await world.sms.codeTo(number)
  const answers = await Promise.all(Array.from({ length: 30 }, () => tryCode(guest, number, anotherCode(code))))
  assert.deepEqual(inOrder(statuses(answers)), [...all(5, 422), ...all(25, 429)])
  assertLimited(await tryCode(guest, number, code), 60)
})

test('the fifth try may be the right one', async (t) => {
  heldClock(t)
  const guest = await world.make.guest()
  const number = newNumber()
  await askForCode(guest, number)
  const code = await world.sms.codeTo(number)
  for (let count = 0; count < 4; count++) await tryCode(guest, number, anotherCode(code))
  assert.equal((await tryCode(guest, number, code)).status, 200)
  assert.equal((await tryCode(guest, number, code)).status, 422, 'and works once')
})

test('the right code raced fifty times wins once', async (t) => {
  heldClock(t)
  const guest = await world.make.guest()
  const number = newNumber()
  await askForCode(guest, number)
  const code = await world.sms.codeTo(number)
  const answers = await Promise.all(Array.from({ length: 50 }, () => tryCode(guest, number, code)))
  const got = statuses(answers)
  assert.equal(got.filter((status) => status === 200).length, 1, got.join())
  assert.equal(got.filter((status) => status === 422 || status === 429).length, 49, got.join())
  const { control } = world.api.services.databases
  const verified = await control
    .selectFrom('access.auditLog')
    .select('action')
    .where('subject', '=', guest.id)
    .where('action', '=', 'phone.verified')
    .execute()
  assert.equal(verified.length, 1)
  assert.deepEqual((await guest.get('/v1/users/me')).body.phoneNumbers, [number])
})

test('one SMS a minute and five a day to a number, whoever asks and wherever', async (t) => {
  const clock = heldClock(t)
  const number = newNumber()
  for (let count = 1; count <= 5; count++) {
    const { token } = await world.make.guest()
    const url = count % 2 ? world.api.url : second.url
    const guest = createClient(url, { authorization: `Bearer ${token}` })
    assert.equal((await askForCode(guest, number)).status, 200, `SMS ${count}`)
    assertLimited(await askForCode(guest, number), 60)
    assertLimited(await askForCode(await world.make.guest(), number.replace('+49', '+49 ')), 60)
    clock.advance(60)
  }
  assertLimited(await askForCode(await world.make.guest(), number), 86_400)
  await world.sms.codeTo(number, 5)
  assert.equal(world.sms.messages.filter(({ to }) => to === number).length, 5)
  assert.equal((await askForCode(await world.make.guest(), newNumber())).status, 200, 'another number is not concerned')

  clock.advance(86_400 - 5 * 60)
  assert.equal((await askForCode(await world.make.guest(), number)).status, 200)
  await world.sms.codeTo(number, 6)
})

test('twenty requests for an SMS at once send one', async (t) => {
  heldClock(t)
  const guest = await world.make.guest()
  const number = newNumber()
  const answers = await Promise.all(Array.from({ length: 20 }, () => askForCode(guest, number)))
  assert.deepEqual(inOrder(statuses(answers)), [200, ...all(19, 429)])
})
