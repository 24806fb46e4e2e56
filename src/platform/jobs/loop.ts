import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'

/** For work that must run more often than once a minute: repeats it, one run at a time, whatever fails. */
export function startLoop(
  name: string,
  everyMs: number,
  run: (signal: AbortSignal) => Promise<unknown>,
  log: FastifyBaseLogger,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const done = (async () => {
    let failing = false
    while (!stopping.signal.aborted) {
      try {
        await run(stopping.signal)
        failing = false
      } catch (error) {
        if (!failing) log.error({ err: error, loop: name }, 'failed; trying again') // once, not every time
        failing = true
      }
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}
