import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { poolSize } from './database.ts'
import { PACKED_FLAGS } from './packed.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const PRELOAD = path.join(import.meta.dirname, 'child-preload.ts')
const MAX_WAIT_MS = 60_000

/** At a named fault point: die without a word (there, or when it comes there again), throw, or wait until `release`. */
export type FaultAction = 'kill' | 'kill-second' | 'throw' | 'hold'

type ChildOptions = {
  faults?: Record<string, FaultAction>
  root?: string
  /** What loads files of its own, such as extensions, must not have a second copy of the sources beside the packed one. */
  isPacked?: boolean
}

export type Exit = { code: number | null; signal: NodeJS.Signals | null }
export type Child = Awaited<ReturnType<typeof startChild>>

// Nothing of the test's own environment but what any process needs; ports are given by the system.
const environment = (env: Record<string, string>) => ({
  PATH: process.env.PATH ?? '',
  NODE_ENV: 'test',
  RATE_LIMITS: 'off',
  LOAD_SHEDDING: 'off',
  PORT: '0',
  METRICS_PORT: '0',
  ...poolSize,
  PUBLIC_URL: 'http://localhost:3000', // as in startApi, so that tokens made there are good here
  ...env,
})

/** The real thing in a process of its own, as `npm start` runs it; `root` is the tree of another version. Answers once it has started. */
export async function startChild(
  app: 'api' | 'worker',
  env: Record<string, string>,
  { faults = {}, root = ROOT, isPacked = root === ROOT }: ChildOptions = {},
) {
  const flags = isPacked ? PACKED_FLAGS : []
  const child = spawn(process.execPath, [...flags, '--import', PRELOAD, path.join(root, 'bin/kontor.js'), app], {
    cwd: root,
    env: { ...environment(env), KONTOR_TEST_FAULTS: JSON.stringify(faults) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const output = collect(child)
  const exited = exitOf(child)
  const reached = new Set<string>()
  child.on('message', (name: string) => {
    reached.add(name)
    output.changed()
  })

  /** Waits for something that the output, or a held fault, makes true; fails when the process ends before. */
  async function until<Result>(what: string, find: () => Result | undefined): Promise<Result> {
    const fail = (why: string) => {
      throw new Error(`${app} ${why} before: ${what}\n${output.text()}`)
    }
    const gone = exited.then(({ code, signal }) => fail(`ended (${signal ?? code})`))
    const late = once(AbortSignal.timeout(MAX_WAIT_MS), 'abort').then(() => fail(`was given ${MAX_WAIT_MS} ms`))
    for (const failure of [gone, late]) failure.catch(() => {}) // nobody waits for it once it was found
    for (;;) {
      const found = find()
      if (found !== undefined) return found
      await Promise.race([output.nextChange(), gone, late])
    }
  }

  const findLine = (message: string) => output.lines().find((line) => line.msg === message)
  const started = await until('it started', () => findLine(`Kontor ${app} started`))
  return {
    url: started.address ?? '',
    metricsUrl: started.metrics ?? '',
    process: child,
    exited,
    /** All that it has written, and its log lines. */
    output: output.text,
    lines: output.lines,
    untilLogged: (message: string) => until(message, () => findLine(message)),
    /** Waits until the process stands at a fault point that holds it. */
    untilHeld: (fault: string) => until(fault, () => reached.has(fault) || undefined),
    release: () => void child.send('release'),
    /** From now on it does this, there. */
    async arm(actions: Record<string, FaultAction>): Promise<void> {
      reached.delete('armed')
      child.send(actions)
      await until('armed', () => reached.has('armed') || undefined)
    },
    /** Leaves a rejected promise behind that nobody waits for. */
    strayError: () => void child.send('stray error'),
    /** For whoever measures memory. */
    async collectGarbage(): Promise<void> {
      reached.delete('collected')
      child.send('collect garbage')
      await until('collected', () => reached.has('collected') || undefined)
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await exited
    },
    stop(): Promise<Exit> {
      child.kill('SIGTERM')
      return exited
    },
  }
}

/** Runs it to its end, for what refuses to start. */
export async function runKontor(
  args: string[],
  env: Record<string, string>,
  { node = process.execPath, root = ROOT, isPacked = true }: { node?: string; root?: string; isPacked?: boolean } = {},
): Promise<Exit & { output: string }> {
  const flags = node === process.execPath && root === ROOT && isPacked ? PACKED_FLAGS : []
  const child = spawn(node, [...flags, path.join(root, 'bin/kontor.js'), ...args], {
    cwd: root,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_WAIT_MS,
    killSignal: 'SIGKILL',
  })
  const output = collect(child)
  const exit = await exitOf(child)
  return { ...exit, output: output.text() }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  const exit = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  exit.catch(() => {}) // told to whoever waits
  return exit
}

function collect(child: ChildProcess) {
  let text = ''
  let change = Promise.withResolvers<void>()
  const changed = () => {
    change.resolve()
    change = Promise.withResolvers()
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      changed()
    })
  }
  return {
    text: () => text,
    lines: () => text.split('\n').flatMap(parseLine),
    changed,
    nextChange: () => change.promise,
  }
}

type LogLine = { [name: string]: unknown; msg?: string; address?: string; metrics?: string }

function parseLine(line: string): LogLine[] {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? [value as LogLine] : []
  } catch {
    return []
  }
}
