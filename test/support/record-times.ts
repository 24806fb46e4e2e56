// Preloaded into the processes of test files: appends what each file took to TEST_TIMES, a JSON line per file.
import { appendFileSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** `seconds` is wall time. `own` and `children` are processor time; children are all processes that the file starts. */
export type FileTimes = { file: string; seconds: number; own: number; children: number }

type Reading = Omit<FileTimes, 'file'>

const TICKS_PER_SECOND = 100

const SAMPLE_MS = 500

/** Processor time in ticks of each child process, by its id and start. */
const seen = new Map<string, number>()

function fieldsOf(pid: number | 'self'): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Browsers kill their child processes, whose processor time is then lost, so it is sampled. */
function look(pid: number): void {
  try {
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    for (const child of pids) {
      const fields = fieldsOf(child)
      seen.set(`${child} ${fields[19]}`, Number(fields[11]) + Number(fields[12]))
      look(child)
    }
  } catch {
    // Ended meanwhile.
  }
}

/** What was seen of children, or what Linux keeps of those that have ended, if that is more. Elsewhere it reads as 0. */
function childSeconds(): number {
  if (process.platform !== 'linux') return 0
  look(process.pid)
  const fields = fieldsOf('self')
  const ended = Number(fields[13]) + Number(fields[14])
  return (
    Math.max(
      seen.values().reduce((sum, ticks) => sum + ticks, 0),
      ended,
    ) / TICKS_PER_SECOND
  )
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

if (TEST_TIMES && isTestFile && process.platform === 'linux') setInterval(() => look(process.pid), SAMPLE_MS).unref()

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
