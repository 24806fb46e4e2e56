import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { jobs } from '#apps/jobs.ts'
import type { Client } from '../../support/client.ts'
import { settle } from '../../support/forgotten-person.ts'
import { openNewsletter } from '../../support/newsletter-api.ts'
import { startTestWorker, type TestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

// Anybody may type an address: whoever has subscribed one need not be its owner.

let used: StartedWorld<'stripe' | 'mail'>
let worker: TestWorker
before(async () => {
  used = await startWorld({ providers: ['stripe', 'mail'], worker: 'newsletter' })
  worker = startTestWorker({ ...used.api.databases.env, ...used.env }, jobs, { lines: used.lines })
})
after(async () => {
  await worker.stop()
  await used.close()
})

async function exportOf(me: Pick<Client, 'post' | 'get'>): Promise<string> {
  const { body } = await me.post('/v1/users/me/export', undefined)
  const path = `/v1/users/me/exports/${body.id}`
  await until('the file is made', async () => (await me.get(path)).body.status === 'READY')
  return (await me.get(`${path}/file`)).text
}

test('readers whom a shop has subscribed with the API key of somebody stay when that person goes, and are not in their export', async () => {
  const letters = await openNewsletter(used.make)
  const clerk = await used.make.user()
  const key = await used.make.apiKey(clerk.id, letters.id)
  await letters.subscribed(key, { email: 'reader@other.example', name: 'Renée Reader' })
  await letters.subscribed(key, { email: clerk.email, name: 'The clerk' })

  const file = await exportOf(clerk)
  assert.doesNotMatch(file, /reader@other|Renée/)
  assert.match(file, /The clerk/)
  assert.equal((await clerk.delete('/v1/users/me')).status, 200)
  await settle([letters.db])
  assert.equal(await letters.state('reader@other.example'), 'ACTIVE')
  assert.equal(await letters.state(clerk.email ?? ''), '', 'their own address is forgotten')
})

test('whoever has typed an address before its owner learns nothing of them, and cannot end their subscription', async () => {
  const letters = await openNewsletter(used.make)
  const [stranger, owner, guest] = [await used.make.user(), await used.make.user(), await used.make.guest()]
  const { email = '' } = owner
  for (const address of [email, 'guest@other.example']) await letters.subscribed(stranger, { email: address })
  await letters.subscribed(owner, { email, name: 'Olive Owner' })
  await letters.subscribed(guest, { email: 'guest@other.example', name: 'Gus Guest' })

  assert.doesNotMatch(await exportOf(stranger), /Olive|Gus/)
  assert.match(await exportOf(owner), /Olive/)
  assert.equal((await stranger.delete('/v1/users/me')).status, 200)
  await settle([letters.db])
  assert.deepEqual([await letters.state(email), await letters.state('guest@other.example')], ['ACTIVE', 'ACTIVE'])
})
