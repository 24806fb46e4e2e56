import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { createCache } from './cache.ts'
import { useClock } from './clock.ts'

afterEach(() => useClock(undefined))

/** A load that finishes when the test says so, and counts how often it was asked. */
function slowLoad() {
  const waiting: ((value: string | undefined) => void)[] = []
  return {
    load: () =>
      new Promise<string | undefined>((resolve) => {
        waiting.push(resolve)
      }),
    finish: (value: string | undefined) => waiting.shift()?.(value),
    get count() {
      return waiting.length
    },
  }
}

const value = (text: string) => async () => text
const unwanted = async () => assert.fail('asked although it is known')

test('what was loaded is known until its time is over', async () => {
  let time = 0
  useClock(() => time)
  const cache = createCache<string>({ max: 10, ttlMs: 1_000 })
  assert.equal(cache.peek('a'), undefined)
  assert.equal(await cache.get('a', value('one')), 'one')
  assert.equal(cache.peek('a'), 'one')
  time = 999
  assert.equal(await cache.get('a', unwanted), 'one')
  time = 1_000
  assert.equal(cache.peek('a'), undefined)
  assert.equal(await cache.get('a', value('two')), 'two')
})

test('many who ask at once cause one load', async () => {
  const cache = createCache<string>({ max: 10, ttlMs: 1_000 })
  const slow = slowLoad()
  const answers = Array.from({ length: 20 }, () => cache.get('a', slow.load))
  assert.equal(slow.count, 1)
  slow.finish('one')
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(['one']))
})

test('a load that fails is told to all who wait, and forgotten', async () => {
  const cache = createCache<string>({ max: 10, ttlMs: 1_000 })
  const fail = async () => {
    throw new Error('away')
  }
  const answers = await Promise.allSettled([cache.get('a', fail), cache.get('a', fail)])
  for (const answer of answers) assert.equal(answer.status, 'rejected')
  assert.equal(await cache.get('a', value('one')), 'one')
})

test('what is absent is not remembered as absent', async () => {
  const cache = createCache<string>({ max: 10, ttlMs: 1_000 })
  assert.equal(await cache.get('a', async () => undefined), undefined)
  assert.equal(await cache.get('a', value('made')), 'made')
})

for (const [how, drop] of [
  ['drop', (cache: ReturnType<typeof createCache<string>>) => cache.drop('a')],
  ['dropWhere', (cache: ReturnType<typeof createCache<string>>) => cache.dropWhere(() => true)],
  ['clear', (cache: ReturnType<typeof createCache<string>>) => cache.clear()],
] as const) {
  test(`what was being loaded during a ${how} is answered, but not kept, and nobody joins it`, async () => {
    const cache = createCache<string>({ max: 10, ttlMs: 1_000 })
    const slow = slowLoad()
    const before = cache.get('a', slow.load)
    drop(cache)
    const after = cache.get('a', slow.load)
    assert.equal(slow.count, 2)
    slow.finish('stale')
    assert.equal(await before, 'stale')
    assert.equal(cache.peek('a'), undefined)
    slow.finish('fresh')
    assert.equal(await after, 'fresh')
    assert.equal(cache.peek('a'), 'fresh')
  })

  test(`a ${how} forgets what is known`, async () => {
    const cache = createCache<string>({ max: 10, ttlMs: 1_000 })
    await cache.get('a', value('one'))
    drop(cache)
    assert.equal(cache.peek('a'), undefined)
    assert.equal(await cache.get('a', value('two')), 'two')
  })
}

test('a late end of an old load does not disturb the one that replaced it', async () => {
  const cache = createCache<string>({ max: 10, ttlMs: 1_000 })
  const slow = slowLoad()
  const old = cache.get('a', slow.load)
  cache.drop('a')
  const fresh = cache.get('a', slow.load)
  slow.finish('stale')
  await old
  const joined = cache.get('a', unwanted)
  slow.finish('fresh')
  assert.deepEqual([await fresh, await joined], ['fresh', 'fresh'])
})

test('only what matches is dropped', async () => {
  const cache = createCache<string>({ max: 10, ttlMs: 1_000 })
  await cache.get('a/1', value('x'))
  await cache.get('a/2', value('y'))
  await cache.get('b/1', value('x'))
  cache.dropWhere((key, known) => key.startsWith('a/') && known === 'x')
  assert.deepEqual([cache.peek('a/1'), cache.peek('a/2'), cache.peek('b/1')], [undefined, 'y', 'x'])
})

test('it holds no more than it may, and what nobody asked for the longest goes first', async () => {
  const cache = createCache<string>({ max: 3, ttlMs: 1_000 })
  for (const key of ['a', 'b', 'c', 'd']) await cache.get(key, value(key))
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.peek(key)),
    [undefined, 'b', 'c', 'd'],
  )
  assert.equal(await cache.get('b', unwanted), 'b')
  await cache.get('e', value('e'))
  assert.deepEqual(
    ['b', 'c', 'd', 'e'].map((key) => cache.peek(key)),
    ['b', undefined, 'd', 'e'],
  )
})

test('being asked for again and again does not make anything last longer', async () => {
  let time = 0
  useClock(() => time)
  const cache = createCache<string>({ max: 3, ttlMs: 1_000 })
  await cache.get('a', value('a'))
  time = 999
  assert.equal(cache.peek('a'), 'a')
  time = 1_000
  assert.equal(cache.peek('a'), undefined)
})

test('while drops cannot be heard, everything is loaded and nothing kept', async () => {
  let trusted = true
  const cache = createCache<string>({ max: 10, ttlMs: 1_000, trusted: () => trusted })
  await cache.get('a', value('one'))
  trusted = false
  assert.equal(cache.peek('a'), undefined)
  assert.equal(await cache.get('a', value('two')), 'two')
  assert.equal(await cache.get('b', value('three')), 'three')
  cache.clear() // as a process does that missed invalidations, before it trusts the cache again
  trusted = true
  assert.deepEqual([cache.peek('a'), cache.peek('b')], [undefined, undefined])

  const slow = slowLoad()
  const during = cache.get('a', slow.load)
  trusted = false
  slow.finish('four')
  assert.equal(await during, 'four')
  trusted = true
  assert.equal(cache.peek('a'), undefined)
})

const lengthOf = (text: string) => text.length

test('it holds no more bytes than it may, and what nobody asked for the longest goes first', async () => {
  const cache = createCache<string>({ max: 10, ttlMs: 1_000, weight: { maxBytes: 10, of: lengthOf } })
  for (const key of ['aaaa', 'bbbb', 'cccc']) await cache.get(key, value(key))
  assert.deepEqual([cache.peek('aaaa'), cache.peek('bbbb'), cache.peek('cccc')], [undefined, 'bbbb', 'cccc'])
  assert.deepEqual(cache.size(), { entries: 2, bytes: 8 })
  cache.drop('bbbb')
  assert.deepEqual(cache.size(), { entries: 1, bytes: 4 })
  cache.dropWhere(() => true)
  assert.deepEqual(cache.size(), { entries: 0, bytes: 0 })
})

test('what alone weighs more than all may is answered, not kept, and drives nothing out', async () => {
  const cache = createCache<string>({ max: 10, ttlMs: 1_000, weight: { maxBytes: 10, of: lengthOf } })
  await cache.get('a', value('small'))
  assert.equal(await cache.get('b', value('much too heavy')), 'much too heavy')
  assert.deepEqual([cache.peek('a'), cache.peek('b')], ['small', undefined])
})

test('what has expired is forgotten, also if nobody asks for it again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let time = 0
  useClock(() => time)
  const cache = createCache<string>({ max: 10, ttlMs: 1_000, weight: { maxBytes: 100, of: lengthOf } })
  await cache.get('a', value('one'))
  time = 600
  await cache.get('b', value('two'))
  time = 1_000
  t.mock.timers.tick(1_000)
  assert.deepEqual(cache.size(), { entries: 1, bytes: 3 })
  time = 2_000
  t.mock.timers.tick(1_000)
  assert.deepEqual(cache.size(), { entries: 0, bytes: 0 })
})

test('whatever is done to it, it weighs what it holds', async () => {
  const cache = createCache<string>({ max: 3, ttlMs: 1_000, weight: { maxBytes: 50, of: lengthOf } })
  for (let step = 0; step < 500; step++) {
    const key = String(step % 7)
    await cache.get(key, value('x'.repeat((step * 13) % 40)))
    if (step % 5 === 0) cache.drop(String(step % 3))
    const held = Array.from({ length: 7 }, (_, at) => cache.peek(String(at))).filter((one) => one !== undefined)
    assert.deepEqual(cache.size(), { entries: held.length, bytes: held.join('').length })
    assert.ok(held.length <= 3 && held.join('').length <= 50)
  }
})
