import { Worker } from 'node:worker_threads'
import { AppError } from '#vocabulary/errors.ts'
import { serviceUnavailable } from './http/refusals.ts'

/** A thread's reply: the result, or a refusal for the caller. */
export type ThreadAnswer<Result> =
  | { result: Result }
  | { refusal: Pick<AppError, 'status' | 'code' | 'message' | 'details'> }

/**
 * The caller behind a task. Callers are served round robin, however many tasks one of them has; `isGone` skips tasks
 * whose caller has left.
 */
export type TaskOwner = { key: string; isGone?: () => boolean }

/**
 * Tasks of one caller that may wait, enough for a script that writes many records at once; further ones are refused.
 */
export const MAX_WAITING_EACH = 100

/**
 * A worker thread that runs one task after the other, so that CPU-heavy work does not block the event loop. A task that
 * takes longer than `timeoutMs` is ended, and refused. The thread starts with its first task, and does not keep the
 * process alive.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what the file takes
export function openThread<Task, Result>(file: URL, { timeoutMs }: { timeoutMs: number }) {
  type Waiting = { resolve: (answer: ThreadAnswer<Result>) => void; reject: (error: Error) => void }
  let worker: Worker | undefined
  let waiting: Waiting | undefined
  let isWorking = false
  // Round robin: the first queue is next, then it moves to the end.
  const queues = new Map<string, (() => Promise<unknown>)[]>()

  function start(): Worker {
    const started = new Worker(file)
    started.on('message', (answer: ThreadAnswer<Result>) => waiting?.resolve(answer))
    started.on('error', (error: Error) => waiting?.reject(error))
    started.on('exit', () => {
      if (worker === started) worker = undefined
      waiting?.reject(new Error('A thread has ended by itself'))
    })
    started.unref()
    return started
  }

  async function work(task: Task): Promise<Result> {
    const current = (worker ??= start())
    const timer = setTimeout(() => waiting?.reject(serviceUnavailable()), timeoutMs)
    try {
      const answer = await new Promise<ThreadAnswer<Result>>((resolve, reject) => {
        waiting = { resolve, reject }
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
        current.postMessage(task)
      })
      if ('result' in answer) return answer.result
      throw toAppError(answer.refusal)
    } catch (error) {
      waiting = undefined
      if (!(error instanceof AppError) || error.status >= 500) {
        worker = undefined
        await current.terminate()
      }
      throw error
    } finally {
      waiting = undefined
      clearTimeout(timer)
    }
  }

  async function workOff(): Promise<void> {
    if (isWorking) return
    isWorking = true
    for (const [key, queue] of queues) {
      queues.delete(key)
      const next = queue.shift()
      if (queue.length > 0) queues.set(key, queue)
      await next?.()
    }
    isWorking = false
  }

  return (task: Task, { key, isGone }: TaskOwner): Promise<Result> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(key) ?? []
      if (queue.length >= MAX_WAITING_EACH) return reject(serviceUnavailable())
      queue.push(() => (isGone?.() ? Promise.reject(serviceUnavailable()) : work(task)).then(resolve, reject))
      queues.set(key, queue)
      void workOff()
    })
}

const toAppError = ({ status, code, message, details }: Pick<AppError, 'status' | 'code' | 'message' | 'details'>) =>
  new AppError(status, code, message, details)

/** For the thread's own file: runs a task and wraps its result or refusal. */
export function runTask<Task, Result>(task: Task, work: (task: Task) => Result): ThreadAnswer<Result> {
  try {
    return { result: work(task) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { status, code, message, details } = error
    return { refusal: { status, code, message, details } }
  }
}
