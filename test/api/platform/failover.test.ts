import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failOver } from '../../scenarios/failover.ts'
import { assertError } from '../../support/assert-error.ts'

test('a cell whose URL leads to a standby rejects requests until the primary is back, without affecting other cells', async () => {
  const report = await failOver({ callers: 4, beforeMs: 500, standbyMs: 1_000, afterMs: 500 })
  assert.ok(report.readOnlySeconds < 4, `read-only after ${report.readOnlySeconds} s`)
  assert.ok(report.writableSeconds < 2, `writable after ${report.writableSeconds} s`)
  assert.ok(report.upSeconds < 4, `up after ${report.upSeconds} s`)
  assert.ok(report.isWorkerAlive)
  const asked = new Set<string>()
  for (const { phase, cell, isWrite, answer } of report.calls) {
    asked.add(`${phase} ${cell} ${isWrite}`)
    if (cell === 'second' && phase === 'standby') assertError(answer, 503, 'UNAVAILABLE')
    else if (cell === 'main' || phase === 'before' || phase === 'after') assert.ok(answer.status < 300, answer.text)
    else assert.notEqual(answer.status, 500, answer.text)
  }
  for (const phase of ['before', 'standby', 'after'])
    for (const cell of ['main', 'second'])
      for (const isWrite of [true, false]) assert.ok(asked.has(`${phase} ${cell} ${isWrite}`))
})
