import { monitorEventLoopDelay } from 'node:perf_hooks'

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/**
 * For how long everybody else in this process had to wait at most while `work` ran, in milliseconds, the best of three. What this
 * thread has not worked for was the machine's doing, not ours: on a busy one it is kept waiting itself.
 */
export async function heldUpMs(work: () => Promise<unknown>): Promise<number> {
  const delays: number[] = []
  for (let round = 0; round < 3; round++) {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    const before = cpuMs()
    delay.enable()
    await work()
    delay.disable()
    delays.push(Math.min(delay.max / 1e6, cpuMs() - before))
  }
  return Math.min(...delays)
}

/** How long it takes here, in milliseconds of this thread's work, the best of three. */
export function timeMs(work: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const start = cpuMs()
    work()
    return cpuMs() - start
  })
  return Math.min(...times)
}
