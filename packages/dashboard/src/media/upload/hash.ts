import { Trouble } from './trouble.ts'

const IDLE_MS = 10_000

let worker: Worker | undefined
let last: Promise<unknown> = Promise.resolve()
let idle: ReturnType<typeof setTimeout> | undefined

/** One file after the other, so that no more than one is in memory. */
export function hashOf(file: Blob): Promise<string> {
  const asked = last.then(() => digest(file))
  last = asked.catch(() => {})
  return asked
}

function digest(file: Blob): Promise<string> {
  clearTimeout(idle)
  worker ??= new Worker(new URL('./hash-worker.ts', import.meta.url), { type: 'module' })
  const counting = worker
  return new Promise<string>((resolve, reject) => {
    const listen = new AbortController()
    const { signal } = listen
    const end = (sha256: string | undefined) => {
      listen.abort()
      if (sha256) resolve(sha256)
      else reject(new Trouble('UNREADABLE'))
    }
    counting.addEventListener('message', ({ data }: MessageEvent<{ sha256?: string }>) => end(data.sha256), { signal })
    counting.addEventListener('error', () => end(undefined), { signal })
    counting.postMessage(file, [])
  }).finally(() => {
    idle = setTimeout(() => {
      worker?.terminate()
      worker = undefined
    }, IDLE_MS)
  })
}
