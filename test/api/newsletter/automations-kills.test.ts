import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { verify } from '../../../src/apps/verify.ts'
import { openSendWorld } from '../../scenarios/send-storm.ts'
import { startChild } from '../../support/child.ts'
import { letter } from '../../support/newsletter-api.ts'
import { until } from '../../support/until.ts'

const READERS = 40

test('kills of the worker at any step leave no letter that goes out by itself twice, and none out', async () => {
  const world = await openSendWorld()
  try {
    const { admin, owner, collection, entry, subscribed, db } = await world.open()
    const { id: entryId, path } = await entry(letter('Welcome', 'Hello.'), { statuses: [{ status: 'PUBLISHED' }] })
    const made = await owner.post(`${collection.path}/automations`, { trigger: 'WELCOME', entryId })
    assert.equal(made.status, 201, made.text)
    const env = { ...world.mail, DATABASE_URL: world.api.databases.main.url }
    let count = 0
    const subscribe = async (number: number) => {
      for (let each = 0; each < number; each++) await subscribed(admin, { email: `reader${++count}@kills.example` })
    }
    for (const fault of ['automation.followed', 'automation.planned', 'deliver.claimed', 'deliver.delivered']) {
      await subscribe(READERS / 5)
      const worker = await startChild('worker', env, { faults: { [fault]: 'kill' } })
      assert.equal((await worker.exited).signal, 'SIGKILL', fault)
    }
    await subscribe(READERS / 5)
    const worker = await startChild('worker', env)
    const counted = async () => {
      const { rows } = await sql<{ state: string; count: number }>`
        select state, count(*)::integer as count from newsletter.recipients group by state`.execute(db)
      return Object.fromEntries(rows.map(({ state, count }) => [state, count])) as Record<string, number>
    }
    await until('everybody is accounted for', async () => {
      const { SENT = 0, UNCERTAIN = 0 } = await counted()
      return SENT + UNCERTAIN === READERS
    })
    await worker.stop()
    const { SENT = 0, UNCERTAIN = 0, ...others } = await counted()
    assert.deepEqual(others, {})
    const taken = world.accepted()
    assert.deepEqual(
      [...taken].filter(([, times]) => times > 1),
      [],
      'nobody got it twice',
    )
    assert.ok(taken.size >= SENT && taken.size <= SENT + UNCERTAIN, `${taken.size} of ${SENT} and ${UNCERTAIN}`)
    assert.ok(UNCERTAIN > 0, 'workers were killed while they were sending')
    const { rows: due } = await sql<{ state: string; count: number }>`
      select state, count(*)::integer as count from newsletter.due_letters group by state`.execute(db)
    assert.deepEqual(due, [{ state: 'PLANNED', count: READERS }])
    const { items } = (await owner.get(`${path}/sends`)).body
    assert.equal(
      items.reduce((sum: number, { total }: { total: number }) => sum + total, 0),
      READERS,
    )
    for (const { check, violations } of await verify(db)) assert.deepEqual(violations, [], check)
  } finally {
    await world.close()
  }
})
