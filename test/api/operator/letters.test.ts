import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseSends } from '#modules/newsletter/index.ts'
import { pauseLetters } from '#modules/operator/suspend-business.ts'
import { useHeldClock } from '../../support/clock.ts'
import { openNewsletter } from '../../support/newsletter-api.ts'
import { refusal } from '../../support/refusal.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const clock = useHeldClock()
const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter', own: true })
const DAY = 86_400

type Shown = { id: string; status: string; businessName: string; cell: string; problem: string | null; sent: number }

test('letters of all businesses are listed as they get on, without what they say', async () => {
  const operator = await used.make.operator()
  const one = await openNewsletter(used.make)
  const two = await openNewsletter(used.make)
  await one.fill(2, 'one.example')
  const done = await one.send(await one.entry())
  const paused = await two.send(await two.entry())
  await paused.move('pause')
  const list = async (query: string): Promise<Shown[]> => (await operator.get(`/v1/operator/sends?${query}`)).body.items
  const ids = async (query: string) => (await list(query)).map(({ id }) => id)
  assert.deepEqual(await ids(`state=SCHEDULED&businessId=${one.id}`), [done.id])
  assert.deepEqual(await ids(`businessId=${one.id}`), [])
  const [shown] = await list(`businessId=${two.id}`)
  assert.deepEqual(
    [shown?.id, shown?.status, shown?.businessName, shown?.cell],
    [paused.id, 'PAUSED', two.name, two.cell],
  )
  assert.doesNotMatch(JSON.stringify(shown), /Spring is here/)

  await used.sendWorker.run(one.db)
  assert.equal(await done.state(), 'DONE sent 2')
  assert.deepEqual(await ids(`state=FAILED&businessId=${one.id}`), [], 'everybody got it')
  await one.db.updateTable('newsletter.sends').set({ sent: 1, failed: 1 }).where('id', '=', done.id).execute()
  assert.deepEqual(await ids(`state=FAILED&businessId=${one.id}`), [done.id])
  assert.deepEqual(await ids(`state=FAILED&state=PAUSED&limit=100`), [paused.id, done.id].toSorted().toReversed())
})

test('a suspended business sends nothing more, also of what was under way, and pages find it paused', async () => {
  const operator = await used.make.operator()
  const newsletter = await openNewsletter(used.make)
  await newsletter.fill(3, 'closed.example')
  const sending = await newsletter.send(await newsletter.entry())
  await operator.post(`/v1/operator/businesses/${newsletter.id}/suspend`, { reason: 'Spam.' })
  const worker = startTestWorker(used.api.databases.env, [pauseLetters(pauseSends)])
  const shown = async (): Promise<Shown[]> =>
    (await operator.get(`/v1/operator/sends?businessId=${newsletter.id}`)).body.items
  try {
    await until('it is paused', async () => (await shown())[0]?.status === 'PAUSED')
  } finally {
    await worker.stop()
  }
  assert.match((await shown())[0]?.problem ?? '', /suspended the business/)
  await used.sendWorker.run(newsletter.db)
  assert.deepEqual(
    (await shown()).map(({ id, sent }) => [id, sent]),
    [[sending.id, 0]],
  )
})

test('letters over the limit of a day wait for the next one, and new ones are refused', async () => {
  const operator = await used.make.operator()
  const newsletter = await openNewsletter(used.make)
  const { id, db, owner } = newsletter
  await newsletter.fill(5, 'limited.example')
  const limit = (mailsPerDay: number | null) => operator.put(`/v1/operator/businesses/${id}/limits`, { mailsPerDay })
  assert.equal((await limit(3)).status, 200)
  const sending = await newsletter.send(await newsletter.entry())
  await used.sendWorker.run(db)
  assert.equal(await sending.state(), 'RUNNING sent 3 planned 2')
  clock.advance(20)
  await used.sendWorker.run(db)
  assert.equal(await sending.state(), 'RUNNING sent 3 planned 2')
  const other = await newsletter.entry()
  const refused = await owner.post(`${other.path}/send`, {})
  assert.equal(refusal(refused), '409 CONFLICT entryId LIMIT_REACHED')
  assert.match(refused.body.message, /3 letters a day.*operator of this service can raise the limit/)

  await limit(4)
  clock.advance(20)
  await used.sendWorker.run(db)
  assert.equal(await sending.state(), 'RUNNING sent 4 planned 1', 'a raised limit is heeded the same day')
  clock.advance(DAY)
  await used.sendWorker.run(db)
  const { rows } = { rows: await sending.recipients() }
  assert.deepEqual(
    rows.map(({ state }) => state),
    Array(5).fill('SENT'),
  )
})
