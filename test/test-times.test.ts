import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findOverruns } from '../scripts/test-times.ts'

const used = (file: string, own: number, children: number) => ({ file, seconds: 1, own, children })
const BUDGET = { file: 60, run: 100 }

describe('the budget of a test run', () => {
  test('counts the processes that a file starts', () => {
    assert.deepEqual(findOverruns([used('.results/tests/004~test~api~a.test.mjs', 20, 41)], BUDGET), [
      'test/api/a.test.ts used 61 s of processor time. The limit is 60 s.',
    ])
    assert.deepEqual(findOverruns([used('a.test.ts', 20, 40)], BUDGET), [])
  })

  test('limits the sum of all files', () => {
    const files = [used('a.test.ts', 40, 0), used('b.test.ts', 40, 0), used('c.test.ts', 0, 21)]
    assert.deepEqual(findOverruns(files, BUDGET), ['All files used 101 s of processor time. The limit is 100 s.'])
  })
})
