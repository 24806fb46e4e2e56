import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LONG, toFlag } from './graphile-internals.ts'
import { createShares } from './shares.ts'

const flagsOf = (...businesses: string[]) => businesses.map(toFlag)

function useShares(places: number, mostOf?: (businessId: string) => number | undefined) {
  let time = 1_000
  const shares = createShares(places, mostOf, () => time)
  return {
    ...shares,
    pass: (ms: number) => {
      time += ms
    },
  }
}

test('a business alone has all places but one', () => {
  const { began, passedOver } = useShares(4)
  began('a')
  began('a')
  assert.deepEqual(passedOver(), [])
  began('a')
  assert.deepEqual(passedOver(), flagsOf('a'))
})

test('beside another it has half of them, until the other has been gone for ten seconds', () => {
  const { began, ended, passedOver, pass } = useShares(6)
  began('b')
  ended('b')
  for (let count = 0; count < 3; count++) began('a')
  assert.deepEqual(passedOver(), flagsOf('a'))
  pass(10_000)
  assert.deepEqual(passedOver(), [])
})

test('the last place is for a business that had none within a second', () => {
  const { began, ended, passedOver, pass } = useShares(4)
  began('c')
  ended('c')
  for (const business of ['a', 'a', 'b']) began(business)
  assert.deepEqual(passedOver().toSorted(), flagsOf('a', 'b', 'c'))
  pass(1_000)
  assert.deepEqual(passedOver().toSorted(), flagsOf('a', 'b'))
})

test('jobs of no business take places, and are never passed over', () => {
  const { began, passedOver } = useShares(4)
  for (let count = 0; count < 3; count++) began(undefined)
  assert.deepEqual(passedOver(), [])
})

test('with a single place there is nothing to share', () => {
  const { began, ended, passedOver } = useShares(1)
  began('a')
  ended('a')
  assert.deepEqual(passedOver(), [])
})

test('a number that was set for a business counts in the place of its share', () => {
  const { began, passedOver } = useShares(8, (business) => (business === 'a' ? 1 : undefined))
  began('a')
  began('b')
  assert.deepEqual(passedOver(), flagsOf('a'))
})

test('long jobs have half of the places together, of whichever businesses they are', () => {
  const { began, ended, passedOver } = useShares(6)
  for (const business of ['a', undefined, 'c']) began(business, true)
  assert.deepEqual(passedOver(), [LONG])
  ended('a', true)
  assert.deepEqual(passedOver(), [])
})

test('where there are few places, one of them is for a long job', () => {
  for (const places of [1, 2, 3]) {
    const { began, passedOver } = useShares(places)
    assert.deepEqual(passedOver(), [])
    began(undefined, true)
    assert.deepEqual(passedOver(), [LONG])
  }
})
