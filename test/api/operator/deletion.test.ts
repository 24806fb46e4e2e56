import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { sendDeletionNotice } from '#modules/accounts/index.ts'
import { useHeldClock } from '../../support/clock.ts'
import type { Make } from '../../support/make.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const clock = useHeldClock()
let operator: Awaited<ReturnType<Make['operator']>>
const used = useWorld({ own: true }, async ({ make }) => {
  operator = await make.operator()
})
const PATH = '/v1/operator/businesses'
const WRONG = '409 CONFLICT id WRONG_STATE'
const GRACE_SECONDS = 30 * 86_400
const control = () => used.api.services.databases.control

const remove = (id: string, slug: string) => operator.delete(`${PATH}/${id}?slug=${slug}`)
const keep = (id: string) => operator.post(`${PATH}/${id}/undelete`, undefined)

/** The jobs that wait for the worker, by kind. */
async function waiting(businessId: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select task.identifier as name
      from graphile_worker._private_jobs as job
      join graphile_worker._private_tasks as task on task.id = job.task_id
     where job.payload ->> 'businessId' = ${businessId}
     order by 1`.execute(control())
  return rows.map(({ name }) => name)
}

test('a business that is deleted is closed at once, its people are told, and it can be had back for 30 days', async () => {
  const { id, slug, admin, path } = await used.make.business()
  assert.equal((await admin.get(`${path}/roles`)).status, 200)
  const deleted = await remove(id, slug)
  assert.equal(deleted.status, 202, deleted.text)
  assert.equal(deleted.body.state, 'DELETING')
  assert.equal(deleted.body.deleteAt - deleted.body.suspendedAt, GRACE_SECONDS)
  assert.equal(refusal(await admin.get(`${path}/roles`)), '403 FORBIDDEN')
  assert.deepEqual(await waiting(id), [sendDeletionNotice.name, 'operator.pause-letters'].toSorted())
  for (const [state, found] of [
    ['DELETING', [id]],
    ['SUSPENDED', []],
    ['IMPORTING', []],
    ['ACTIVE', []],
  ] as const)
    assert.deepEqual(
      (await operator.get(`${PATH}?state=${state}&query=${id}`)).body.items.map((one: { id: string }) => one.id),
      found,
      state,
    )
  assert.equal(refusal(await remove(id, slug)), WRONG)
  assert.equal(refusal(await operator.post(`${PATH}/${id}/resume`, undefined)), WRONG)

  clock.advance(GRACE_SECONDS - 60)
  const first = operator.id
  const fresh = await used.make.operator()
  operator = fresh // the session of the first one is over
  const kept = await fresh.post(`${PATH}/${id}/undelete`, undefined)
  assert.equal(kept.status, 200, kept.text)
  assert.deepEqual([kept.body.state, kept.body.deleteAt], ['ACTIVE', null])
  const { body } = await operator.get(`/v1/operator/audit?businessId=${id}`)
  assert.deepEqual(
    body.items.map(({ action, actorId }: { action: string; actorId: string }) => [action, actorId]),
    [
      ['business.deletion-undone', fresh.id],
      ['business.deletion-asked', first],
    ],
  )
})

test('one that was suspended before is suspended again, for the reason it had', async () => {
  const { id, slug } = await used.make.business()
  await operator.post(`${PATH}/${id}/suspend`, { reason: 'Unpaid.' })
  clock.advance(5)
  assert.equal((await remove(id, slug)).status, 202)
  const { body } = await keep(id)
  assert.deepEqual([body.state, body.suspendedReason], ['SUSPENDED', 'Unpaid.'])
})

test('nothing is deleted without its slug, twice, or once its time is up', async () => {
  const { id, slug } = await used.make.business()
  const other = await used.make.business()
  assert.equal(refusal(await operator.delete(`${PATH}/${id}`)), '422 VALIDATION_FAILED slug REQUIRED')
  assert.equal(refusal(await remove(id, other.slug)), '422 VALIDATION_FAILED slug INVALID')
  assert.equal(refusal(await remove('biz_000000000000', slug)), '404 NOT_FOUND')
  assert.equal(refusal(await keep('biz_000000000000')), '404 NOT_FOUND')
  assert.equal(refusal(await keep(id)), WRONG)
  assert.equal((await operator.get(`${PATH}/${id}`)).body.state, 'ACTIVE')

  await remove(id, slug)
  await control()
    .updateTable('access.businesses')
    .set({ deleteAt: new Date(Date.now() - 1_000) })
    .where('id', '=', id)
    .execute()
  clock.advance(1)
  assert.equal(refusal(await keep(id)), WRONG)
})

test('what is being imported is neither deleted nor kept here', async () => {
  const { id, slug } = await used.make.business()
  const later = new Date(Date.now() + 400 * 86_400_000)
  await control()
    .updateTable('access.businesses')
    .set({ deleteAt: later, deleteAskedAt: new Date(), suspendedAt: new Date(), importOf: 'print' })
    .where('id', '=', id)
    .execute()
  assert.equal((await operator.get(`${PATH}/${id}`)).body.state, 'IMPORTING')
  assert.equal(refusal(await remove(id, slug)), WRONG)
  assert.equal(refusal(await keep(id)), WRONG)
})
