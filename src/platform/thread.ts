import { Worker } from 'node:worker_threads'
import { AppError, unavailable } from '#vocabulary/errors.ts'

/** What a thread answers: the result, or a refusal that the caller is to be told. */
export type ThreadAnswer<Result> =
  | { result: Result }
  | { refusal: Pick<AppError, 'status' | 'code' | 'message' | 'details'> }

/**
 * Has work done in a thread of its own, one task after the other, so that what takes the processor for long keeps nobody else
 * waiting. A task that takes longer than `timeoutMs` is ended, and refused. The thread starts with its first task, and does not
 * keep the process alive.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what the file takes
export function openThread<Task, Result>(file: URL, { timeoutMs }: { timeoutMs: number }) {
  type Waiting = { resolve: (answer: ThreadAnswer<Result>) => void; reject: (error: Error) => void }
  let worker: Worker | undefined
  let waiting: Waiting | undefined
  let last: Promise<unknown> = Promise.resolve()

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
    const timer = setTimeout(() => waiting?.reject(unavailable()), timeoutMs)
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

  return (task: Task): Promise<Result> => {
    const done = last.then(() => work(task))
    last = done.catch(() => undefined)
    return done
  }
}

const toAppError = ({ status, code, message, details }: Pick<AppError, 'status' | 'code' | 'message' | 'details'>) =>
  new AppError(status, code, message, details)

/** For the file of a thread: what it answers to a task. */
export function answerTo<Task, Result>(task: Task, work: (task: Task) => Result): ThreadAnswer<Result> {
  try {
    return { result: work(task) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { status, code, message, details } = error
    return { refusal: { status, code, message, details } }
  }
}
