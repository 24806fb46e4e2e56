import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import { createFairSemaphore } from './fair-semaphore.ts'

/** Two at once, six waiting. `log` has the names in the order in which they began. */
function open() {
  const inTurn = createFairSemaphore({ atOnce: 2, maxWaiting: 6, refuse: () => new Error('full') })
  const log: string[] = []
  let [running, most] = [0, 0]
  const ask = (name: string) =>
    inTurn(name, async () => {
      log.push(name)
      most = Math.max(most, ++running)
      await soon()
      running--
      return 'done'
    }).catch((error: Error) => error.message)
  return { inTurn, log, most: () => most, ask, askAll: (names: string) => names.split('').map(ask) }
}

test('so much runs at once, and those who wait take turns, whatever the others have waiting', async () => {
  const { log, most, askAll } = open()
  const answers = await Promise.all(askAll('aaaaaabc'))
  assert.equal(log.join(''), 'aaabcaaa')
  assert.deepEqual(new Set(answers), new Set(['done']))
  assert.equal(most(), 2)
})

test('who comes again and again waits behind those who have not had their turn', async () => {
  const { log, ask, askAll } = open()
  const again = ask('b').then(() => ask('b'))
  await Promise.all([...askAll('aaaaa'), ask('c'), again])
  assert.ok(log.indexOf('c') < log.lastIndexOf('b'), log.join(''))
  assert.ok(log.lastIndexOf('b') < log.lastIndexOf('a'), log.join(''))
})

test('when no more may wait, who has the most gives up the last, and nobody with fewer is refused', async () => {
  const { askAll } = open()
  const answers = await Promise.all(askAll('aaaaaaaabbbc'))
  assert.equal(answers.map((answer) => (answer === 'done' ? '+' : '-')).join(''), '++++----++++')
})

test('who waits alone has all the room, and a failure gives its place back', async () => {
  const { inTurn, askAll, ask } = open()
  assert.equal((await Promise.all(askAll('aaaaaaaaa'))).filter((answer) => answer === 'full').length, 1)
  const fail = () => Promise.reject(new Error('failed'))
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => inTurn('a', fail)))
  assert.ok(all.every((one) => one.status === 'rejected' && (one.reason as Error).message === 'failed'))
  assert.equal(await ask('a'), 'done')
})
