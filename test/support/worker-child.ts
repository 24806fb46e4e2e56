import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { PACKED_FLAGS } from './packed.ts'

const FIXTURE = path.join(import.meta.dirname, 'worker-fixture.ts')

export type WorkerChild = Awaited<ReturnType<typeof forkWorker>>

/** A worker in a process of its own, as in production; what it logs ends up in `lines`. */
export async function forkWorker(env: Record<string, string>) {
  const child: ChildProcess = fork(FIXTURE, {
    env: { ...process.env, NODE_ENV: 'test', ...env },
    execArgv: [...PACKED_FLAGS],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => void lines.push(String(chunk)))
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  const first = await Promise.race([once(child, 'message').then(() => 'started'), exited])
  if (first !== 'started') throw new Error(`The worker did not start:\n${lines.join('')}`)
  return {
    pid: child.pid ?? 0,
    lines,
    exited,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Lets its jobs finish. */
    async stop() {
      child.kill('SIGTERM')
      return exited
    },
  }
}
