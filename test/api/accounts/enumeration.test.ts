import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { now } from '#platform/clock.ts'
import { useFaults } from '#platform/faults.ts'
import { failLogins } from '../../scenarios/fail-logins.ts'
import { type Answer, createClient } from '../../support/client.ts'
import { createPeople, PASSWORD, type People } from '../../support/people.ts'
import { useWorld } from '../../support/world.ts'

let people: People
const world = useWorld({ providers: ['mail', 'sms'], worker: 'accounts' }, async ({ api }) => {
  people = createPeople(api)
})

const WRONG = 'wrong horse battery staple'
let count = 0
const unknownEmail = () => `stranger${++count}-${process.pid}@example.com`
// The same id each time, so that answers can be compared byte for byte.
const REQUEST_ID = { 'x-request-id': 'the-same-for-all' }
const post = (path: string, body: object) => createClient(world.api.url).post(path, body, REQUEST_ID)

/** All that a stranger sees of an answer, but the time of day. */
const seen = ({ status, text, headers }: Answer) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => name !== 'date'),
})

function assertAlike(answers: Record<string, Answer>): void {
  const [[firstName, first] = ['', undefined], ...others] = Object.entries(answers)
  assert.ok(first)
  for (const [name, answer] of others) assert.deepEqual(seen(answer), seen(first), `${name} differs from ${firstName}`)
}

/** One of each: what the service may know about an address. */
async function everyKind() {
  const [confirmed, unconfirmed, suspended, withoutPassword] = await Promise.all([
    people.person(),
    people.person({ isConfirmed: false }),
    people.person(),
    world.make.user(),
  ])
  await people.suspend(suspended.id)
  return {
    unknown: unknownEmail(),
    confirmed: confirmed.email,
    'in capitals': confirmed.email.toUpperCase(),
    unconfirmed: unconfirmed.email,
    suspended: suspended.email,
    'without a password': withoutPassword.email ?? '',
  }
}

async function answersFor(ask: (email: string) => Promise<Answer>): Promise<Record<string, Answer>> {
  const answers: Record<string, Answer> = {}
  for (const [kind, email] of Object.entries(await everyKind())) answers[kind] = await ask(email)
  return answers
}

/** How often passwords are verified from now on. */
function countVerifications(t: TestContext) {
  const counted = { times: 0 }
  useFaults((name) => {
    if (name === 'password.verify') counted.times++
  })
  t.after(() => useFaults(undefined))
  return counted
}

test('a login with a wrong password does not tell whether the address is known', async () => {
  const answers = await answersFor((email) => post('/v1/users/login', { provider: 'EMAIL', email, password: WRONG }))
  assertAlike(answers)
  assert.deepEqual(
    [answers.unknown?.status, answers.unknown?.body.details[0]],
    [422, { field: 'password', error: 'PASSWORD_WRONG', message: 'The email address or the password is wrong.' }],
  )
})

test('a forgotten password does not tell whether the address is known', async () => {
  const answers = await answersFor((email) => post('/v1/users/forgot-password', { email }))
  assertAlike(answers)
  assert.deepEqual([answers.unknown?.status, answers.unknown?.body], [200, { success: true }])
})

test('asking for the confirmation mail again does not tell whether the address is known', async () => {
  const answers = await answersFor((email) => post('/v1/users/resend-confirmation', { email }))
  assertAlike(answers)
  assert.deepEqual([answers.unknown?.status, answers.unknown?.body], [200, { success: true }])
})

test('asking for a code by SMS does not tell whether somebody has the number, nor does a wrong code', async () => {
  const { control } = world.api.services.databases
  const [account, guest, asking] = await Promise.all([world.make.user(), world.make.guest(), world.make.guest()])
  const numbers = {
    unknown: '+4915112300001',
    'of an account': '+4915112300002',
    'of a guest': '+4915112300003',
  }
  for (const [number, userId] of [
    [numbers['of an account'], account.id],
    [numbers['of a guest'], guest.id],
  ] as const) {
    await control.insertInto('accounts.verifiedPhones').values({ number, userId, verifiedAt: now() }).execute()
  }
  const asked: Record<string, Answer> = {}
  const tried: Record<string, Answer> = {}
  for (const [kind, phoneNumber] of Object.entries(numbers)) {
    tried[`never asked for, ${kind}`] = await asking.post(
      '/v1/users/phone-number/confirm',
      { phoneNumber, code: 'wrong' },
      REQUEST_ID,
    )
    asked[kind] = await asking.post('/v1/users/phone-number', { phoneNumber }, REQUEST_ID)
    await world.sms.codeTo(phoneNumber)
    tried[kind] = await asking.post('/v1/users/phone-number/confirm', { phoneNumber, code: 'wrong' }, REQUEST_ID)
  }
  assertAlike(asked)
  assertAlike(tried)
  assert.deepEqual([asked.unknown?.status, asked.unknown?.body], [200, { success: true }])
  assert.deepEqual([tried.unknown?.status, tried.unknown?.body.details[0].error], [422, 'CODE_WRONG'])
})

test('a login verifies exactly one password, whoever asks and whatever comes of it', async (t) => {
  const kinds = await everyKind()
  const counted = countVerifications(t)
  for (const [kind, email] of Object.entries(kinds)) {
    for (const password of [WRONG, PASSWORD, 'x']) {
      counted.times = 0
      await post('/v1/users/login', { provider: 'EMAIL', email, password })
      assert.equal(counted.times, 1, `${kind}, with ${password}`)
    }
  }
})

test('asking for mails verifies no password', async (t) => {
  const counted = countVerifications(t)
  await answersFor((email) => post('/v1/users/forgot-password', { email }))
  await answersFor((email) => post('/v1/users/resend-confirmation', { email }))
  assert.equal(counted.times, 0)
})

test('a login costs as much for somebody unknown as for somebody known', async () => {
  const { known, unknown } = await failLogins(world, { rounds: 25 })
  const ratio = unknown.processorMs / known.processorMs
  assert.ok(ratio > 0.6 && ratio < 1.7, `unknown ${unknown.processorMs} ms, known ${known.processorMs} ms`)
})
