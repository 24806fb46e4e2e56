// Runs the tests: all of them, those whose path contains one of the given words, or those that a change can affect.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureDashboard } from '../dev/dashboard.ts'
import { sweepDatabases } from '../test/support/database.ts'
import { changedFiles, defaultBase, readSources } from './changed-files.ts'
import { packTests } from './pack-tests.ts'
import { docsPatterns, selectTests } from './select-tests.ts'
import { checkBudget, printTimes } from './test-times.ts'

// Each file is a process of its own, and compiles what it imports: most of it is the same for all.
const COMPILED = 'node_modules/.cache/compiled'
const SWEEP_MS = 10_000
// A file that never ends must fail the run, and be named by it, not hold it up. A slow machine takes half an hour.
const LIMIT_MS = 60 * 60_000
const AGAIN_LIMIT_MS = 15 * 60_000
// A file whose tests have failed may have left something open, and never ends: it must not hold up the others.
const FILE_LIMIT_SECONDS = 12 * 60
// One more than there are cores: many tests wait for a lease to expire.
const CONCURRENCY = 3
const FAILED = '.results/failed-tests'
const TIMES = '.results/test-times.jsonl'
const RECORD_TIMES = './test/support/record-times.ts'
// More than these are no accident.
const AGAIN_AT_MOST = 12

// These wait for browsers, and for processes to be given up for dead. They come first, so that nothing waits for them in the end.
const LONG = /^test\/(browser|dev)\/|twins\/mail|kills|races/

const OPTIONS = ['--changed', '--list', '--times']
const has = (option: string) => process.argv.includes(option)
const words = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-') && !OPTIONS.includes(argument))
const files = (has('--changed') ? testsOfChange(words[0]) : testsNamed()).sort(
  (a, b) => Number(LONG.test(b)) - Number(LONG.test(a)) || (a < b ? -1 : 1),
)
if (has('--list')) {
  console.log(files.join('\n'))
  process.exit()
}
if (files.length === 0) {
  console.error(has('--changed') ? 'No test file is affected.' : `No test file matches ${words.join(' ')}.`)
  process.exit(has('--changed') ? 0 : 1)
}

// Packing takes as long as loading the sources once.
const PACKED_FROM = 2
// Up to here, a failure names its line in the source. In a whole run, reading the maps takes too long.
const MAPPED_UP_TO = 40
mkdirSync(path.dirname(FAILED), { recursive: true })
rmSync(TIMES, { force: true })
const isMapped = files.length <= MAPPED_UP_TO
const packed =
  files.length < PACKED_FROM ? undefined : await packTests(files, { sourcemap: isMapped, processes: CONCURRENCY })

await sweepDatabases()
// Once, for all: two that build it at the same time empty each other's folder.
if (files.some((file) => file.startsWith('test/browser/dashboard'))) await ensureDashboard()
let code = await run(packed?.tests ?? files, { concurrency: CONCURRENCY, limitMs: LIMIT_MS })
const failed = failedFiles()
// A machine that stands still for seconds fails tests that measure time or send fifty requests at once. Where nobody is there to
// look, what failed is run once more, alone, and named; at a desk a flaky test is to be found, not to be hidden.
if (code !== 0 && process.env.TEST_AGAIN === 'yes' && failed.length > 0 && failed.length <= AGAIN_AT_MOST) {
  console.log(`\nFailed beside others; once more, alone:\n${failed.map((file) => `  ${file}`).join('\n')}\n`)
  code = await run(failed, { concurrency: 1, limitMs: AGAIN_LIMIT_MS })
}
if (has('--times')) printTimes(TIMES)
const isWholeRun = words.length === 0 && flags.length === 0 && !has('--changed')
// Only Linux tells what ended processes have used.
if (code === 0 && isWholeRun && process.platform === 'linux' && !checkBudget(TIMES)) code = 1
process.exit(code)

function testsNamed(): string[] {
  const all = globSync(['src/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'test/**/*.test.ts'])
  return all.filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
}

function testsOfChange(base = defaultBase()): string[] {
  let changed: string[]
  try {
    changed = changedFiles(base)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(2)
  }
  if (changed.length === 0) {
    console.error(`No file differs from ${base}. Name another commit, such as HEAD~1.`)
    process.exit(1)
  }
  const choices = selectTests(changed, readSources())
  const tests = [...new Set(choices.flatMap((choice) => choice.tests))]
  flags.push(...docsPatterns(changed, tests))
  for (const { subject, tests } of choices)
    console.log(`${subject} changed: ${tests.length} test ${tests.length === 1 ? 'file' : 'files'}`)
  return tests
}

type Limits = { concurrency: number; limitMs: number }

async function run(tests: readonly string[], { concurrency, limitMs }: Limits): Promise<number> {
  const runner = spawn(
    process.execPath,
    [
      '--test',
      '--import',
      RECORD_TIMES,
      `--test-concurrency=${concurrency}`,
      '--test-timeout=180000',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./scripts/failed-tests.ts',
      `--test-reporter-destination=${FAILED}`,
      ...flags,
      ...tests,
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        NODE_ENV: 'test',
        DATABASE_POOL_SIZE: '4', // a server has 100 connections
        NODE_COMPILE_CACHE: COMPILED,
        TEST_DATABASES_ARE_SWEPT: 'yes',
        TEST_TIMES: path.resolve(TIMES),
        ...(packed && { TEST_PACKED: packed.redirect }),
        ...(packed && isMapped && { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --enable-source-maps` }),
      },
    },
  )
  const forward = (signal: NodeJS.Signals) => void runner.kill(signal)
  process.on('SIGINT', forward).on('SIGTERM', forward)
  const limit = setTimeout(() => {
    console.error(
      `The tests did not end within ${limitMs / 60_000} minutes. Files that still run are listed as cancelled.`,
    )
    runner.kill('SIGTERM')
  }, limitMs)

  const ended = once(runner, 'exit')
  while (runner.exitCode === null && runner.signalCode === null) {
    await Promise.race([ended, sleep(SWEEP_MS)])
    await sweepDatabases().catch(() => {}) // the server has other things to do: the next one does it
    if (runner.pid !== undefined) endStuck(runner.pid)
  }
  clearTimeout(limit)
  process.off('SIGINT', forward).off('SIGTERM', forward)
  return runner.exitCode ?? 1
}

/** Its file is then one of those that failed. */
function endStuck(runner: number): void {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,etimes=', '--ppid', String(runner)], { encoding: 'utf8' })
  const files = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  for (const [pid = 0, seconds = 0] of files)
    if (pid > 0 && seconds > FILE_LIMIT_SECONDS) spawnSync('kill', [String(pid)]) // it may have ended meanwhile
}

function failedFiles(): string[] {
  return existsSync(FAILED) ? readFileSync(FAILED, 'utf8').split('\n').filter(Boolean) : []
}
