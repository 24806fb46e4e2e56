import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { Type } from 'typebox'
import { record } from '#platform/events/record.ts'
import { useFaults } from '#platform/faults.ts'
import { createOnce, pruneIdempotencyKeys } from '#platform/http/idempotency.ts'
import { serviceUnavailable } from '#platform/http/refusals.ts'
import { assertError } from '../../support/assert-error.ts'
import { happened } from '../../support/check-events.ts'
import { startChild } from '../../support/child.ts'
import { type Answer, createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { createMake } from '../../support/make.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const NotesBody = Type.Object({ text: Type.String({ maxLength: 100 }) })

const used = useWorld({
  own: true,
  routes(app) {
    // No module creates anything in a cell with a key yet; this does, and leaves an event behind.
    app.post(
      '/v1/businesses/:businessId/test-notes',
      { config: { access: 'guest', business: 'path', idempotent: true }, schema: { body: NotesBody } },
      (request, reply) =>
        createOnce(request, reply, request.cell, async (tx) => {
          await record(tx, happened({ businessId: request.business.id, subject: request.body.text }))
          return { text: request.body.text }
        }),
    )
  },
})

afterEach(() => useFaults(undefined))

const key = (value: string) => ({ 'idempotency-key': value })
const isReplay = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true'

async function countRoles(businessId: string, name: string): Promise<number> {
  const { count } = await used.api.services.databases.control
    .selectFrom('access.roles')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where((row) => row.and({ businessId, name }))
    .executeTakeFirstOrThrow()
  return count
}

/** Every answer is the one created record or says that its twin still runs; answers the created one. */
function assertOneOutcome(answers: Answer[], status: number): Answer {
  const [first] = answers.filter((answer) => answer.status === status && !isStillRunning(answer))
  assert.ok(first, 'nobody was answered')
  for (const answer of answers) {
    if (isStillRunning(answer)) assert.ok(Number(answer.headers.get('retry-after')) >= 1)
    else assert.deepEqual([answer.status, answer.text], [status, first.text])
  }
  return first
}

const isStillRunning = ({ status, body }: Answer) => status === 409 && body.details[0].error === 'STILL_RUNNING'

test('a repeat gets the first answer again, byte for byte, and creates nothing', async () => {
  const { admin, path, id } = await used.make.business()
  const body = { name: 'Editors', permissions: ['CONTENT_WRITE'] }
  const first = await admin.post(`${path}/roles`, body, key('k'))
  const again = await admin.post(`${path}/roles`, body, key('k'))

  assert.equal(first.status, 201, first.text)
  assert.equal(isReplay(first), false)
  assert.equal(again.status, 201)
  assert.equal(again.text, first.text)
  assert.equal(isReplay(again), true)
  assert.equal(again.headers.get('content-type'), first.headers.get('content-type'))
  assert.equal(await countRoles(id, 'Editors'), 1)
})

test('a business is created once, too, though there is none yet to name', async () => {
  const ada = await used.make.user()
  const first = await ada.post('/v1/businesses', { name: 'Harbour Goods' }, key('k'))
  const again = await ada.post('/v1/businesses', { name: 'Harbour Goods' }, key('k'))
  assert.equal(first.status, 201, first.text)
  assert.equal(again.text, first.text)
  assert.equal(isReplay(again), true)
  assert.equal((await ada.get('/v1/businesses')).body.items.length, 1)
})

for (const cell of ['main', 'second']) {
  test(`what a business owns is created once in its cell (${cell})`, async () => {
    const { path, id, db } = await used.make.business({ cell })
    const guest = await used.make.guest()
    const send = () => guest.post(`${path}/test-notes`, { text: 'hello' }, key('k'))
    const first = assertOneOutcome(await Promise.all(Array.from({ length: 10 }, send)), 201)
    const again = await send()
    assert.equal(again.text, first.text)
    assert.equal(isReplay(again), true)
    const notes = await db.selectFrom('cell.eventOutbox').select('id').where('businessId', '=', id).execute()
    assert.equal(notes.length, 1)
  })
}

test('without a key every request counts', async () => {
  const ada = await used.make.user()
  const answers = await Promise.all([1, 2].map(() => ada.post('/v1/businesses', { name: 'Twice' })))
  assert.notEqual(answers[0]?.body.id, answers[1]?.body.id)
  for (const answer of answers) assert.equal(isReplay(answer), false)
})

test('the same key with another body, or at another address, is 422', async () => {
  const { admin, path } = await used.make.business()
  const { body: role } = await admin.post(`${path}/roles`, { name: 'Editors', permissions: [] }, key('k'))
  const reused = [
    await admin.post(`${path}/roles`, { name: 'Writers', permissions: [] }, key('k')),
    await admin.post(`${path}/invitations`, { email: 'bo@example.com', roleId: role.id }, key('k')),
  ]
  for (const answer of reused) {
    const { details } = assertError(answer, 422, 'VALIDATION_FAILED')
    assert.deepEqual(
      details.map(({ field, error }) => [field, error]),
      [['Idempotency-Key', 'IDEMPOTENCY_KEY_REUSED']],
    )
  }
  // That refusal is about the key; the first answer is still there.
  const again = await admin.post(`${path}/roles`, { name: 'Editors', permissions: [] }, key('k'))
  assert.equal(again.body.id, role.id)
})

test('fields that nobody reads do not make it another request', async () => {
  const { admin, path } = await used.make.business()
  const first = await admin.post(`${path}/roles`, { name: 'Editors', permissions: [], traceId: 1 }, key('k'))
  const again = await admin.post(`${path}/roles`, { name: 'Editors', permissions: [], traceId: 2 }, key('k'))
  assert.equal(first.status, 201)
  assert.equal(again.text, first.text)
})

test('a key has 1 to 255 characters', async () => {
  const { admin, path } = await used.make.business()
  for (const value of ['', 'x'.repeat(256)]) {
    const answer = await admin.post(`${path}/roles`, { name: 'Editors', permissions: [] }, key(value))
    assert.equal(assertError(answer, 422, 'VALIDATION_FAILED').details[0]?.field, 'Idempotency-Key')
  }
  const longest = await admin.post(`${path}/roles`, { name: 'Editors', permissions: [] }, key('x'.repeat(255)))
  assert.equal(longest.status, 201)
})

test('a key belongs to its caller, and to one business', async () => {
  const { admin, path, id } = await used.make.business()
  const colleague = await used.make.member(id, 'ADMIN')
  const other = await used.make.business({ owner: admin })
  const answers = [
    await admin.post(`${path}/roles`, { name: 'Editors', permissions: [] }, key('k')),
    await colleague.post(`${path}/roles`, { name: 'Writers', permissions: [] }, key('k')),
    await admin.post(`${other.path}/roles`, { name: 'Editors', permissions: [] }, key('k')),
  ]
  for (const answer of answers) {
    assert.equal(answer.status, 201, answer.text)
    assert.equal(isReplay(answer), false)
  }
  // Somebody else's answer is never shown, not even to who guesses its key and body.
  const guessed = await colleague.post(`${path}/roles`, { name: 'Editors', permissions: [] }, key('k'))
  assert.equal(guessed.status, 422)
  assert.equal(guessed.body.details[0].error, 'IDEMPOTENCY_KEY_REUSED')
})

test('who has lost the permission gets no kept answer either', async () => {
  const { admin, path, id } = await used.make.business()
  const member = await used.make.member(id, 'SETTINGS_WRITE')
  const send = () => member.post(`${path}/roles`, { name: 'Editors', permissions: [] }, key('k'))
  assert.equal((await send()).status, 201)
  const taken = await admin.put('/v1/users/set-role', { businessId: id, userId: member.id, roleId: null })
  assert.equal(taken.status, 200, taken.text)
  assertError(await send(), 403, 'FORBIDDEN')
})

test('refusals that the request itself earns are kept: 409 and 422 of a use case', async () => {
  const { admin, path, id } = await used.make.business()
  await admin.post(`${path}/roles`, { name: 'Editors', permissions: [] })
  const taken = () => admin.post(`${path}/roles`, { name: 'Editors', permissions: [] }, key('taken'))
  const first = await taken()
  assertError(first, 409, 'CONFLICT')
  await used.api.services.databases.control
    .deleteFrom('access.roles')
    .where((row) => row.and({ businessId: id, name: 'Editors' }))
    .execute()
  const again = await taken()
  assert.deepEqual([again.status, again.text, isReplay(again)], [409, first.text, true])
  assert.equal(await countRoles(id, 'Editors'), 0)

  const body = { name: 'Shop', defaultLocale: 'en', locales: ['de'] }
  const wrong = await admin.post('/v1/businesses', body, key('wrong'))
  assertError(wrong, 422, 'VALIDATION_FAILED')
  const wrongAgain = await admin.post('/v1/businesses', body, key('wrong'))
  assert.deepEqual([wrongAgain.status, wrongAgain.text, isReplay(wrongAgain)], [422, wrong.text, true])
})

test('other failures are not kept: the same key may be tried again', async () => {
  const { admin, path, id } = await used.make.business()
  const member = await used.make.member(id, 'SETTINGS_WRITE')
  const send = () => member.post(`${path}/roles`, { name: 'Buyers', permissions: ['ORDERS_READ'] }, key('k'))
  assertError(await send(), 403, 'FORBIDDEN')
  const { body: role } = await admin.post(`${path}/roles`, { name: 'Readers', permissions: ['ORDERS_READ'] })
  await admin.put('/v1/users/set-role', { businessId: id, userId: member.id, roleId: role.id })
  const allowed = await send()
  assert.equal(allowed.status, 201, allowed.text)
  assert.equal(isReplay(allowed), false)

  const create = () => admin.post(`${path}/roles`, { name: 'Late', permissions: [] }, key('late'))
  for (const failure of [new Error('a bug'), serviceUnavailable()]) {
    useFaults(() => {
      throw failure
    })
    assert.ok((await create()).status >= 500)
    assert.equal(await countRoles(id, 'Late'), 0)
  }
  useFaults(undefined)
  const created = await create()
  assert.equal(created.status, 201, created.text)
  assert.equal(isReplay(created), false)

  // What fails its schema never was a request to remember.
  assertError(await admin.post(`${path}/roles`, { name: 5 }, key('typo')), 422, 'VALIDATION_FAILED')
  assert.equal((await admin.post(`${path}/roles`, { name: 'Fixed', permissions: [] }, key('typo'))).status, 201)
})

test('while the first request runs, a second with its key is 409', async () => {
  const { admin, path } = await used.make.business()
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  useFaults((name) => {
    if (name !== 'idempotency.before-commit') return
    reached.resolve()
    return held.promise
  })
  const send = () => admin.post(`${path}/roles`, { name: 'Editors', permissions: [] }, key('k'))
  const first = send()
  await reached.promise
  const second = await send()
  const { details } = assertError(second, 409, 'CONFLICT')
  assert.deepEqual([details[0]?.field, details[0]?.error], ['Idempotency-Key', 'STILL_RUNNING'])
  assert.equal(second.headers.get('retry-after'), '1')

  held.resolve()
  assert.equal((await first).status, 201)
  const third = await send()
  assert.deepEqual([third.text, isReplay(third)], [(await first).text, true])
})

test('50 requests at once with one key, on two nodes, create one record', async (t) => {
  const { admin, path, id } = await used.make.business()
  const node = await startApi({ databases: used.api.databases })
  t.after(() => node.close())
  const onNode = createClient(node.url, { authorization: `Bearer ${admin.token}` })
  for (let round = 0; round < 4; round++) {
    const body = { name: `Role ${round}`, permissions: [] }
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 ? admin : onNode).post(`${path}/roles`, body, key(`k${round}`)),
      ),
    )
    const first = assertOneOutcome(answers, 201)
    assert.equal(answers.filter((answer) => answer.status === 201 && !isReplay(answer)).length, 1)
    assert.equal(await countRoles(id, body.name), 1)
    const again = await onNode.post(`${path}/roles`, body, key(`k${round}`))
    assert.deepEqual([again.status, again.text, isReplay(again)], [201, first.text, true])
  }
})

test('50 requests at once with one key that is refused hear one refusal', async () => {
  const { admin, path } = await used.make.business()
  await admin.post(`${path}/roles`, { name: 'Editors', permissions: [] })
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        admin.post(`${path}/roles`, { name: 'Editors', permissions: [] }, key(`k${round}`)),
      ),
    )
    assert.equal(assertOneOutcome(answers, 409).body.details[0].error, 'NAME_EXISTS')
  }
})

test('an answer is kept for a day', async (t) => {
  const { admin, path } = await used.make.business()
  const { control } = used.api.services.databases
  const send = () => admin.post(`${path}/roles`, { name: 'Editors', permissions: [] }, key('k'))
  await send()
  const clock = holdClock()
  t.after(() => clock.release())
  clock.advance(24 * 3600 - 60)
  await pruneIdempotencyKeys(control)
  clock.release()
  assert.equal(isReplay(await send()), true)

  const later = holdClock()
  later.advance(24 * 3600 + 60)
  assert.ok((await pruneIdempotencyKeys(control)) >= 1)
  later.release()
  assert.equal((await send()).body.details[0].error, 'NAME_EXISTS') // asked anew, and now there is one
})

/** Sends one request to a process that dies at `fault`, then repeats it at one that lives. */
async function crashAndRepeat(t: { after(fn: () => unknown): void }, fault: string, path: string, token: string) {
  const body = { name: 'Editors', permissions: [] }
  const post = ({ url }: { url: string }) =>
    createClient(url, { authorization: `Bearer ${token}` }).post(`${path}/roles`, body, key('crash'))
  const dying = await startChild('api', used.api.databases.env, { faults: { [fault]: 'kill' } })
  t.after(() => dying.kill())
  await assert.rejects(post(dying))
  assert.equal((await dying.exited).signal, 'SIGKILL')
  return async () => {
    const next = await startChild('api', used.api.databases.env)
    t.after(() => next.kill())
    // PostgreSQL may need a moment to see that the dead process holds nothing any more.
    return until('the repeat is answered', async () => {
      const answer = await post(next)
      return isStillRunning(answer) ? undefined : answer
    })
  }
}

test('killed after the commit, before the answer: the repeat gets the record that was made', async (t) => {
  const { path, id, admin } = await createMake(used.api).business()
  const repeat = await crashAndRepeat(t, 'idempotency.after-commit', path, admin.token)
  assert.equal(await countRoles(id, 'Editors'), 1)
  const answer = await repeat()
  assert.equal(answer.status, 201, answer.text)
  assert.equal(isReplay(answer), true)
  assert.equal((await admin.get(`${path}/roles/${answer.body.id}`)).body.name, 'Editors')
  assert.equal(await countRoles(id, 'Editors'), 1)
})

test('killed before the commit: nothing was made, and the repeat makes it', async (t) => {
  const { path, id, admin } = await createMake(used.api).business()
  const repeat = await crashAndRepeat(t, 'idempotency.before-commit', path, admin.token)
  assert.equal(await countRoles(id, 'Editors'), 0)
  const answer = await repeat()
  assert.equal(answer.status, 201, answer.text)
  assert.equal(isReplay(answer), false)
  assert.equal(await countRoles(id, 'Editors'), 1)
})
