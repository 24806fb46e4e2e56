import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import pretty from 'pino-pretty'
import { DevError, ROOT } from './folder.ts'

const START_MS = 60_000
const RESTART_GRACE_MS = 3_000
const SETTLED_MS = 5_000
const WITH_PARENT = path.join(import.meta.dirname, 'with-parent.ts')
const AFTER_CHANGE = 'It is started again when a file under src/ changes.'

export type ProgramOptions = {
  name: 'api' | 'worker'
  env: Record<string, string | undefined>
  isVerbose: boolean
  say(text: string): void
}
export type Program = ReturnType<typeof createProgram>

type Run = { child: ChildProcess; closed: Promise<void>; isStopped: boolean }

/** The API or the worker as a restartable process. */
export function createProgram({ name, env, isVerbose, say }: ProgramOptions) {
  const log = pretty({
    colorize: process.stdout.isTTY,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
    messageFormat: `${name}: {msg}`,
    sync: true,
  })
  let current: Run | undefined
  let isOver = false
  let restarting: Promise<void> | undefined
  let isWantedAgain = false

  async function start(): Promise<void> {
    if (isOver) return
    // A process group of its own, so that Ctrl-C in the terminal reaches only us; and an IPC channel that closes when
    // we end.
    const child = spawn(process.execPath, ['--import', WITH_PARENT, 'bin/kontor.js', name], {
      cwd: ROOT,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const run: Run = { child, isStopped: false, closed: new Promise((resolve) => child.once('close', () => resolve())) }
    current = run
    const ready = Promise.withResolvers<void>()
    for (const stream of [child.stdout, child.stderr]) {
      if (stream)
        createInterface({ input: stream }).on('line', (line) => {
          if (line.includes(`"msg":"Kontor ${name} started"`)) ready.resolve()
          if (isVerbose || isLoud(line)) log.write(`${line}\n`)
        })
    }
    let since: number | undefined
    child.once('error', ready.reject)
    child.once('close', (code, signal) => {
      if (run.isStopped) return ready.resolve()
      const how = signal ?? `exit code ${code}`
      ready.reject(new DevError(`The ${name} ended (${how}). Its last words are above.`))
      if (since === undefined) return
      const hasLived = performance.now() - since > SETTLED_MS
      say(`The ${name} ended by itself (${how}). ${hasLived ? 'Starting it again.' : AFTER_CHANGE}`)
      if (hasLived) void restart()
    })
    const late = sleep(START_MS, undefined, { ref: false }).then(() => {
      throw new DevError(`The ${name} has not started within ${START_MS / 1_000} s. --verbose shows its log.`)
    })
    await Promise.race([ready.promise, late])
    since = performance.now()
  }

  async function end(graceMs: number): Promise<void> {
    const run = current
    if (!run) return
    run.isStopped = true
    run.child.kill('SIGTERM')
    await Promise.race([run.closed, sleep(graceMs, undefined, { ref: false })])
    run.child.kill('SIGKILL') // no effect if it has ended
    await run.closed
  }

  async function restartOnce(): Promise<void> {
    const since = performance.now()
    await end(RESTART_GRACE_MS)
    try {
      await start()
      if (!isOver) say(`${name} restarted in ${((performance.now() - since) / 1_000).toFixed(1)} s`)
    } catch (error) {
      say(`${(error as Error).message} ${AFTER_CHANGE}`)
    }
  }

  /** Calls during a restart are merged into one more. */
  async function restart(): Promise<void> {
    isWantedAgain = true
    restarting ??= (async () => {
      while (isWantedAgain && !isOver) {
        isWantedAgain = false
        await restartOnce()
      }
      restarting = undefined
    })()
    await restarting
  }

  return {
    start,
    restart,
    /** Stops it permanently. */
    async stop(graceMs: number): Promise<void> {
      isOver = true
      await end(graceMs)
    },
  }
}

/** Warnings, errors, and lines that are no log entries, such as the output of a program that cannot start. */
const isLoud = (line: string) => !/^\{"level":"?(info|debug|trace|[123]0)\b/.test(line)
