import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodingsOf } from './encodings.ts'

test('an encoding is used when the caller names it and does not refuse it', () => {
  const cases: [string | undefined, string[]][] = [
    [undefined, []],
    ['', []],
    ['identity', []],
    ['gzip, deflate, br, zstd', ['br', 'gzip']],
    ['GZIP', ['gzip']],
    ['br;q=0, gzip;q=0.5', ['gzip']],
    ['gzip ; q=0.000', []],
    ['*', ['br', 'gzip']],
    ['*;q=0', []],
    ['gzip;q=0, *', ['br']],
  ]
  for (const [header, wanted] of cases) assert.deepEqual(encodingsOf(header), wanted, header)
})
