import { monitorEventLoopDelay } from 'node:perf_hooks'

/** For how many milliseconds nothing else could be done, at most, while `work` ran: the best of three, for other processes hold us up, too. */
export async function heldUpMs(work: () => Promise<unknown>): Promise<number> {
  const delays: number[] = []
  for (let round = 0; round < 3; round++) {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    await work()
    delay.disable()
    delays.push(delay.max / 1e6)
  }
  return Math.min(...delays)
}

/** How long it takes here, in milliseconds, the best of three. */
export function timeMs(work: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return Math.min(...times)
}
