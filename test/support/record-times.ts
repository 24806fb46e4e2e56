// Preloaded into the processes of test files: appends what each file took to TEST_TIMES, a JSON line per file.
import { appendFileSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** `seconds` is wall time. `own` and `children` are processor time; children count once they have ended. */
export type FileTimes = { file: string; seconds: number; own: number; children: number }

type Reading = Omit<FileTimes, 'file'>

const TICKS_PER_SECOND = 100

/** Linux keeps the processor time of ended children, and theirs; elsewhere it reads as 0. */
function childSeconds(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}

function read(): Reading {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  return { seconds: performance.now() / 1000, own: (userCPUTime + systemCPUTime) / 1e6, children: childSeconds() }
}

const minus = (end: Reading, start: Reading): Reading => ({
  seconds: end.seconds - start.seconds,
  own: end.own - start.own,
  children: end.children - start.children,
})

const { TEST_TIMES, NODE_TEST_CONTEXT } = process.env
const [, main = ''] = process.argv
// Not in the runner, in threads, or in programs that a test forks.
const isTestFile = isMainThread && NODE_TEST_CONTEXT !== undefined && /\.test\.ts$|\.results\/tests\//.test(main)

function record(file: string, times: Reading): void {
  if (TEST_TIMES && isTestFile) appendFileSync(TEST_TIMES, `${JSON.stringify({ file, ...times })}\n`)
}

let attributed: Reading = { seconds: 0, own: 0, children: 0 }
process.once('exit', () => record(path.relative('', main), minus(read(), attributed)))

/** Starts measuring one file of a process that runs several; call the result when the file is done. */
export function measureFile(file: string): () => void {
  const start = read()
  return () => {
    const times = minus(read(), start)
    record(file, times)
    attributed = {
      seconds: attributed.seconds + times.seconds,
      own: attributed.own + times.own,
      children: attributed.children + times.children,
    }
  }
}
