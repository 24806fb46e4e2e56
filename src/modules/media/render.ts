import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Rejected } from './problems.ts'
import type { RenderAnswer, Rendered, RenderTask } from './render-task.ts'

const CHILD = fileURLToPath(new URL('./render-child.ts', import.meta.url))
const MAX_MS = 60_000
const MAX_LOGGED = 2_000

/** The process ended without an answer: killed from outside, out of memory, or by a fault of the decoder. */
export class RenderCrash extends Error {}
export class RenderTimeout extends Error {}

type Options = { signal: AbortSignal; maxMs?: number }

/** Makes the renditions of a picture in a process of its own, which knows nothing of this one. Throws `Rejected`. */
export async function render(task: RenderTask, { signal, maxMs = MAX_MS }: Options): Promise<Rendered> {
  signal.throwIfAborted()
  const child = fork(CHILD, {
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < MAX_LOGGED) said += text
  })
  let answer: RenderAnswer | undefined
  let isLate = false
  const stop = () => void child.kill('SIGKILL')
  const timer = setTimeout(() => {
    isLate = true
    stop()
  }, maxMs)
  signal.addEventListener('abort', stop, { once: true })
  try {
    const ended = new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', () => resolve())
    })
    child.once('message', (message: RenderAnswer) => {
      answer = message
    })
    child.send(task, () => {}) // a child that is gone is told by its end
    await ended
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
  signal.throwIfAborted()
  if (isLate) throw new RenderTimeout(`A picture took longer than ${maxMs} ms`)
  if (!answer) throw new RenderCrash(`The process that makes renditions has ended: ${said.slice(0, MAX_LOGGED)}`)
  if ('problem' in answer) throw new Rejected(answer.problem)
  return answer
}
