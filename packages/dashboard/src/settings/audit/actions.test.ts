import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { ACTIONS } from './actions.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../../..')
/** What concerns an account and no business is in nobody's log here. The sign-in of staff is a business's. */
const OF_ACCOUNTS = /^src\/modules\/accounts\/(?!staff\/)/

test('everything that the service writes into the log of a business has a sentence', () => {
  const known = new Set<string>(Object.values(ACTIONS).flat())
  const written = globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => !OF_ACCOUNTS.test(file) && !file.endsWith('.test.ts'))
    .flatMap((file) =>
      readFileSync(path.join(ROOT, file), 'utf8')
        .split('\n')
        // What `auditOperator` writes is in the log of the operators alone.
        .filter((line) => /action: /.test(line) && !/auditOperator\(/.test(line))
        .flatMap((line) => line.match(/'[a-z-]+\.[a-z-]+'/g) ?? []),
    )
    .map((quoted) => quoted.slice(1, -1))
  assert.ok(written.length > 15)
  assert.deepEqual(
    written.filter((action) => !known.has(action)),
    [],
  )
})
