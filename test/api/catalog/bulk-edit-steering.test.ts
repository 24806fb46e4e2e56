import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { workOff } from '#modules/catalog/bulk-edits/work-off.ts'
import { itemsOf, plusFive, runCatalogJob } from '../../support/bulk-edits.ts'
import { eventsOf } from '../../support/imports.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

// There is no worker here: a test says when the next piece of work is done.
const used = useWorld({ own: true })

async function open(products: number) {
  const shop = await used.make.shop()
  for (let n = 0; n < products; n++) await used.make.product(shop)
  const edits = `${shop.path}/bulk-edits`
  const post = (body: object = {}, headers = {}) =>
    shop.admin.post(edits, { list: 'products', select: { filters: {} }, changes: plusFive, ...body }, headers)
  const steer = (id: string, verb: string) => shop.admin.post(`${edits}/${id}/${verb}`, undefined)
  const get = async (id: string) => (await shop.admin.get(`${edits}/${id}`)).body
  const { body: business } = await shop.admin.get(shop.path)
  /** One piece of work. */
  const work = (bulkEditId: string) => workOff(shop.db, { business, bulkEditId, fence: async () => {} })
  const finish = async (id: string) => {
    while (await work(id));
    return get(id)
  }
  const ready = async (body: object = {}) => {
    const made = await post(body)
    assert.equal(made.status, 202, made.text)
    return (await finish(made.body.id)).id as string
  }
  const idsOf = async () => (await shop.admin.get(edits)).body.items.map(({ id }: { id: string }) => id) as string[]
  return { ...shop, edits, post, steer, get, work, finish, ready, idsOf }
}

/** Documents so large that no two of them fit into one batch. */
const LARGE = { description: 'x'.repeat(99_000), seo: { description: 'x'.repeat(900) } }

test('one bulk edit of a business is under way at a time', async () => {
  const { post, steer, finish, idsOf } = await open(1)
  const [one, two] = await Promise.all([post(), post()])
  assert.deepEqual([refusal(one), refusal(two)].sort(), ['202', '409 CONFLICT status BULK_EDIT_RUNNING'])
  const [first] = (await idsOf()) as [string]
  assert.equal((await finish(first)).status, 'READY')
  const colleague = await post()
  assert.equal(colleague.status, 202, 'one that waits for a person is in nobody’s way')
  assert.equal(refusal(await steer(first, 'apply')), '404 NOT_FOUND', 'who tries another gives up the first')
})

test('while one is tried, another cannot be applied or undone', async () => {
  const { post, steer, ready, admin, id: businessId } = await open(1)
  const first = await ready()
  const colleague = await used.make.member(businessId, 'PRODUCTS_WRITE')
  const body = { list: 'products', select: { filters: {} }, changes: plusFive }
  assert.equal((await colleague.post(`/v1/businesses/${businessId}/bulk-edits`, body)).status, 202)
  assert.equal(refusal(await steer(first, 'apply')), '409 CONFLICT status BULK_EDIT_RUNNING')
  assert.equal(refusal(await post()), '409 CONFLICT status BULK_EDIT_RUNNING')
  assert.equal((await admin.get(`/v1/businesses/${businessId}/bulk-edits/${first}`)).body.status, 'READY')
})

test('a key makes one bulk edit, however often it is sent', async () => {
  const { post, idsOf } = await open(1)
  const first = await post({}, { 'idempotency-key': 'k' })
  const again = await post({}, { 'idempotency-key': 'k' })
  assert.deepEqual([again.status, again.body.id], [202, first.body.id])
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.equal((await idsOf()).length, 1)
})

test('applying can be stopped, keeps what it has done, and goes on later; so does undoing', async () => {
  const { ready, steer, work, finish, get, db, id: businessId, admin, products, path } = await open(0)
  for (let n = 0; n < 30; n++) await used.make.product({ admin, products }, LARGE)
  const id = await ready()
  await steer(id, 'apply')
  assert.ok(await work(id))
  const begun = await get(id)
  assert.ok(begun.applied > 0 && begun.applied < 30, `${begun.applied} were applied`)
  assert.equal(begun.done, begun.applied)
  const stopped = await steer(id, 'cancel')
  assert.deepEqual([stopped.status, stopped.body.status, stopped.body.applied], [200, 'DONE', begun.applied])
  assert.equal(await work(id), false, 'a worker that comes late finds nothing to do')
  assert.equal((await itemsOf({ admin, path }, id, 'status=PENDING')).length, 30 - begun.applied)
  assert.equal((await steer(id, 'cancel')).body.status, 'DONE', 'stopping what is not under way changes nothing')

  assert.equal((await steer(id, 'apply')).body.status, 'APPLYING')
  assert.equal((await steer(id, 'apply')).status, 202, 'asking twice is no error')
  assert.deepEqual([(await finish(id)).applied, (await get(id)).done], [30, 30])
  await steer(id, 'undo')
  await work(id)
  const halfway = (await steer(id, 'cancel')).body
  assert.equal(halfway.status, 'DONE')
  assert.ok(halfway.undone > 0 && halfway.undone < 30, `${halfway.undone} were undone`)
  await steer(id, 'undo')
  assert.deepEqual([(await finish(id)).status, (await get(id)).undone], ['UNDONE', 30])
  const told = await eventsOf(db, businessId, 'bulk_edit.finished')
  assert.deepEqual(
    told.map(({ data }) => data),
    [
      { work: 'APPLY', changed: begun.applied, skipped: 0, isStopped: true },
      { work: 'APPLY', changed: 30, skipped: 0, isStopped: false },
      { work: 'UNDO', changed: halfway.undone, skipped: 0, isStopped: true },
      { work: 'UNDO', changed: 30, skipped: 0, isStopped: false },
    ],
  )
})

test('what has changed nothing can be thrown away, at any moment; the rest cannot', async () => {
  const { post, steer, work, ready, finish, db, id: businessId, idsOf } = await open(2)
  const running = (await post()).body.id
  await work(running)
  assert.equal((await steer(running, 'cancel')).body.status, 'DISCARDED')
  assert.equal(await work(running), false)
  const waiting = await ready()
  assert.equal((await steer(waiting, 'discard')).body.status, 'DISCARDED')
  assert.deepEqual(await idsOf(), [])
  for (const bulkEditId of [running, waiting])
    await runCatalogJob(used.api, db, 'catalog.drop-bulk-edit', { businessId, bulkEditId })
  const { rows } = await sql`select from catalog.bulk_edit_items where business_id = ${businessId}`.execute(db)
  assert.equal(rows.length, 0, 'their rows go, too')

  const done = await ready()
  assert.equal(refusal(await steer(done, 'undo')), '409 CONFLICT status WRONG_STATE')
  await steer(done, 'apply')
  assert.equal(refusal(await steer(done, 'discard')), '409 CONFLICT status WRONG_STATE')
  await finish(done)
  assert.equal(refusal(await steer(done, 'discard')), '409 CONFLICT status WRONG_STATE')
  await steer(done, 'undo')
  assert.equal((await finish(done)).status, 'UNDONE')
  assert.equal(refusal(await steer(done, 'apply')), '409 CONFLICT status WRONG_STATE')
})

test('five are kept, and those that changed something longest', async () => {
  const { ready, steer, finish, idsOf, id: businessId } = await open(1)
  const colleague = await used.make.member(businessId, 'PRODUCTS_WRITE')
  const edits = `/v1/businesses/${businessId}/bulk-edits`
  const raise = { changes: [{ field: 'price', marketId: 'us', op: 'percent', bps: 500 }] }
  const applied: string[] = []
  for (let n = 0; n < 3; n++) {
    const id = await ready(raise)
    await steer(id, 'apply')
    await finish(id)
    applied.push(id)
  }
  const { body: theirs } = await colleague.post(edits, { list: 'products', select: { filters: {} }, ...raise })
  await finish(theirs.id)
  for (let n = 0; n < 2; n++) {
    const id = await ready(raise)
    await steer(id, 'apply')
    await finish(id)
    applied.push(id)
  }
  assert.deepEqual(await idsOf(), applied.toReversed(), 'what a colleague only tried went first')
  const sixth = await ready(raise)
  assert.deepEqual(await idsOf(), [sixth, ...applied.slice(1).toReversed()])
})

test('after 30 days they go, unless they are under way', async () => {
  const { ready, steer, finish, idsOf, db, id: businessId } = await open(1)
  const id = await ready()
  await steer(id, 'apply')
  const age = () =>
    sql`update catalog.bulk_edits set created_at = created_at - interval '31 days' where business_id = ${businessId}`.execute(
      db,
    )
  await age()
  await runCatalogJob(used.api, db, 'catalog.tidy-bulk-edits', {})
  assert.deepEqual(await idsOf(), [id])
  await finish(id)
  await runCatalogJob(used.api, db, 'catalog.tidy-bulk-edits', {})
  assert.deepEqual(await idsOf(), [])
})

test('a worker that fails for good says so, and the rest can still be applied', async () => {
  const { ready, steer, finish, get, db, id: businessId } = await open(2)
  const bulkEditId = await ready()
  await steer(bulkEditId, 'apply')
  const run = (attempt: number) =>
    runCatalogJob(used.api, db, 'catalog.work-off-bulk-edit', { businessId, bulkEditId }, attempt)
  await sql`alter table catalog.bulk_edit_items rename to gone`.execute(db)
  try {
    await assert.rejects(run(1))
    assert.equal((await get(bulkEditId)).status, 'APPLYING', 'it is tried again')
    await assert.rejects(run(8))
  } finally {
    await sql`alter table catalog.gone rename to bulk_edit_items`.execute(db)
  }
  const failed = await get(bulkEditId)
  assert.deepEqual([failed.status, failed.failure], ['FAILED', 'INTERNAL'])
  await steer(bulkEditId, 'apply')
  const done = await finish(bulkEditId)
  assert.deepEqual([done.status, done.applied, done.failure], ['DONE', 2, null])
})
