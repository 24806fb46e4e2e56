import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import { jobs } from '../../../src/apps/jobs.ts'
import { createPeople } from '../../support/people.ts'
import { refusal } from '../../support/refusal.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

async function open() {
  const business = await used.make.business()
  const [clerk, editor] = [
    await used.make.member(business.id, 'ORDERS_READ'),
    await used.make.member(business.id, 'CONTENT_WRITE'),
  ]
  return { ...business, clerk, editor, views: `${business.path}/saved-views` }
}

const PACKING = {
  list: 'orders',
  name: 'To be packed',
  filters: { status: ['PROCESSING'], tag: 'gift' },
  columns: ['number', 'total'],
  isShared: false,
}
const namesOf = ({ items }: { items: { name: string }[] }) => items.map(({ name }) => name)

test('a view is saved for oneself, or shared with everybody of the business', async () => {
  const { clerk, editor, admin, views } = await open()
  const made = await clerk.post(views, PACKING, { 'idempotency-key': 'v' })
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(
    { ...made.body, id: '', createdAt: 0, updatedAt: 0 },
    { ...PACKING, id: '', authorId: clerk.id, createdAt: 0, updatedAt: 0 },
  )
  assert.equal((await clerk.post(views, PACKING, { 'idempotency-key': 'v' })).body.id, made.body.id)
  const shared = await editor.post(views, { list: 'entries', name: 'Drafts', isShared: true })
  assert.deepEqual([shared.body.filters, shared.body.columns], [{}, []])

  assert.deepEqual(namesOf((await clerk.get(views)).body), ['Drafts', 'To be packed'])
  assert.deepEqual(namesOf((await clerk.get(`${views}?list=orders`)).body), ['To be packed'])
  assert.deepEqual(namesOf((await editor.get(views)).body), ['Drafts'])
  assert.deepEqual(namesOf((await admin.get(views)).body), ['Drafts'])
  const first = await clerk.get(`${views}?limit=1`)
  assert.deepEqual(namesOf((await clerk.get(`${views}?limit=1&cursor=${first.body.cursor}`)).body), ['To be packed'])
  const at = `${views}/${made.body.id}`
  assert.equal((await clerk.get(at)).status, 200)
  assert.equal(refusal(await admin.get(at)), '404 NOT_FOUND')
})

test('its author changes it, and an ADMIN what is shared', async () => {
  const { clerk, editor, admin, views } = await open()
  const own = `${views}/${(await clerk.post(views, PACKING)).body.id}`
  const etag = (await clerk.get(own)).headers.get('etag') ?? ''
  const changed = await clerk.put(own, { name: 'Later', filters: {} }, { 'if-match': etag })
  assert.deepEqual(
    [changed.status, changed.body.name, changed.body.filters, changed.body.columns],
    [200, 'Later', {}, PACKING.columns],
  )
  assert.equal((await clerk.put(own, { name: 'Again' }, { 'if-match': etag })).status, 412)
  assert.equal(refusal(await admin.put(own, { name: 'Mine' })), '404 NOT_FOUND')
  assert.equal(refusal(await admin.delete(own)), '404 NOT_FOUND')
  await clerk.put(own, { isShared: true })
  assert.equal(refusal(await editor.put(own, { name: 'Mine' })), '403 FORBIDDEN')
  assert.equal(refusal(await editor.delete(own)), '403 FORBIDDEN')
  assert.equal((await admin.put(own, { name: 'Of the house' })).body.name, 'Of the house')
  assert.deepEqual((await admin.delete(own)).body, { success: true })
  assert.equal(refusal(await clerk.delete(own)), '404 NOT_FOUND')
})

test('what is not a view is refused', async () => {
  const { clerk, views } = await open()
  for (const body of [
    { ...PACKING, list: 'secrets' },
    { ...PACKING, name: ' ' },
    { ...PACKING, filters: { status: { deep: 'x' } } },
    { ...PACKING, filters: { status: 5 } },
    { ...PACKING, filters: { tag: 'x'.repeat(501) } },
    { ...PACKING, filters: { tag: Array(51).fill('x') } },
    { ...PACKING, filters: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, 'x'])) },
    { ...PACKING, columns: Array(51).fill('x') },
    { name: 'No list' },
  ])
    assert.equal((await clerk.post(views, body)).status, 422, JSON.stringify(body).slice(0, 100))
})

test('a person has 100 of them in a business, however many come at once', async () => {
  const { clerk, views, id, db } = await open()
  await sql`
    insert into backoffice.saved_views
    select ${id}, 'view_' || n, ${clerk.id}, 'orders', 'No. ' || n, '{}', '{}', false, 1, now(), now()
      from generate_series(1, 97) as n`.execute(db)
  const made = await Promise.all(Array.from({ length: 6 }, () => clerk.post(views, PACKING)))
  assert.deepEqual(
    made.map(({ status }) => status).sort((a, b) => a - b),
    [201, 201, 201, 409, 409, 409],
  )
  assert.equal(refusal(await clerk.post(views, PACKING)), '409 CONFLICT name TOO_MANY')
})

test('only those with a role see them, each business its own', async () => {
  const [here, there] = [await open(), await open()]
  const { body } = await here.clerk.post(here.views, { ...PACKING, isShared: true })
  const stranger = await used.make.user()
  assert.equal((await stranger.get(here.views)).status, 403)
  assert.equal((await stranger.post(here.views, PACKING)).status, 403)
  assert.equal((await there.clerk.get(here.views)).status, 403)
  assert.deepEqual((await there.clerk.get(there.views)).body.items, [])
  assert.equal(refusal(await there.admin.get(`${there.views}/${body.id}`)), '404 NOT_FOUND')
  const nothing = await used.make.member(here.id)
  assert.equal((await nothing.get(here.views)).status, 403)
})

test('a deleted account leaves what it has shared', async () => {
  const worker = startTestWorker(used.api.databases.env, jobs)
  try {
    const { id, views, db, clerk } = await open()
    const people = createPeople(used.api)
    const person = await people.person()
    await used.api.services.databases.control
      .insertInto('access.memberships')
      .values({ businessId: id, userId: person.id, roleId: clerk.roleId, createdAt: now() })
      .execute()
    const caller = await people.session(person.email)
    assert.equal((await caller.post(views, PACKING)).status, 201)
    const shared = await caller.post(views, { ...PACKING, isShared: true })
    assert.equal((await caller.delete('/v1/users/me')).status, 200)
    const left = async () => {
      const rows = await db
        .selectFrom('backoffice.savedViews')
        .select('id')
        .where((view) => view.and({ businessId: id, authorId: person.id }))
        .execute()
      return rows.map((row) => row.id)
    }
    await until('the cell has heard of it', async () => (await left()).length === 1)
    assert.deepEqual(await left(), [shared.body.id])
  } finally {
    await worker.stop()
  }
})
