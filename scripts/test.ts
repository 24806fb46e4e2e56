// Runs the tests: all of them, or those whose path contains one of the given words.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { sweepDatabases } from '../test/support/database.ts'

// Each file is a process of its own, and compiles what it imports: most of it is the same for all.
const COMPILED = 'node_modules/.cache/compiled'

const words = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'))
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort()
if (files.length === 0) {
  console.error(`No test file matches ${words.join(' ')}.`)
  process.exit(1)
}
await sweepDatabases()
const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-timeout=180000', ...flags, ...files],
  {
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'test', DATABASE_POOL_SIZE: '5', NODE_COMPILE_CACHE: COMPILED },
  },
)
process.exit(status ?? 1)
