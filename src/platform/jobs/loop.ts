import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Bell } from './rest.ts'

/**
 * For work that must run more often than once a minute: repeats it, one run at a time, whatever fails. `everyMs` is the
 * pause between two runs; with a bell, it is the shortest one, and the loop rests until there is something to do.
 */
export function startLoop(
  name: string,
  everyMs: number,
  run: (signal: AbortSignal) => Promise<unknown>,
  log: FastifyBaseLogger,
  bell?: Bell,
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
      const heard = failing ? undefined : bell?.listen(stopping.signal) // what happens during the pause is heard
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
      await heard
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}
