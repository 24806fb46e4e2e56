import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { PACKED_FLAGS } from './packed.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const STARTED_MS = 30_000
const ENTRIES = { api: ['bin/kontor.js', 'api'], worker: ['test/support/accounts-worker.ts'] }

export type Child = Awaited<ReturnType<typeof startChild>>

/** The API, or a worker for accounts, as a process of its own, which kills itself when it comes to the fault `killAt`. */
export async function startChild(app: 'api' | 'worker', env: Record<string, string>, killAt?: string) {
  const child = spawn(
    process.execPath,
    [...PACKED_FLAGS, '--import', path.join(import.meta.dirname, 'kill-at-fault.ts'), ...ENTRIES[app]],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH ?? '',
        NODE_ENV: 'test',
        PORT: '0',
        METRICS_PORT: '0',
        PUBLIC_URL: 'http://localhost:3000', // as in startApi: tokens name their issuer
        RATE_LIMITS: 'off',
        ...env,
        ...(killAt ? { KILL_AT: killAt } : {}),
      },
    },
  )
  const exited = once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]>
  const output: string[] = []
  child.stderr.on('data', (chunk: Buffer) => void output.push(chunk.toString()))
  const started = new Promise<{ address?: string }>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      output.push(line)
      if (line.includes(`Kontor ${app} started`)) resolve(JSON.parse(line) as { address?: string })
    })
  })
  const isDead = () => child.exitCode !== null || child.signalCode !== null
  const tooLate = new AbortController()
  const facts = await Promise.race([
    started,
    exited.then(() => undefined),
    sleep(STARTED_MS, undefined, { signal: tooLate.signal }).catch(() => undefined),
  ])
  tooLate.abort()
  if (!facts) {
    child.kill('SIGKILL')
    throw new Error(`The ${app} did not start:\n${output.join('\n')}`)
  }
  return {
    url: facts.address ?? '',
    output,
    /** Resolves with the signal that ended it. */
    ended: exited.then(([, signal]) => signal),
    isDead,
    async kill() {
      if (!isDead()) child.kill('SIGKILL')
      await exited
    },
  }
}
