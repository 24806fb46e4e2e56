import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Rejected } from './problems.ts'
import type { RenderAnswer, Rendered, RenderTask } from './render-task.ts'

const CHILD = fileURLToPath(new URL('./render-child.ts', import.meta.url))
const MAX_MS = 60_000
const MAX_LOGGED = 2_000
/** Starting one takes longer than a small picture. */
const IDLE_MS = 5_000
const MAX_IDLE = 2
const MAX_TASKS = 50
const LOWEST = 19

/** The process ended without an answer: killed from outside, out of memory, or by a fault of the decoder. */
export class RenderCrash extends Error {}
export class RenderTimeout extends Error {}

type Options = {
  /** Whose picture it is: a process never sees pictures of two businesses. */
  businessId: string
  signal: AbortSignal
  maxMs?: number
}
type Renderer = { child: ChildProcess; businessId: string; tasks: number; said: string; timer?: NodeJS.Timeout }

const idle = new Set<Renderer>()

function startRenderer(businessId: string): Renderer {
  const child = fork(CHILD, {
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const renderer: Renderer = { child, businessId, tasks: 0, said: '' }
  lower(child)
  child.on('error', () => {}) // its end tells
  child.once('exit', () => idle.delete(renderer))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (renderer.said.length < MAX_LOGGED) renderer.said += text
  })
  return renderer
}

/** Requests come first, on machines with few cores, too: before it starts, which takes longer than a small picture. */
function lower({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    setPriority(pid, LOWEST)
  } catch {
    // it is gone again
  }
}

function take(businessId: string): Renderer {
  for (const renderer of idle) {
    if (renderer.businessId !== businessId) continue
    idle.delete(renderer)
    clearTimeout(renderer.timer)
    hold(renderer)
    return renderer
  }
  return startRenderer(businessId)
}

/** Only one that has done well is used again: whatever else happened, it ends. */
function giveBack(renderer: Renderer): void {
  if (renderer.tasks >= MAX_TASKS) return end(renderer)
  const [oldest] = idle
  if (oldest && idle.size >= MAX_IDLE) end(oldest)
  idle.add(renderer)
  renderer.timer = setTimeout(() => end(renderer), IDLE_MS).unref()
  letGo(renderer)
}

function end(renderer: Renderer): void {
  idle.delete(renderer)
  clearTimeout(renderer.timer)
  renderer.child.kill('SIGKILL')
}

/** An idle one does not keep this process alive, and ends with it. */
function letGo({ child }: Renderer): void {
  for (const part of partsOf(child)) part.unref()
}
function hold({ child }: Renderer): void {
  for (const part of partsOf(child)) part.ref()
}
const partsOf = (child: ChildProcess) =>
  [child, child.channel, child.stderr as Socket | null].filter((part) => part != null)

/** Makes the renditions of a picture in another process, which knows nothing of this one. Throws `Rejected`. */
export async function render(task: RenderTask, { businessId, signal, maxMs = MAX_MS }: Options): Promise<Rendered> {
  signal.throwIfAborted()
  const renderer = take(businessId)
  const { child } = renderer
  renderer.tasks++
  let isLate = false
  const stop = () => void child.kill('SIGKILL')
  const timer = setTimeout(() => {
    isLate = true
    stop()
  }, maxMs)
  signal.addEventListener('abort', stop, { once: true })
  let answer: RenderAnswer | undefined
  try {
    answer = await new Promise<RenderAnswer | undefined>((resolve) => {
      child.once('message', (message: RenderAnswer) => resolve(message))
      child.once('close', () => resolve(undefined))
      child.send(task, () => {}) // a child that is gone is told by its end
    })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    child.removeAllListeners('message').removeAllListeners('close')
  }
  const isDone = answer !== undefined && !('problem' in answer) && !signal.aborted
  if (isDone) giveBack(renderer)
  else end(renderer)
  signal.throwIfAborted()
  if (isLate) throw new RenderTimeout(`A picture took longer than ${maxMs} ms`)
  if (!answer)
    throw new RenderCrash(`The process that makes renditions has ended: ${renderer.said.slice(0, MAX_LOGGED)}`)
  if ('problem' in answer) throw new Rejected(answer.problem)
  return answer
}
