import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessJobs, grantRole, setPaymentAccount } from '#modules/access/index.ts'
import { carryEvents } from '#modules/access/outbox.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { sequenceAllEvents, sequenceEvents } from '#platform/events/sequencer.ts'
import { useFaults } from '#platform/faults.ts'
import type { JobContext } from '#platform/jobs/define.ts'
import { happened } from '../../support/check-events.ts'
import { createMake, type Make } from '../../support/make.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'
import { startTestWorker, type TestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'

const used = {} as { api: TestApi; make: Make }
let worker: TestWorker
before(async () => {
  used.api = await startApi()
  used.make = createMake(used.api)
  worker = startTestWorker(used.api.databases.env, accessJobs)
})
after(async () => {
  await worker.stop()
  await used.api.close()
})

type Business = Awaited<ReturnType<typeof used.make.business>>
type Event = { number: number; type: string; subject: string; actorId: string | null; data: object }

const control = () => used.api.services.databases.control
const waitingOf = (businessId: string) =>
  control()
    .selectFrom('access.eventOutbox')
    .selectAll()
    .where('businessId', '=', businessId)
    .orderBy('position')
    .execute()

async function feedOf({ admin, path, db, id }: Business): Promise<Event[]> {
  await until('all is carried', async () => (await waitingOf(id)).length === 0)
  await until('all is numbered', async () => (await sequenceEvents(db as Db)) === 0)
  return (await admin.get(`${path}/events?after=0&limit=100`)).body.items
}

const run = (businessId: string) => {
  const { cells } = used.api.services.databases
  return carryEvents.run({ businessId }, { db: control(), cells } as unknown as JobContext<never>)
}

for (const cell of ['main', 'second']) {
  test(`changes of a business, its roles and members are in its feed, also in the cell ${cell}`, async () => {
    const business = await used.make.business({ cell })
    const { admin, path, id } = business
    const customer = await used.make.customer(id)
    const stranger = await used.make.user()
    const ok = async (answer: Promise<{ status: number; text: string; body: { id: string } }>) => {
      const { status, text, body } = await answer
      assert.ok(status < 300, text)
      return body
    }
    await ok(admin.put(path, { name: 'A secret name', contactEmail: 'secret@example.com' }))
    const role = await ok(admin.post(`${path}/roles`, { name: 'A secret role', permissions: ['ORDERS_READ'] }))
    const spare = await ok(admin.post(`${path}/roles`, { name: 'Spare', permissions: [] }))
    await ok(admin.put(`${path}/roles/${role.id}`, { name: 'Another', permissions: ['ORDERS_READ', 'PROMOS_WRITE'] }))
    await ok(admin.delete(`${path}/roles/${spare.id}`))
    const set = (userId: string, roleId: string | null) =>
      ok(admin.put('/v1/users/set-role', { userId, roleId, businessId: id }))
    await set(customer.id, role.id)
    await set(customer.id, null)
    await set(stranger.id, role.id)
    const [offered] = (await stranger.get('/v1/users/invitations')).body.items
    await ok(stranger.post('/v1/users/invitations/accept', { id: offered.id }))
    await transaction(control(), (tx) => grantRole(tx, { businessId: id, userId: customer.id, role: 'Another' }))
    await transaction(control(), (tx) => setPaymentAccount(tx, id, `acct_${id}`))

    const feed = await feedOf(business)
    assert.deepEqual(
      feed.map(({ type, subject, actorId, data }) => [type, subject, actorId, data]),
      [
        ['business.updated', id, admin.id, { fields: ['name', 'contactEmail'] }],
        ['role.created', role.id, admin.id, { permissions: ['ORDERS_READ'] }],
        ['role.created', spare.id, admin.id, { permissions: [] }],
        [
          'role.updated',
          role.id,
          admin.id,
          { fields: ['name', 'permissions'], permissions: ['ORDERS_READ', 'PROMOS_WRITE'] },
        ],
        ['role.deleted', spare.id, admin.id, {}],
        ['member.role_given', customer.id, admin.id, { roleId: role.id }],
        ['member.removed', customer.id, admin.id, {}],
        ['member.invited', offered.id, admin.id, { roleId: role.id, userId: stranger.id }],
        ['member.role_given', stranger.id, stranger.id, { roleId: role.id }],
        ['member.role_given', customer.id, null, { roleId: role.id }],
        ['business.updated', id, null, { fields: ['paymentAccount'] }],
      ],
    )
    assert.doesNotMatch(JSON.stringify(feed), /secret/i)
  })
}

test('a user who deletes their account leaves; who is refused leaves no event', async () => {
  const business = await used.make.business()
  const member = await used.make.member(business.id, 'ORDERS_READ')
  assert.equal(
    (
      await business.admin.put('/v1/users/set-role', {
        userId: business.admin.id,
        roleId: null,
        businessId: business.id,
      })
    ).status,
    409,
  )
  assert.equal((await member.delete('/v1/users/me')).status, 200)
  assert.deepEqual(
    (await feedOf(business)).map(({ type, subject }) => [type, subject]),
    [['member.removed', member.id]],
  )
})

test('an event that is carried twice, at once, or after it was numbered, is there once, under its id', async (t) => {
  await worker.stop() // so that only this test carries
  const business = await used.make.business({ cell: 'second' })
  const change = (name: string) => business.admin.put(business.path, { name })
  const ids = async () => (await waitingOf(business.id)).map(({ id }) => id)
  const idsInFeed = async () => {
    await sequenceEvents(business.db)
    const rows = await business.db
      .selectFrom('cell.events')
      .select('id')
      .where('businessId', '=', business.id)
      .orderBy('number')
      .execute()
    return rows.map(({ id }) => id)
  }
  await change('One')
  await change('Two')
  const expected = await ids()
  assert.equal(expected.length, 2)

  useFaults((name) => {
    if (name === 'access.events-carried') throw new Error('killed')
  })
  t.after(() => useFaults(undefined))
  await assert.rejects(run(business.id), /killed/)
  await assert.rejects(run(business.id), /killed/) // while it waits to be numbered
  assert.deepEqual(await idsInFeed(), expected)
  await Promise.allSettled([run(business.id), run(business.id), run(business.id)])
  assert.deepEqual(await ids(), expected, 'not forgotten yet')

  await change('Three')
  const all = await ids()
  useFaults(undefined)
  await Promise.all([run(business.id), run(business.id), run(business.id)])
  assert.deepEqual(await ids(), [])
  assert.deepEqual(await idsInFeed(), all)
  assert.deepEqual(all.slice(0, 2), expected)

  await change('Four')
  await carryEvents.run({}, { db: control(), cells: used.api.services.databases.cells } as unknown as JobContext<never>)
  assert.deepEqual([(await ids()).length, (await idsInFeed()).length], [0, 4], 'the sweep finds it, too')
})

test('the sequencer goes on at once after a full batch', async () => {
  const { id, db } = await used.make.business()
  await transaction(db, (tx) =>
    record(tx, ...Array.from({ length: 12_000 }, () => happened({ businessId: id, subject: 'thing' }))),
  )
  await sequenceAllEvents(db, [], new AbortController().signal)
  const counter = await db.selectFrom('cell.eventCounters').selectAll().where('businessId', '=', id).executeTakeFirst()
  assert.equal(counter?.lastNumber, 12_000)
})
