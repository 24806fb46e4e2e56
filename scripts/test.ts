// Runs the tests: all of them, or those whose path contains one of the given words.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sweepDatabases } from '../test/support/database.ts'
import { packTests } from './pack-tests.ts'

// Each file is a process of its own, and compiles what it imports: most of it is the same for all.
const COMPILED = 'node_modules/.cache/compiled'
const SWEEP_MS = 10_000
// A file that never ends must fail the run, and be named by it, not hold it up.
const LIMIT_MS = 30 * 60_000

// These wait for browsers, and for processes to be given up for dead. They come first, so that nothing waits for them in the end.
const LONG = /^test\/(browser|dev)\/|twins\/mail|kills|races/

const words = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'))
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort((a, b) => Number(LONG.test(b)) - Number(LONG.test(a)) || (a < b ? -1 : 1))
if (files.length === 0) {
  console.error(`No test file matches ${words.join(' ')}.`)
  process.exit(1)
}

// A few are run as they are: then a failure names the line that failed.
const PACKED_FROM = 20
const packed = files.length < PACKED_FROM ? undefined : await packTests(files)

await sweepDatabases()
// Three at a time: many tests wait for somebody to be given up for dead. Small pools, because a server has 100 connections.
const runner = spawn(
  process.execPath,
  ['--test', '--test-concurrency=3', '--test-timeout=180000', ...flags, ...(packed?.tests ?? files)],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_ENV: 'test',
      DATABASE_POOL_SIZE: '4',
      NODE_COMPILE_CACHE: COMPILED,
      TEST_DATABASES_ARE_SWEPT: 'yes',
      ...(packed && { TEST_PACKED: packed.redirect }),
    },
  },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void runner.kill(signal))
setTimeout(() => {
  console.error(
    `The tests did not end within ${LIMIT_MS / 60_000} minutes. Files that still run are listed as cancelled.`,
  )
  runner.kill('SIGTERM')
}, LIMIT_MS).unref()

const ended = once(runner, 'exit')
while (runner.exitCode === null && runner.signalCode === null) {
  await Promise.race([ended, sleep(SWEEP_MS)])
  await sweepDatabases().catch(() => {}) // the server has other things to do: the next one does it
}
process.exit(runner.exitCode ?? 1)
