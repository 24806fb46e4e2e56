import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { brewStorm, type StormResult } from '../../scenarios/payment-storm.ts'

let storm: StormResult
before(async () => {
  storm = await brewStorm({ orders: 100, seed: 20_261_115 })
})

test('events were lost, repeated and forged in this storm', () => {
  assert.ok(storm.lost > 100 && storm.deliveries > 500 && storm.forged > 15, JSON.stringify(storm))
  assert.ok(storm.wrongAfterEvents > 0, 'events alone are not enough')
})

test('no forged event is taken', () => assert.equal(storm.forgedTaken, 0))

test('every order ends as the provider has it', () => {
  assert.equal(storm.wrongAfterReconciliation, 0)
  assert.deepEqual(storm.wrongInTheEnd, [])
})

test('a refund of which every event was lost is learned of', () => assert.equal(storm.refundsUnlearned, 0))

test('every effect happens once, and stock is what its ledger says', () => assert.deepEqual(storm.unfair, []))

test('nothing is logged as our fault', () => assert.deepEqual(storm.faults, []))
