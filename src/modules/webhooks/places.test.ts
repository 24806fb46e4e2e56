import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlaces } from './places.ts'

const nobody = () => {}

test('slow receivers take no place from quick ones, and the other way round', () => {
  const places = createPlaces({ quick: 100, slow: 2 })
  assert.ok(places.take(true, nobody))
  assert.ok(places.take(true, nobody))
  assert.equal(places.take(true, nobody), undefined)
  for (let count = 0; count < 32; count++) assert.ok(places.take(false, nobody))
  assert.equal(places.take(false, nobody), undefined)
})

test('who finds no place is called when one is free, the first first', () => {
  const places = createPlaces({ quick: 100, slow: 1 })
  const called: string[] = []
  const leave = places.take(true, nobody)
  places.take(true, () => void (called.push('first'), places.take(true, nobody)))
  places.take(true, () => void called.push('second'))
  leave?.()
  assert.deepEqual(called, ['first'])
})

test('there are more places while receivers answer as fast as they can, and fewer when all take longer', () => {
  const places = createPlaces({ quick: 100, slow: 1 })
  const round = (ms: number) => {
    const taken = []
    for (let leave = places.take(false, nobody); leave; leave = places.take(false, nobody)) taken.push(leave)
    for (const leave of taken) leave({ ms, bestMs: 20 })
  }
  const last = places.take(false, nobody)
  for (let count = 0; count < 200; count++) round(25)
  assert.equal(places.limit(), 100)
  for (let count = 0; count < 10; count++) round(200)
  assert.equal(places.limit(), 32)
  for (let count = 0; count < 200; count++) round(25)
  last?.({ ms: 20, bestMs: 20 })
  assert.equal(places.limit(), 32, 'after a pause it begins with few')
})

test('who takes longer than a second gives its place to those who wait, and counts as slow', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const places = createPlaces({ quick: 100, slow: 33 })
  const hanging = Array.from({ length: 32 }, () => places.take(false, nobody))
  let isCalled = false
  assert.equal(
    places.take(false, () => {
      isCalled = true
    }),
    undefined,
  )
  t.mock.timers.tick(1_000)
  assert.ok(isCalled)
  assert.ok(places.take(true, nobody))
  assert.equal(places.take(true, nobody), undefined, 'the slow ones have theirs')
  for (const leave of hanging) leave?.({ ms: 9_000, bestMs: 9_000 })
  assert.equal(places.limit(), 32, 'they say nothing of the quick ones')
  assert.ok(places.take(true, nobody))
})
