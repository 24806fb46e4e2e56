import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabases } from '#platform/database/database.ts'
import { notify, openListener } from '#platform/database/listener.ts'
import { transaction } from '#platform/database/transaction.ts'
import { cloneTemplate } from '../../support/database.ts'
import { startProxy } from '../../support/proxy.ts'
import { until } from '../../support/until.ts'

test('a listener hears what was committed, says so when it is deaf, and costs no more after many reconnections', async (t) => {
  const database = await cloneTemplate('full')
  const proxy = await startProxy(database.url)
  const here = openDatabases({ control: { url: database.url, directUrl: database.url }, cells: {} }, { max: 2 })
  const there = openDatabases({ control: { url: database.url, directUrl: proxy.url }, cells: {} }, { max: 2 })
  const listener = await openListener(there.control)
  t.after(async () => {
    await listener.close()
    await Promise.all([here.close(), there.close()])
    await proxy.close()
    await database.drop()
  })
  const heard: string[] = []
  let gaps = 0
  listener.on('thing', (id) => void heard.push(id))
  listener.onGap(() => void gaps++)

  await transaction(here.control, (tx) => notify(tx, 'thing', 'committed'))
  await transaction(here.control, async (tx) => {
    await notify(tx, 'thing', 'rolled back')
    throw new Error('rolled back')
  }).catch(() => {})
  await transaction(here.control, (tx) => notify(tx, 'thing', 'last'))
  await until('it has heard the last', () => heard.includes('last'))
  assert.deepEqual(heard, ['committed', 'last'])

  for (let turn = 1; turn <= 5; turn++) {
    proxy.cut()
    await until('it is deaf', () => !listener.connected)
    proxy.restore()
    await until('it hears', () => listener.connected)
    assert.ok(gaps >= 2 * turn, 'told before and after: nothing read meanwhile may be trusted')
  }
  const [said, since] = [proxy.said(), performance.now()]
  await sleep(2_500)
  const [asked, seconds] = [proxy.said() - said, (performance.now() - since) / 1000]
  // One loop asks two and a half times a second; what five reconnections left behind would ask six times as often.
  assert.ok(asked <= 2.5 * seconds + 1, `asked ${asked} times in ${seconds} seconds`)
  await transaction(here.control, (tx) => notify(tx, 'thing', 'again'))
  await until('it has heard it', () => heard.includes('again'))
})

test('a listener that is connecting while it is closed gives up at once', async (t) => {
  const database = await cloneTemplate('full')
  const proxy = await startProxy(database.url)
  const there = openDatabases({ control: { url: database.url, directUrl: proxy.url }, cells: {} }, { max: 2 })
  t.after(async () => {
    await there.close()
    await proxy.close()
    await database.drop()
  })
  const listener = await openListener(there.control)
  proxy.hush() // its ping has no answer, and neither have its new connections
  await until('it is deaf', () => !listener.connected)
  await sleep(700) // longer than it takes to hang up on the old one: it is connecting now
  const since = performance.now()
  await Promise.race([listener.close(), sleep(5_000, undefined, { ref: false })])
  const took = performance.now() - since
  assert.ok(took < 1_500, `took ${Math.round(took)} ms`)
})
