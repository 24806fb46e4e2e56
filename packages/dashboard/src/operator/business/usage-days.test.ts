import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usageByDay } from './usage-days.ts'

test('every day is there once, with nothing where the service says nothing', () => {
  const item = { day: '2026-03-01', requests: 5, mails: 1, jobs: 2 }
  assert.deepEqual(usageByDay([item], 3, Date.UTC(2026, 2, 2, 0, 30)), [
    { day: '2026-02-28', requests: 0, mails: 0, jobs: 0 },
    item,
    { day: '2026-03-02', requests: 0, mails: 0, jobs: 0 },
  ])
})
