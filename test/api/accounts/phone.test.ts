import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { idsOf } from '#modules/accounts/index.ts'
import type { Client } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { createMake } from '../../support/make.ts'
import { startApi } from '../../support/start-api.ts'
import { startWorld, useWorld } from '../../support/world.ts'

const world = useWorld({ providers: ['mail', 'sms'], worker: 'accounts', own: true })

let count = 0
const newNumber = () => `+49160${String(1_000_000 + ++count)}`
const control = () => world.api.services.databases.control
const ask = (caller: Client, phoneNumber: string) => caller.post('/v1/users/phone-number', { phoneNumber })
const confirm = (caller: Client, phoneNumber: string, code: string) =>
  caller.post('/v1/users/phone-number/confirm', { phoneNumber, code })
const phonesOf = async (caller: Client) => (await caller.get('/v1/users/me')).body.phoneNumbers

async function codeFor(caller: Client, phoneNumber: string): Promise<string> {
  const earlier = world.sms.messages.filter(({ to }) => to === phoneNumber).length
  await world.forgetAttempts()
  const asked = await ask(caller, phoneNumber)
  assert.deepEqual([asked.status, asked.body], [200, { success: true }], asked.text)
  return world.sms.codeTo(phoneNumber, earlier + 1)
}
async function verify(caller: Client, phoneNumber: string): Promise<void> {
  const { status, text } = await confirm(caller, phoneNumber, await codeFor(caller, phoneNumber))
  assert.equal(status, 200, text)
}
const ownerOf = async (number: string) =>
  (
    await control()
      .selectFrom('accounts.verifiedPhones')
      .select('userId')
      .where('number', '=', number)
      .executeTakeFirst()
  )?.userId
const otherThan = (code: string) => (code === '000000' ? '000001' : '000000')

test('a code comes by SMS, and confirming it attaches the number', async () => {
  for (const caller of [await world.make.user(), await world.make.guest()]) {
    const number = newNumber()
    await ask(caller, `${number.slice(0, 3)} (${number.slice(3, 6)}) ${number.slice(6)}`) // as people write it
    const code = await world.sms.codeTo(number)
    assert.match(code, /^\d{6}$/)
    assert.deepEqual(await phonesOf(caller), [], 'asking attaches nothing')
    const confirmed = await confirm(caller, number, code)
    assert.deepEqual([confirmed.status, confirmed.body], [200, { success: true }])
    assert.deepEqual(await phonesOf(caller), [number])
    assert.equal(await ownerOf(number), caller.id)
    const again = await confirm(caller, number, code)
    assert.deepEqual([again.status, again.body.details[0].error], [422, 'CODE_WRONG'])
  }
})

test('a wrong code, a code for another number and somebody else’s code are 422 CODE_WRONG', async () => {
  const [ada, mallory] = [await world.make.user(), await world.make.user()]
  const [number, other] = [newNumber(), newNumber()]
  const code = await codeFor(ada, number)
  await codeFor(mallory, other)
  for (const answer of [
    await confirm(ada, number, otherThan(code)),
    await confirm(ada, number, ''),
    await confirm(ada, other, code),
    await confirm(mallory, number, code),
  ]) {
    assert.deepEqual([answer.status, answer.body.details[0].error], [422, 'CODE_WRONG'])
  }
  assert.deepEqual([await phonesOf(ada), await phonesOf(mallory)], [[], []])
  assert.equal((await confirm(ada, number, code)).status, 200)
})

test('after five wrong tries even the right code is 429; a new code starts afresh', async () => {
  const ada = await world.make.user()
  const number = newNumber()
  const code = await codeFor(ada, number)
  for (let tries = 0; tries < 5; tries++) assert.equal((await confirm(ada, number, otherThan(code))).status, 422)
  const late = await confirm(ada, number, code)
  assert.deepEqual([late.status, late.body.error], [429, 'RATE_LIMITED'])
  assert.ok(late.headers.get('retry-after'))
  assert.deepEqual(await phonesOf(ada), [])
  await verify(ada, number)
  assert.deepEqual(await phonesOf(ada), [number])
})

test('a code works for ten minutes', async (t) => {
  const clock = holdClock()
  t.after(() => clock.release())
  const ada = await world.make.user()
  const [intime, late] = [newNumber(), newNumber()]
  const [first, second] = [await codeFor(ada, intime), await codeFor(ada, late)]
  clock.advance(599)
  assert.equal((await confirm(ada, intime, first)).status, 200)
  clock.advance(2)
  const expired = await confirm(ada, late, second)
  assert.deepEqual([expired.status, expired.body.details[0].error], [422, 'TOKEN_EXPIRED'])
  assert.deepEqual(await phonesOf(ada), [intime])
})

test('a number that is none is 422, and nothing is sent', async () => {
  const ada = await world.make.user()
  for (const phoneNumber of ['', '123', '+1', '0160 1234567', 'nobody']) {
    const asked = await ask(ada, phoneNumber)
    assert.deepEqual([asked.status, asked.body.details[0].field], [422, 'phoneNumber'])
    assert.equal((await confirm(ada, phoneNumber, '123456')).status, 422)
  }
  const rows = await control().selectFrom('accounts.phoneCodes').selectAll().where('userId', '=', ada.id).execute()
  assert.deepEqual(rows, [])
})

test('only a hash of the code is stored', async () => {
  const ada = await world.make.user()
  const number = newNumber()
  const code = await codeFor(ada, number)
  const row = await control()
    .selectFrom('accounts.phoneCodes')
    .selectAll()
    .where('userId', '=', ada.id)
    .executeTakeFirstOrThrow()
  assert.equal(row.codeHash?.length, 32)
  assert.ok(!row.codeHash?.toString('latin1').includes(code))
  const { rows } = await sql<{ payload: string }>`
    select payload::text from graphile_worker._private_jobs`.execute(control())
  for (const { payload } of rows) assert.ok(!payload.includes(code))
})

test('a guest who verified the number earlier is merged into the new caller, and its sessions end', async () => {
  const number = newNumber()
  for (const caller of [await world.make.guest(), await world.make.user()]) {
    const guest = await world.make.guest()
    await verify(guest, number)
    await verify(caller, number)
    const alias = await control()
      .selectFrom('accounts.guestAliases')
      .select('userId')
      .where('guestId', '=', guest.id)
      .executeTakeFirst()
    assert.equal(alias?.userId, caller.id)
    assert.ok((await idsOf(control(), caller.id)).includes(guest.id))
    assert.equal((await guest.get('/v1/users/me')).status, 401)
    assert.equal((await caller.get('/v1/users/me')).status, 200)
    if (caller.actor.kind === 'user') await caller.put('/v1/users/update', { phoneNumbers: [] })
  }
})

test('a number that an account has verified is 409 PHONE_IN_USE to everybody else', async () => {
  const ada = await world.make.user()
  const number = newNumber()
  await verify(ada, number)
  for (const other of [await world.make.user(), await world.make.guest()]) {
    const taken = await confirm(other, number, await codeFor(other, number))
    assert.deepEqual([taken.status, taken.body.error, taken.body.details[0].error], [409, 'CONFLICT', 'PHONE_IN_USE'])
    assert.deepEqual(await phonesOf(other), [])
    assert.deepEqual(await idsOf(control(), other.id), [other.id])
    assert.equal((await other.get('/v1/users/me')).status, 200)
  }
  assert.equal(await ownerOf(number), ada.id)
  assert.deepEqual(await idsOf(control(), ada.id), [ada.id])
  await verify(ada, number)
  assert.deepEqual(await phonesOf(ada), [number], 'confirming one’s own again changes nothing')
})

test('of two accounts that confirm one number at the same moment one gets it', async () => {
  for (let round = 0; round < 5; round++) {
    const number = newNumber()
    const callers = [await world.make.user(), await world.make.user()] as const
    const codes = [await codeFor(callers[0], number), await codeFor(callers[1], number)] as const
    const answers = await Promise.all([confirm(callers[0], number, codes[0]), confirm(callers[1], number, codes[1])])
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, 409],
    )
    const winner = answers[0].status === 200 ? callers[0] : callers[1]
    assert.equal(await ownerOf(number), winner.id)
  }
})

test('listing a number verifies nothing, and takes it from nobody', async () => {
  const [ada, eve] = [await world.make.user(), await world.make.user()]
  const number = newNumber()
  await verify(ada, number)
  const listed = await eve.put('/v1/users/update', { phoneNumbers: [number, number] })
  assert.deepEqual(listed.body.phoneNumbers, [number])
  assert.equal(await ownerOf(number), ada.id)

  const free = newNumber()
  await eve.put('/v1/users/update', { phoneNumbers: [free] })
  assert.equal(await ownerOf(free), undefined)
  await verify(ada, free)
  assert.equal(await ownerOf(free), ada.id)
})

test('a number that is no longer listed is no longer verified', async () => {
  const [ada, grace] = [await world.make.user(), await world.make.user()]
  const number = newNumber()
  await verify(ada, number)
  await ada.put('/v1/users/update', { phoneNumbers: [] })
  assert.equal(await ownerOf(number), undefined)
  await verify(grace, number)
  assert.equal(await ownerOf(number), grace.id)
})

test('without an SMS provider asking for a code is 503', async (t) => {
  const bare = await startApi({ databases: world.api.databases })
  t.after(() => bare.close())
  const { status, body } = await ask(await createMake(bare).user(), newNumber())
  assert.deepEqual([status, body.error], [503, 'PROVIDER_NOT_CONFIGURED'])
})

test('a provider that fails is tried again; the request has been answered long before', async (t) => {
  const bodies: string[] = []
  const flaky = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      bodies.push(new URLSearchParams(text).get('Body') ?? '')
      response.writeHead(bodies.length === 1 ? 500 : 201).end('{"code":20500}')
    })
  })
  flaky.listen(0, '127.0.0.1')
  await once(flaky, 'listening')
  const url = `http://127.0.0.1:${(flaky.address() as AddressInfo).port}`
  const other = await startWorld({ providers: ['mail', 'sms'], worker: 'accounts', env: { TWILIO_API_URL: url } })
  t.after(async () => {
    await other.close()
    flaky.close()
  })
  const ada = await other.make.user()
  const number = newNumber()
  assert.equal((await ask(ada, number)).status, 200)
  while (bodies.length < 2) {
    // The queue waits some seconds before it tries again; a test need not.
    await sql`update graphile_worker._private_jobs set run_at = now() where attempts > 0 and locked_at is null`.execute(
      other.api.services.databases.control,
    )
    await sleep(20)
  }
  const [failed = '', arrived = ''] = bodies.map((body) => /\d{6}/.exec(body)?.[0])
  if (failed !== arrived) assert.equal((await confirm(ada, number, failed)).status, 422)
  assert.equal((await confirm(ada, number, arrived)).status, 200)
})
