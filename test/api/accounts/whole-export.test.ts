import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { jobs } from '#apps/jobs.ts'
import { useFaults } from '#platform/faults.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Client } from '../../support/client.ts'
import { makePerson, saidIn, settle } from '../../support/forgotten-person.ts'
import { refusal } from '../../support/refusal.ts'
import { startTestWorker, type TestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

const EXPORTS = '/v1/users/me/exports'

let used: StartedWorld<'stripe' | 'mail'>
let worker: TestWorker
before(async () => {
  used = await startWorld({ providers: ['stripe', 'mail'], worker: 'newsletter' })
  worker = startTestWorker({ ...used.api.databases.env, ...used.env }, jobs, { lines: used.lines })
})
after(async () => {
  useFaults(undefined)
  await worker.stop()
  await used.close()
})

const control = () => used.api.services.databases.control

async function made(me: Pick<Client, 'post' | 'get'>) {
  const asked = await me.post('/v1/users/me/export', undefined)
  assert.equal(asked.status, 202, asked.text)
  const path = `${EXPORTS}/${asked.body.id}`
  await until('the file is made', async () => (await me.get(path)).body.status === 'READY')
  const { body } = await me.get(path)
  const file = await me.get(`${path}/file`)
  assert.equal(file.status, 200, file.text)
  return { asked: asked.body, path, record: body, file }
}

test('the file holds everything of a person, from all businesses and from their time as a guest, and nothing of others', async () => {
  const person = await makePerson(used)
  const { a, b, me, id, guestId, orders, words, staffWords, letters } = person
  const other = await used.make.guest()
  await a.buy({ shopper: other, email: 'neighbour@other.example', customerNote: 'of the neighbour' })
  await letters.subscribed(other, { email: 'neighbour@other.example', name: 'Neighbour' })

  const { asked, record, file } = await made(me)
  assert.equal(asked.status, 'PENDING')
  assert.equal(record.size, Buffer.byteLength(file.text))
  assert.equal(record.expiresAt - record.finishedAt, 86_400)
  assert.match(file.headers.get('content-type') ?? '', /^application\/json/)
  assert.match(file.headers.get('content-disposition') ?? '', /^attachment/)
  assert.equal(file.headers.get('cache-control'), 'no-store')

  const whole = file.body
  assert.deepEqual(Object.keys(whole), ['madeAt', 'account', 'businesses'])
  assert.equal(whole.account.user.id, id)
  assert.deepEqual(
    whole.account.formerGuests.map((guest: { id: string }) => guest.id),
    [guestId],
  )
  const inA = whole.businesses.find((business: { id: string }) => business.id === a.shop.id)
  const inB = whole.businesses.find((business: { id: string }) => business.id === b.shop.id)
  assert.equal(whole.businesses.length, 2)
  const idsOf = (records: { id: string }[]) => records.map((record) => record.id).sort()
  assert.deepEqual(idsOf(inA.orders), [orders.asGuest.id, orders.paid.id].sort())
  assert.deepEqual(idsOf(inB.orders), [orders.open.id])
  assert.equal(inA.subscriptions.length, 2)
  assert.equal(inA.subscriptions[0].wishes.length, 1)
  assert.equal(inB.subscriptions.length, 1)
  const paid = inA.orders.find((order: { id: string }) => order.id === orders.paid.id)
  assert.deepEqual(
    [paid.shipments.length, paid.entries.length, paid.entries[0].owner],
    [1, 1, `order:${orders.paid.id}`],
  )
  assert.deepEqual(
    { ...paid, shipments: 0, entries: 0 },
    {
      ...(await me.get(orders.paid.path)).body,
      shipments: 0,
      entries: 0,
    },
  )

  // Secrets, technical keys, and what a payer typed at the provider's are no fields of any answer.
  const unseen = ['idempotency key', 'return', 'cancel', 'payer email']
  for (const [name, word] of words)
    assert.equal(file.text.includes(word), !staffWords.includes(word) && !unseen.includes(name), name)
  assert.doesNotMatch(file.text, /neighbour/i)
})

test('what rests of it in the database cannot be read without the key', async () => {
  const person = await makePerson(used)
  const { path } = await made(person.me)
  const tables = await saidIn(used.api.databases.main.url, [...person.words.values()])
  assert.ok(!tables.includes('accounts.export_parts'), tables.join(' '))
  assert.equal((await person.me.delete('/v1/users/me')).status, 200)
  await settle([person.a.db])
  const { count } = await control()
    .selectFrom('accounts.exportParts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('exportId', '=', path.split('/').at(-1) ?? '')
    .executeTakeFirstOrThrow()
  assert.equal(count, 0, 'it goes with the account')
})

test('one is made at a time, five a day; others do not see it, and no API key does', async () => {
  const me = await used.make.user()
  useFaults((name) => (name === 'make-export.part' ? new Promise((resolve) => setTimeout(resolve, 500)) : undefined))
  const first = await me.post('/v1/users/me/export', undefined)
  const again = await me.post('/v1/users/me/export', undefined)
  assert.deepEqual([first.status, again.status, again.body.id], [202, 202, first.body.id])
  const path = `${EXPORTS}/${first.body.id}`
  assert.equal(refusal(await me.get(`${path}/file`)), '409 CONFLICT id WRONG_STATE')
  useFaults(undefined)
  await until('it is made', async () => (await me.get(path)).body.status === 'READY')

  const stranger = await used.make.user()
  for (const at of [path, `${path}/file`, `${EXPORTS}/exp_none`, `${EXPORTS}/exp_none/file`])
    assert.equal(refusal(await stranger.get(at)), '404 NOT_FOUND', at)
  assert.deepEqual((await stranger.get(EXPORTS)).body, { items: [] })
  const key = await used.make.apiKey(me.id)
  for (const at of [path, `${path}/file`, EXPORTS]) assert.equal((await key.get(at)).status, 403, at)
  assert.equal((await key.post('/v1/users/me/export', undefined)).status, 403)
  const guest = await used.make.guest()
  assert.equal((await guest.post('/v1/users/me/export', undefined)).status, 403)
  assert.equal((await used.make.anonymous().get(EXPORTS)).status, 401)

  for (let n = 2; n <= 5; n++) await made(me)
  const sixth = await me.post('/v1/users/me/export', undefined)
  assert.equal(sixth.status, 429, sixth.text)
  assert.ok(Number(sixth.headers.get('retry-after')) > 0)
  const { items } = (await me.get(EXPORTS)).body
  assert.equal(items.length, 5)
  assert.ok(items[0].id > items[4].id, 'the newest first')
})

test('a day later the file is gone', async () => {
  const me = await used.make.user()
  const { path, record } = await made(me)
  await control().updateTable('accounts.exports').set({ expiresAt: new Date() }).where('id', '=', record.id).execute()
  assert.equal(refusal(await me.get(`${path}/file`)), '404 NOT_FOUND')
  const job = jobs.find(({ name }) => name === 'accounts.drop-exports')
  await enqueue(control() as never, job as never, {})
  await settle([used.api.services.databases.cells.get('main') as never])
  for (const table of ['accounts.exports', 'accounts.exportParts'] as const) {
    const { count } = await control()
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(table === 'accounts.exports' ? 'id' : ('exportId' as never), '=', record.id)
      .executeTakeFirstOrThrow()
    assert.equal(count, 0, table)
  }
})

test('one that cannot be made says so in the end', async () => {
  const me = await used.make.user()
  useFaults((name) => {
    if (name === 'make-export.part') throw new Error('a fault while the file is made')
  })
  const asked = await me.post('/v1/users/me/export', undefined)
  const path = `${EXPORTS}/${asked.body.id}`
  // All its attempts but the last are over, hours later.
  const spend = () =>
    sql`
    select from graphile_worker.reschedule_jobs(
      array(select id from graphile_worker.jobs
             where task_identifier = 'accounts.make-export' and attempts between 1 and 6 and locked_at is null),
      run_at => now(), attempts => 7)`.execute(control())
  await until('it is given up', async () => {
    await spend()
    return (await me.get(path)).body.status === 'FAILED'
  })
  useFaults(undefined)
  assert.equal((await me.get(path)).body.expiresAt, null)
  assert.equal(refusal(await me.get(`${path}/file`)), '409 CONFLICT id WRONG_STATE')
  assert.equal((await made(me)).record.status, 'READY', 'another one can be asked for')
})
