import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runModel } from './scenarios/model/runs.ts'

test('a shop does what a simple model of it does, whatever is done to it, and whatever goes wrong meanwhile', async () => {
  const { failure, runs, commands, disagreeing } = await runModel({ runs: 15, maxCommands: 20, seed: 11 })
  assert.equal(failure, undefined)
  assert.equal(disagreeing, 0)
  assert.ok(commands > runs * 5, `${commands} commands are too few to say anything`)
})
